//! The matrix A = M + s K of an implicit step: its products with velocities, and its approximate inverse.
//!
//! K p is the force of displacements p, two sums over bonds ([`stiffness`](super::stiffness)): nothing is stored but the
//! stress response of each particle, which is found once in a step, with its rotation.

use rayon::prelude::*;

use super::conjugate::TASK_LENGTH;
use super::implicit::law_of;
use super::law::Law;
use super::matrix::{cofactors, columns, dot, gather, product, rows, scaled, scatter, transposed};
use super::plasticity::InitialStress;
use super::preconditioner::{Block, Preconditioner};
use super::pull::force_density;
use super::rotation::{Extent, polar_of_eight, rotation_in};
use super::stepping::Stepping;
use super::stiffness::{Linearised, ResponseOfEight};
use super::vectors::{plus, plus_products, times};
use crate::force::StepContext;
use crate::neighbors::{LANES, Lanes, Places, Simd, Tension, pack, row};
use crate::real::{Mat3, Real};
use crate::reduce::Sums;
use crate::stage::stage;
use crate::with_set;
use crate::world::World;

/// The matrix of a step.
#[derive(Debug, Default)]
pub(super) struct StepMatrix {
    /// The length of the step for which it is known [s].
    pub(super) dt: Real,
    /// Stress of displacements, with rotations fixed.
    pub(super) stresses: Vec<ResponseOfEight>,
    pub(super) tensions: Vec<Tension>,
    pub(super) preconditioner: Preconditioner,
    /// The stress of plastic strains.
    pub(super) initial: InitialStress,
}

impl StepMatrix {
    /// Rotations, and what follows from them: linear responses and the inverse blocks of the preconditioner.
    pub(super) fn set_up(&mut self, step: &StepContext<'_>, ahead: &mut Vec<[Real; 4]>) {
        stage!("rotations");
        let solids = &step.world.solids;
        let (world, dt) = (step.world, step.dt);
        self.dt = dt;
        let lead = |i: usize| law_of(world, i).map_or(0.0, |law| dt * law.rotation_lead());
        let particles = &world.particles;
        pack(ahead, solids.len(), |i| row(particles.remainder[i] + lead(i) * particles.velocity[i], 0.0));
        let places = Places { coarse: step.pairs.places(), fine: ahead, domain: &world.domain };
        let stiffness = |body: u32, law: &Law| Stepping::of(world, body, law, dt).stiffness();
        with_set!(solids.bonds.available(), |set| self.find_blocks(set, world, Some(&places), &stiffness));
        self.initial.find(world, &places, &self.preconditioner.rotations);
        self.preconditioner.start(world, stiffness);
    }

    /// The matrix of undeformed bodies, in whose steps sound crosses so many spacings, squared.
    pub(super) fn at_rest<S: Simd>(set: S, world: &World, courant_squared: Real) -> Self {
        let mut matrix = StepMatrix::default();
        let mesh = |body: u32| world.solids.meshes[body as usize].as_ref();
        let stiffness = |body: u32, _: &Law| {
            let law = world.solids.body_law(body);
            mesh(body).zip(law).map_or(0.0, |(mesh, law)| mesh.stiffness_at(law, courant_squared))
        };
        matrix.find_blocks(set, world, None, &stiffness);
        matrix.preconditioner.start(world, stiffness);
        matrix
    }

    /// Rotations, at such places or of undeformed bodies, and with s of a body and law stresses and inverse blocks.
    fn find_blocks<S: Simd>(
        &mut self,
        set: S,
        world: &World,
        places: Option<&Places<'_>>,
        stiffness: &(impl Fn(u32, &Law) -> Real + Sync),
    ) {
        let solids = &world.solids;
        self.tensions.resize(solids.len(), Tension::default());
        self.stresses.resize(solids.len().div_ceil(LANES), ResponseOfEight::default());
        let Preconditioner { rotations, inverses, .. } = &mut self.preconditioner;
        rotations.resize(solids.len(), Mat3::IDENTITY);
        inverses.resize(solids.len(), [[0.0; 4]; 3]);
        let columns = rotations.par_chunks_mut(TASK_LENGTH).zip(inverses.par_chunks_mut(TASK_LENGTH));
        let columns = columns.zip(self.stresses.par_chunks_mut(TASK_LENGTH / LANES));
        columns.enumerate().for_each(|(piece, ((rotations, inverses), stresses))| {
            set.run(
                #[inline(always)]
                || {
                    let columns = rotations.chunks_mut(LANES).zip(inverses.chunks_mut(LANES)).zip(stresses);
                    for (first, columns) in (piece * TASK_LENGTH..).step_by(LANES).zip(columns) {
                        update_eight(set, (world, places, stiffness), first, columns);
                    }
                },
            );
        });
    }

