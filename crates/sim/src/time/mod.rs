//! Time: how long a step may be, and how positions follow velocities.

mod displacement;
mod integrator;
mod shifting;
mod step_size;

use displacement::displace;
pub(crate) use integrator::{Integrator, Motion};
pub use shifting::Shifting;
pub(crate) use shifting::Shifts;
pub use step_size::{Adaptive, StepSize};
