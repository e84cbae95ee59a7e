//! Time: how long a step may be, and how positions follow velocities.

mod leapfrog;
mod step_size;

pub(crate) use leapfrog::Leapfrog;
pub use step_size::{Adaptive, StepSize};