    /// The matrix times the directions of the bodies that are asked for, and their products p·A p, with s of a body and law.
    pub(super) fn multiply<S: Simd>(
        &mut self,
        set: S,
        world: &World,
        (direction, product): (&[[Real; 4]], &mut [[Real; 4]]),
        (partials, totals): (&mut Vec<[f64; 3]>, &mut [[f64; 3]]),
        (is_asked, stiffness): (impl Fn(u32) -> bool + Sync, impl Fn(u32, &Law) -> Real + Sync),
    ) {
        let World { particles, solids, .. } = world;
        let StepMatrix { stresses, tensions, preconditioner, .. } = self;
        let rotations = &preconditioner.rotations;
        let law = |i: usize| law_of(world, i).filter(|_| is_asked(particles.body[i]));
        let linearised = Linearised { solids, law, rotation: |i: usize| rotations[i] };
        linearised.tensions_of_displacements(set, stresses, direction, tensions);
        let sums = Sums { pieces: &solids.pieces, partials, totals, is_asked: &is_asked };
        sums.over(product, |range, product| {
            let Some(law) = law(range.start) else { return [0.0; 3] };
            let (control, s) = (law.control, stiffness(particles.body[range.start], law));
            set.run(
                #[inline(always)]
                || {
                    let mut curvature = [0.0; 4];
                    for (i, product) in range.clone().zip(product) {
                        if particles.clamp[i] > 0 {
                            *product = [0.0; 4];
                            continue;
                        }
                        let force =
                            force_density(&solids.bonds.near(set, i), tensions, i, solids.sites[i].lean, control);
                        let inertia = times(direction[i], particles.mass(i));
                        *product = plus(inertia, row(force, 0.0), -s * particles.rest_volume[i]);
                        curvature = plus_products(curvature, direction[i], *product);
                    }
                    [curvature[0] + curvature[1] + curvature[2], 0.0, 0.0]
                },
            )
        });
    }
}

/// Rotations, stresses and inverse blocks of eight particles, of which the last may not exist.
#[inline(always)]
fn update_eight<S: Simd>(
    set: S,
    (world, places, s): (&World, Option<&Places<'_>>, &impl Fn(u32, &Law) -> Real),
    first: usize,
    ((rotations, inverses), stress): ((&mut [Mat3], &mut [Block]), &mut ResponseOfEight),
) {
    let World { particles, solids, .. } = world;
    let last = solids.len() - 1;
    let mut indices = [last; LANES];
    (first..=last).zip(&mut indices).for_each(|(i, index)| *index = i);
    let (laws, sites) = (indices.map(|i| law_of(world, i)), indices.map(|i| &solids.sites[i]));
    let corrections = gather(set, sites.map(|site| &site.correction));
    let turned = match places {
        None => gather(set, [&Mat3::IDENTITY; LANES]),
        Some(places) => {
            let moments = indices.map(|i| solids.bonds.near(set, i).moments_of_places(places, i));
            let deformations = product(columns(set, &moments), corrections);
            match sites.iter().all(|site| site.extent == Extent::Volume) {
                true => polar_of_eight(set, deformations),
                false => {
                    let mut turned = scatter(deformations);
                    turned.iter_mut().zip(sites).for_each(|(matrix, site)| *matrix = rotation_in(*matrix, site.extent));
                    gather(set, turned.each_ref())
                }
            }
        }
    };
    *stress = ResponseOfEight::new(set, laws, sites, corrections, turned);
    let (mut mass, mut stiffness, mut is_free) = ([1.0; LANES], [0.0; LANES], [0.0; LANES]);
    for (lane, (i, law)) in indices.into_iter().zip(laws).enumerate() {
        let Some(law) = law.filter(|_| particles.clamp[i] == 0) else { continue };
        mass[lane] = particles.mass(i);
        stiffness[lane] = s(particles.body[i], law) * particles.rest_volume[i];
        is_free[lane] = 1.0;
    }
    let stiffness = Lanes::from_array(set, stiffness);
    let [mut x, mut y, mut z] = gather(set, sites.map(|site| &site.stiffness));
    [x, y, z] = [scaled(x, stiffness), scaled(y, stiffness), scaled(z, stiffness)];
    let mass = Lanes::from_array(set, mass);
    (x[0], y[1], z[2]) = (x[0] + mass, y[1] + mass, z[2] + mass);
    // The block is symmetric, and so are its cofactors.
    let [a, b, c] = cofactors([x, y, z]);
    let over = Lanes::from_array(set, is_free) / dot(x, a);
    let inverse = [scaled(a, over), scaled(b, over), scaled(c, over)];
    let inverse = product(product(turned, inverse), transposed(turned));
    let count = rotations.len();
    rotations.copy_from_slice(&scatter(turned)[..count]);
    let (x, y, z) = (rows(inverse[0]), rows(inverse[1]), rows(inverse[2]));
    for (lane, inverse) in inverses.iter_mut().enumerate() {
        *inverse = [x[lane], y[lane], z[lane]];
    }
}
