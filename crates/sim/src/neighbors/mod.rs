//! Who is next to whom: one search, one loop over pairs, used by every model.

mod cells;
mod instruction_set;
mod lanes;
mod pairs;
mod search;
mod simd;

pub use instruction_set::InstructionSet;
pub use lanes::{LANES, Lanes, VecLanes, Wide};
pub use pairs::{Block, Near, Pairs, Who};
pub(crate) use pairs::{pack, row};
pub use simd::{Avx2, Portable, Simd};
