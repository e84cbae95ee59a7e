//! Time: how long a step may be, and how positions follow velocities.

mod displacement;
mod individual;
mod integrator;
mod schedule;
mod shifting;
mod step_size;

use displacement::displace;
pub use individual::Individual;
pub(crate) use individual::{Bounds, IndividualSteps};
pub(crate) use integrator::{Integrator, Motion};
pub use schedule::Schedule;
pub use shifting::Shifting;
pub(crate) use shifting::Shifts;
pub use step_size::{Adaptive, StepSize};

/// The highest speed of matter at rest, over that of a fall by a spacing, √(d a). A solve for pressures that only meets its bound leaves
/// noise of 0.26 in a pool 25 spacings deep (one that leaves 0.7 of the source term: 0.03), which must not count as motion.
pub(crate) const AT_REST: f64 = 0.2;
