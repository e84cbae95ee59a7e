//! Who is next to whom: one search, one loop over pairs, used by every model.

mod bonds;
mod candidates;
mod cells;
mod crowd;
mod entry;
mod grid;
mod instruction_set;
mod lanes;
mod near;
mod pairs;
mod search;
mod setting;
mod simd;
mod table;
mod trim;

pub(crate) use bonds::{Bonded, Bonds, Places, Tension, Weight, each_bond};
pub(crate) use entry::MOST_PARTICLES;
pub use instruction_set::InstructionSet;
pub use lanes::{LANES, Lanes, VecLanes, Wide};
pub use near::{Block, Near};
pub(crate) use near::{pack, pack_some, row};
pub(crate) use pairs::{Crowded, Passes};
pub use pairs::{Lists, Pairs, Who};
pub use setting::{AnySetting, Compiled, OpenSpline, OpenWendland, Setting};
pub use simd::{Avx2, Portable, Simd};
