//! Who is next to whom: one search, one loop over pairs, used by every model.

mod bond_changes;
mod bond_lists;
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
pub(crate) use lanes::Largest;
pub use lanes::{LANES, Lanes, VecLanes, Wide};
pub use near::{Block, Near, Part};
pub(crate) use near::{pack, pack_some, row};
pub(crate) use pairs::{Crowded, Passes};
pub use pairs::{Lists, Pairs, Who};
pub use setting::Setting;
pub use simd::Simd;

/// What the macros of the pair loop become: sets, settings and the choice among them.
#[doc(hidden)]
pub mod dispatch {
    pub use super::instruction_set::Available;
    pub use super::setting::{AnySetting, Compiled, OpenSpline, OpenWendland};
    pub use super::simd::{Avx2, Portable};
}
