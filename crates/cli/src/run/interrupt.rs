//! Ctrl-C and its like: the first asks the run to stop in good order, the second quits at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use crate::failure::{Failure, plain};

/// Exit code of a run that was told to stop.
const EXIT_CODE: i32 = 130;

/// Signals that follow the first within this time are the same wish: `timeout` and batch systems send one to the
/// process and one to its group.
const ONE_WISH: Duration = Duration::from_millis(100);

/// Has someone asked the run to stop?
#[derive(Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on.
    pub(crate) fn listen() -> Result<Interrupt, Failure> {
        Interrupt::try_listen()
            .map_err(|cause| Failure::Failed(format!("cannot listen for interruptions: {}", plain(&cause))))
    }

    fn try_listen() -> std::io::Result<Interrupt> {
        let interrupt = Interrupt::default();
        let is_requested = Arc::clone(&interrupt.0);
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            let mut first = None;
            for _ in signals.forever() {
                is_requested.store(true, Ordering::Relaxed);
                if first.get_or_insert_with(Instant::now).elapsed() > ONE_WISH {
                    // Safe at any moment: files are whole or absent.
                    low_level::exit(EXIT_CODE);
                }
            }
        })?;
        Ok(interrupt)
    }

    /// Asks as a signal would.
    #[cfg(test)]
    pub(crate) fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Should the run stop?
    pub(crate) fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
