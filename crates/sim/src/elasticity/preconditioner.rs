//! Approximate inverses of the matrix A = M + s K of an implicit step: blocks of particles and coarse meshes of bodies.
//!
//! ```text
//! z = D⁻¹ r + P A_c⁻¹ Pᵀ r
//! ```
//!
//! with the diagonal blocks D of A and the mesh of [`coarse`](super::coarse). Conjugate gradients are preconditioned by it.

use rayon::prelude::*;

use super::coarse::CoarseSolution;
use super::law::Law;
use super::vectors::{plus, times};
use crate::neighbors::row;
use crate::real::{Mat3, Real, Vec3};
use crate::world::World;

/// A 3×3 matrix, by columns, each padded to four numbers.
pub(super) type Block = [[Real; 4]; 3];

/// What a body has of it.
#[derive(Debug, Default)]
struct BodyPart {
    solution: CoarseSolution,
    /// Is the coarse matrix of this step factorised?
    is_ready: bool,
    /// Is there a solution for the last right side?
    is_asked: bool,
    /// s of its matrix M + s K.
    stiffness: Real,
}

/// The approximate inverses of a step.
#[derive(Debug, Default)]
pub(super) struct Preconditioner {
    /// The inverse of each particle's own block of the matrix; zero for those that are not solved for.
    pub(super) inverses: Vec<Block>,
    bodies: Vec<BodyPart>,
    pub(super) rotations: Vec<Mat3>,
}

impl Preconditioner {
    /// For a step whose rotations and blocks are new, with s of a body and its law.
    pub(super) fn start(&mut self, world: &World, stiffness: impl Fn(u32, &Law) -> Real) {
        let solids = &world.solids;
        self.bodies.resize_with(solids.slots(), BodyPart::default);
        for (body, (part, mesh)) in (0..).zip(self.bodies.iter_mut().zip(&solids.meshes)) {
            mesh.iter().for_each(|mesh| part.solution.reserve(mesh));
            part.is_ready = false;
            part.stiffness = solids.body_law(body).map_or(0.0, |law| stiffness(body, law));
        }
    }

    /// Factorises the coarse matrices of the bodies that are asked for, of whose matrices M + s K the s are told.
    pub(super) fn set_up_meshes(&mut self, world: &World, is_asked: impl Fn(usize, Real) -> bool + Sync) {
        let Self { bodies, rotations, .. } = self;
        let bodies = bodies.par_iter_mut().enumerate().filter(|(body, part)| is_asked(*body, part.stiffness));
        bodies.for_each(|(body, part)| part.set_up(world, body, rotations));
    }

    /// s of the matrix M + s K of a body.
    pub(super) fn stiffness(&self, body: usize) -> Real {
        self.bodies[body].stiffness
    }

    /// Is the coarse matrix of a body factorised?
    pub(super) fn is_ready(&self, body: usize) -> bool {
        self.bodies[body].is_ready
    }

    /// Solves for the coarse corrections of the bodies that are asked for.
    pub(super) fn solve_meshes(
        &mut self,
        world: &World,
        residual: &[[Real; 4]],
        is_asked: impl Fn(usize) -> bool + Sync,
    ) {
        let columns = (&mut self.bodies[..], &world.solids.meshes).into_par_iter().enumerate();
        columns.for_each(|(body, (part, mesh))| {
            part.is_asked = part.is_ready && is_asked(body);
            if let (Some(mesh), true) = (mesh, part.is_asked) {
                mesh.solve(&mut part.solution, residual);
            }
        });
    }

    /// The coarse correction of particle `i`, if its body was asked for and no clamp holds it.
    #[inline(always)]
    pub(super) fn correction(&self, world: &World, i: usize) -> Option<Vec3> {
        if world.particles.clamp[i] > 0 {
            return None;
        }
        let body = world.particles.body[i] as usize;
        let part = self.bodies.get(body).filter(|part| part.is_asked)?;
        let mesh = world.solids.meshes[body].as_ref()?;
        Some(mesh.interpolate(&part.solution, world.solids.mesh_places[i]))
    }

    /// B r of particle `i`, if the meshes of its body are solved for.
    #[inline(always)]
    pub(super) fn of(&self, world: &World, residual: &[[Real; 4]], i: usize) -> [Real; 4] {
        let ([x, y, z, _], inverse) = (residual[i], &self.inverses[i]);
        let alone = plus(plus(times(inverse[0], x), inverse[1], y), inverse[2], z);
        self.correction(world, i).map_or(alone, |correction| plus(alone, row(correction, 0.0), 1.0))
    }
}

impl BodyPart {
    fn set_up(&mut self, world: &World, body: usize, rotations: &[Mat3]) {
        if let (Some(mesh), Some(law), false) =
            (&world.solids.meshes[body], world.solids.body_law(body as u32), self.is_ready)
        {
            mesh.set_up(&mut self.solution, law, rotations, self.stiffness);
            self.is_ready = true;
        }
    }
}
