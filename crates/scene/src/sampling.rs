//! From shapes to particles.
//!
//! Particles are centres of lattice cells of one spacing. Bodies fill their shape from inside, so that their
//! outermost particles lie half a spacing inside it; wall particles lie half a spacing and more behind the
//! surface. A body that shares a face with a wall meets it at a distance of exactly one spacing.
//!
//! All arithmetic is in double precision, and results do not depend on the number of threads.

mod arranged;
mod body;
mod choice;
mod density;
mod faces;
mod filler;
mod inset;
mod lattice;
mod packed;
mod poisson;
mod random;
mod relaxed;
mod samples;
#[cfg(test)]
mod spread;
#[cfg(test)]
mod tests;
mod volume;
mod walk;
mod wall;
mod wall_solid;
mod wall_sphere;
#[cfg(test)]
mod wall_tests;
mod wall_volume;
mod walls;

pub(crate) use body::BodySample;
pub use choice::{Arrangement, Fill, Overlap, Rows, Sampling, Seed};
pub(crate) use density::Compression;
pub(crate) use filler::Size;
pub(crate) use lattice::Lattice;
pub(crate) use samples::{Samples, Stream};
#[cfg(test)]
pub(crate) use volume::volume;
pub(crate) use wall::{WallCells, WallParticle};
pub(crate) use walls::{SampledWall, Walls};

use crate::World;

/// Layers of wall particles: as many as a particle at the surface can see, at least one.
pub(crate) fn wall_layers(world: &World) -> usize {
    ((world.support_over_spacing() - 1e-6).ceil() as usize).saturating_sub(1).max(1)
}
