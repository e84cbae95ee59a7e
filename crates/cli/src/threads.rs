//! How many threads work.

use std::num::NonZeroUsize;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// More threads than any machine has. Far beyond, memory for their stacks cannot be had, which nothing survives.
const MOST_THREADS: usize = 4096;

/// Reads the value of `--threads`.
pub(crate) fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().and_then(NonZeroUsize::new).filter(|number| number.get() <= MOST_THREADS);
    number.ok_or_else(|| format!("it must be a whole number from 1 to {MOST_THREADS}"))
}

/// A pool of that many threads, or of all that this process may use.
pub(crate) fn thread_pool(threads: Option<NonZeroUsize>) -> Result<ThreadPool, Failure> {
    // Knows what a container allows.
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        Failure::BadInput(format!("cannot start {threads} threads: {error}; ask for fewer with `--threads`"))
    })
}
