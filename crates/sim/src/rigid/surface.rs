//! How far particles of rigid bodies are from the surface of their body, for friction that holds a fluid there.
//!
//! As for contact ([`touching`](super::touching)) the surface is the mean plane of the faces around a particle, half a spacing
//! outside the particles that have them:
//!
//! ```text
//! s_i = n (Σ_j W_ij ((x_j − x_i)·n_j + d/2)/Σ_j W_ij),    n = Σ_j W_ij n_j / |…|
//! ```
//!
//! A body without faces (a rod, a single particle) has no such plane, and s = 0.

use rayon::prelude::*;

use super::particles::{RigidParticles, Site, Undeformed};
use crate::real::{Real, Vec3, narrow, wide};
use crate::world::World;

/// Planes are not nearer to a particle than this, in spacings.
const NEAREST: Real = 0.1;

impl Undeformed<'_> {
    /// The way from particle `i` to the surface of its body, where the body was made.
    pub(super) fn way_to_surface(&self, i: usize, sites: &[Site], spacing: Real) -> Vec3 {
        if let Site::Plate(axis) = sites[i] {
            return axis * (0.5 * spacing);
        }
        let (mut normal, mut height, mut weight) = (Vec3::ZERO, 0.0, 0.0);
        let own = std::iter::once((i, Vec3::ZERO));
        for (j, apart) in own.chain(self.around(i)) {
            if let Site::Face(face) = sites[j] {
                let share = self.kernel().value(apart.length());
                normal += share * face;
                height += share * (0.5 * spacing - apart.dot(face));
                weight += share;
            }
        }
        if weight == 0.0 {
            return Vec3::ZERO;
        }
        normal.normalize_or_zero() * (height / weight).max(NEAREST * spacing)
    }
}

impl World {
    /// Fills `out` with the way of each particle to the surface of its rigid body and 1, zeros for all others.
    pub(crate) fn ways_out_of_rigid_bodies(&self, out: &mut Vec<[Real; 4]>) {
        out.clear();
        out.resize(self.particles.len(), [0.0; 4]);
        for (body, run) in &self.rigid.runs {
            let turn = self.memory.rigid[*body].turn();
            out[run.clone()].par_iter_mut().zip(self.rigid.ways(run.clone())).with_min_len(4096).for_each(
                |(out, way)| {
                    let way = narrow(turn * wide(*way));
                    *out = [way.x, way.y, way.z, 1.0];
                },
            );
        }
    }
}

impl RigidParticles {
    fn ways(&self, run: std::ops::Range<usize>) -> &[Vec3] {
        &self.ways[run.start - self.first..run.end - self.first]
    }
}
