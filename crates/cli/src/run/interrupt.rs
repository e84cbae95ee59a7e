//! Ctrl-C and its like: the first asks the run to stop in good order, the second quits at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Exit code of a run that was told to stop.
const EXIT_CODE: i32 = 130;

/// Has someone asked the run to stop?
#[derive(Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on.
    pub(crate) fn listen() -> io::Result<Interrupt> {
        let interrupt = Interrupt::default();
        for signal in [SIGINT, SIGTERM] {
            // Registered first, so it sees the flag as the signal before has left it. To quit here is safe: files
            // are whole or absent at any moment.
            flag::register_conditional_shutdown(signal, EXIT_CODE, Arc::clone(&interrupt.0))?;
            flag::register(signal, Arc::clone(&interrupt.0))?;
        }
        Ok(interrupt)
    }

    /// Should the run stop?
    pub(crate) fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
