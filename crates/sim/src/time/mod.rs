//! Time: how long a step may be, and how positions follow velocities.

mod displacement;
mod euler;
mod leapfrog;
mod shifting;
mod step_size;

use displacement::displace;
pub(crate) use euler::SymplecticEuler;
pub(crate) use leapfrog::Leapfrog;
pub use shifting::Shifting;
pub(crate) use shifting::Shifts;
pub use step_size::{Adaptive, StepSize};
