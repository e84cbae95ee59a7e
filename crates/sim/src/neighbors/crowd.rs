//! Particles and their coordinates side by side, eight at a time.

use super::lanes::LANES;
use crate::real::Real;

/// Particles and their coordinates, column by column.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    pub(super) particles: Vec<u32>,
    pub(super) x: Vec<Real>,
    pub(super) y: Vec<Real>,
    pub(super) z: Vec<Real>,
}

/// Some that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Run {
    /// How many there are.
    pub(super) fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

impl Crowd {
    pub(super) const EMPTY: Crowd = Crowd { particles: Vec::new(), x: Vec::new(), y: Vec::new(), z: Vec::new() };

    /// Nobody, and room for so many.
    pub(super) fn with_capacity(room: usize) -> Self {
        let column = || Vec::with_capacity(room);
        Crowd { particles: Vec::with_capacity(room), x: column(), y: column(), z: column() }
    }

    /// Makes all columns so long.
    pub(super) fn resize(&mut self, length: usize) {
        self.particles.resize(length, 0);
        for column in [&mut self.x, &mut self.y, &mut self.z] {
            column.resize(length, 0.0);
        }
    }

    /// The first so many are followed by a block of what is in nobody's reach.
    pub(super) fn end_at(&mut self, count: usize) {
        for column in [&mut self.x, &mut self.y, &mut self.z] {
            column[count..count + LANES].fill(Real::INFINITY);
        }
    }

    /// The particles of a run and their coordinates, eight at a time; beyond the run come those that follow, of which
    /// there must be as many as the last block has room for.
    #[inline(always)]
    pub(super) fn blocks(&self, run: Run) -> impl Iterator<Item = (&[u32; LANES], [&[Real; LANES]; 3])> {
        let range = run.start as usize..run.start as usize + run.len().next_multiple_of(LANES);
        let particles = self.particles[range.clone()].as_chunks().0;
        let x = self.x[range.clone()].as_chunks().0;
        let y = self.y[range.clone()].as_chunks().0;
        let z = self.z[range].as_chunks().0;
        particles.iter().zip(x).zip(y).zip(z).map(
            #[inline(always)]
            |(((particles, x), y), z)| (particles, [x, y, z]),
        )
    }
}
