//! Implicit corotated elasticity (Peer18 3 and 4, Alg. 1 and 2): forces from positions that the step leads to.
//!
//! With rotations held fixed during a step, forces are linear in positions. A step that moves particles by Δt w solves
//!
//! ```text
//! (M + s K) w = M v* + h f(x) + …,    v* = w(n−½) + h a*
//! ```
//!
//! where a* are the accelerations by everything else, f the elastic force (see [`law`](super::law)), and s, h and what is
//! left out the scheme's ([`stepping`](super::stepping)); in that of Peer18, backward Euler, w(n−½) is v(n), s = Δt (Δt + τ)
//! with the damping τ, and h = Δt.
//! Each row is multiplied by its mass: then the matrix is symmetric and positive for any masses and volumes, several
//! bodies and materials at once. (Peer18 4.3 divides, and asks for equal masses.) It is solved without being stored, by
//! conjugate gradients, for each body on its own ([`conjugate`](super::conjugate)); K p is the force of displacements
//! p, two sums over bonds. The preconditioner is each particle's own 3×3 block, its stiffness at rest turned by its
//! rotation, and at a large acoustic Courant number a coarse mesh of the body ([`coarse`](super::coarse)). The start is
//! w(n−½) + h a(n−1): bodies at rest or in steady motion need no iteration.
//!
//! Pressures that are solved for ([`Incompressible`](crate::pressure)) come after this solve and accelerate the
//! particles in contact as if these were free (Peer18 Alg. 3, which ends there). A stiff body would be torn: what a
//! step of Δt displaces at the surface alone costs (c Δt/d)² times the kinetic energy of that motion, with the speed of
//! sound c and the spacing d, and a shorter step gives it back as speed. So the equation is solved once more with these
//! accelerations as part of a*. Then energy cannot grow: with impulses J that stop the velocities v, and the matrix A
//! of the equation, in backward Euler
//!
//! ```text
//! J·v + ½ J·A⁻¹J ≤ −J·M⁻¹J + ½ J·M⁻¹J < 0
//! ```
//!
//! and to second order ½ J·(w(n−½) + w(n+½)) ≤ 0, which is J times how much closer one is after two steps, over their length.
//!
//! The iteration ends when the mean error of velocities is below Peer18's bound (4.3), or the residual a small share of
//! the impulses that must balance. Then the momentum and angular momentum of each body that no clamp holds are restored
//! ([`conservation`](super::conservation)), which Peer18 conserves only as far as the solve is exact and strains are
//! small.

use rayon::prelude::*;

use super::coarse::STIFF_COURANT_SQUARED;
use super::conjugate::{Block, ConjugateGradients, Goal, TASK_LENGTH};
use super::conservation::Conservation;
use super::explicit::remainders;
use super::law::{Law, Scheme, Strain, Turning, Weighting};
use super::matrix::{cofactors, columns, dot, gather, product, rows, scaled, scatter, transposed};
use super::moduli::elastic_parameters;
use super::pull::{force_density, vector};
use super::rotation::{Extent, polar_of_eight, rotation_in};
use super::stepping::{ImplicitScheme, Lengths, Stepping};
use super::stiffness::{Linearised, ResponseOfEight};
use crate::force::{Force, StepContext};
use crate::neighbors::{LANES, Lanes, Pairs, Places, Simd, Tension, each_bond, pack, row};
use crate::parameters::Limits;
use crate::real::{Mat3, Real, Vec3, wide};
use crate::reduce::Sums;
use crate::stage::stage;
use crate::time::Motion;
use crate::with_set;
use crate::world::World;

elastic_parameters! {
    /// Corotated elasticity with corrected gradients, solved implicitly: stable at large steps.
    pub struct Implicit {
        /// Stiffness against displacements that leave no strain, as a share of Young's modulus [-].
        zero_energy_control: Real = 0.1, Limits::NOT_NEGATIVE;
        /// Time by which stress runs ahead of strain [s]: higher damps faster. Steps of backward Euler add half their length.
        damping: Real = 0.0, Limits::NOT_NEGATIVE;
        /// How steps are made.
        scheme: ImplicitScheme = ImplicitScheme::BackwardEuler;
        /// The iteration ends when this share of the impulses that must balance is left [-].
        tolerance: Real = 1e-3, Limits::between(0.0, 1.0);
        /// The iteration ends when velocities are wrong by this much in the mean [m/s].
        velocity_error: Real = 1e-6, Limits::NOT_NEGATIVE;
    }
}

impl Implicit {
    pub(super) fn law(&self) -> Law {
        let moduli = self.given().moduli();
        Law {
            moduli,
            strain: Strain::Linear,
            turning: Turning::Deformation,
            weighting: Weighting::Gradient,
            corrected: true,
            control: self.zero_energy_control * moduli.young(),
            damping: self.damping,
            scheme: Scheme::Implicit {
                scheme: self.scheme,
                tolerance: self.tolerance,
                velocity_error: self.velocity_error,
            },
        }
    }
}

/// The factor of the tolerance in the first solve of a body that pressure or friction accelerated in the last step:
/// they will again, and the second solve is to the full tolerance.
const FIRST_SOLVE_SLACK: f64 = 10.0;

/// Where fluid meets stiff bodies, the longest step over √(d/g). A plate under 2 m of water sinks by 7.8 mm (theory:
/// 7.3) at this value, by 9.0 mm at twice as much, and is thrown about at more (docs/elasticity.md, "Fluid on stiff
/// bodies"; S1).
const CONTACT_SHARE: Real = 0.02;

/// The forces of all bodies that are solved implicitly.
#[derive(Debug, Default)]
pub(crate) struct ImplicitElasticity {
    rotations: Vec<Mat3>,
    tensions: Vec<Tension>,
    /// From positions to those at which stress is evaluated, with the velocities of the start.
    ahead: Vec<[Real; 4]>,
    /// The velocities sought.
    velocity: Vec<[Real; 4]>,
    gradients: ConjugateGradients,
    partials: Vec<[f64; 3]>,
    totals: Vec<[f64; 3]>,
    /// a*: accelerations by everything else.
    external: Vec<Vec3>,
    /// Velocities without elasticity.
    free: Vec<Vec3>,
    /// The factor of each body's tolerance.
    slack: Vec<f64>,
    conservation: Conservation,
    iterations: u32,
}

impl Force for ImplicitElasticity {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        self.iterations = 0;
        if !step.world.solids.any(Law::is_implicit) {
            return;
        }
        let count = step.world.solids.len();
        self.external.clear();
        self.external.extend_from_slice(&acceleration[..count]);
        self.update_rotations(step);
        self.slack.clear();
        let was_in_contact = |added_mass: &Real| *added_mass > 1.0;
        let bodies = step.world.memory.added_mass.iter();
        self.slack.extend(bodies.map(|added_mass| if was_in_contact(added_mass) { FIRST_SOLVE_SLACK } else { 1.0 }));
        self.find_velocities(step, &[]);
        self.write_accelerations(step, acceleration);
    }

    fn answer(&mut self, step: &StepContext<'_>, surface_acceleration: &[Vec3], acceleration: &mut [Vec3]) {
        let is_solved = self.slack.iter().all(|&slack| slack == 1.0);
        let is_in_contact = surface_acceleration.iter().any(|&added| added != Vec3::ZERO);
        if !step.world.solids.any(Law::is_implicit) || (is_solved && !is_in_contact) {
            return;
        }
        self.slack.fill(1.0);
        self.find_velocities(step, surface_acceleration);
        self.write_accelerations(step, acceleration);
    }

    /// Fluid on a stiff body: pressures know its response as one added-mass factor for all of its surface, and correct
    /// in the next step what that gets wrong. In longer steps the error grows.
    fn longest_step(&self, world: &World, _pairs: &Pairs, _sound_speed: Real) -> Option<Real> {
        let is_wet = !world.kinds.flowing().is_empty() && world.gravity != Vec3::ZERO;
        let dt = CONTACT_SHARE * (world.spacing / world.gravity.length()).sqrt();
        (is_wet && (0..world.materials.len()).any(|material| is_stiff(world, material, dt))).then_some(dt)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }
}

/// Is the acoustic Courant number of an implicit material above that of stiff bodies, in a step of `dt`?
fn is_stiff(world: &World, material: usize, dt: Real) -> bool {
    let law = world.solids.law(material as u32).filter(|law| law.is_implicit());
    law.is_some_and(|law| {
        let inertia = world.materials[material].density * world.spacing * world.spacing;
        (law.moduli.lambda + 2.0 * law.moduli.mu) * dt * (dt + law.damping) > STIFF_COURANT_SQUARED * inertia
    })
}

/// The law of particle `i`, if it is solved implicitly.
#[inline(always)]
fn law_of(world: &World, i: usize) -> Option<&Law> {
    world.solids.law(world.particles.material[i]).filter(|law| law.is_implicit())
}

/// The same, if no clamp holds the particle.
#[inline(always)]
fn free_law_of(world: &World, i: usize) -> Option<&Law> {
    law_of(world, i).filter(|_| world.particles.clamp[i] == 0)
}

/// The last step: which velocities moved bodies in it?
fn last_motion(world: &World) -> Motion {
    world.motion(world.clock.last_dt)
}

/// Rotations, responses and inverse blocks of eight particles, of which the last may not exist.
#[inline(always)]
fn update_eight<S: Simd>(
    set: S,
    (step, places): (&StepContext<'_>, &Places<'_>),
    first: usize,
    ((rotations, inverses), response): ((&mut [Mat3], &mut [Block]), &mut ResponseOfEight),
) {
    let (World { particles, solids, .. }, lengths) = (step.world, Lengths::of(step.world, step.dt));
    let last = solids.len() - 1;
    let mut indices = [last; LANES];
    (first..=last).zip(&mut indices).for_each(|(i, index)| *index = i);
    let (laws, sites) = (indices.map(|i| law_of(step.world, i)), indices.map(|i| &solids.sites[i]));
    let mut moments = [Tension::default(); LANES];
    for (i, moment) in indices.into_iter().zip(&mut moments) {
        *moment = solids.bonds.near(set, i).moments_of_places(places, i);
    }
    let corrections = gather(set, sites.map(|site| &site.correction));
    let deformations = product(columns(set, &moments), corrections);
    let turned = match sites.iter().all(|site| site.extent == Extent::Volume) {
        true => polar_of_eight(set, deformations),
        false => {
            let mut turned = scatter(deformations);
            turned.iter_mut().zip(sites).for_each(|(matrix, site)| *matrix = rotation_in(*matrix, site.extent));
            gather(set, turned.each_ref())
        }
    };
    *response = ResponseOfEight::new(set, laws, sites, corrections, turned);
    let (mut mass, mut stiffness, mut is_free) = ([1.0; LANES], [0.0; LANES], [0.0; LANES]);
    for (lane, (i, law)) in indices.into_iter().zip(laws).enumerate() {
        let Some(law) = law.filter(|_| particles.clamp[i] == 0) else { continue };
        mass[lane] = particles.mass(i);
        stiffness[lane] = Stepping::of(law, &lengths).stiffness * particles.rest_volume[i];
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

impl ImplicitElasticity {
    /// Solves for the velocities that move bodies, which pressure and friction accelerate at their surface, if there are any.
    fn find_velocities(&mut self, step: &StepContext<'_>, surface_acceleration: &[Vec3]) {
        self.find_free_velocities(step, surface_acceleration);
        self.set_initial_guess(step);
        self.first_residual(step);
        self.set_goals(step);
        let Self { gradients, rotations, tensions, free, velocity, conservation, .. } = self;
        self.iterations += gradients.solve(step, rotations, tensions, velocity);
        conservation.restore_momentum(step.world, |i| free[i], velocity);
    }

    /// The velocities that would move particles if nothing bonded them.
    fn find_free_velocities(&mut self, step: &StepContext<'_>, surface_acceleration: &[Vec3]) {
        let Self { free, external, .. } = self;
        let (lead, last) = (step.world.motion(step.dt).lead(step.world), last_motion(step.world));
        let lengths = Lengths::of(step.world, step.dt);
        free.resize(external.len(), Vec3::ZERO);
        free.par_iter_mut().with_min_len(TASK_LENGTH).enumerate().for_each(|(i, free)| {
            let pushed = surface_acceleration.get(i).map_or(Vec3::ZERO, |&acceleration| lead * acceleration);
            let stepping = law_of(step.world, i).map_or(0.0, |law| Stepping::of(law, &lengths).lead);
            *free = last.moved(step.world, i) + stepping * external[i] + pushed;
        });
    }

    /// Writes the accelerations that lead to the velocities found.
    fn write_accelerations(&self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let motion = step.world.motion(step.dt);
        let columns = (&mut acceleration[..self.velocity.len()], &self.velocity);
        columns.into_par_iter().with_min_len(TASK_LENGTH).enumerate().for_each(|(i, (acceleration, velocity))| {
            if law_of(step.world, i).is_some() {
                *acceleration =
                    (vector(*velocity) - motion.velocity(step.world, i, Vec3::ZERO)) / motion.lead(step.world);
            }
        });
    }

    /// The velocities to start from: those that the accelerations of the last step lead to, in a repeated solve too. To
    /// accelerate the surface alone would be far from how a stiff body moves.
    fn set_initial_guess(&mut self, step: &StepContext<'_>) {
        let (world, before, lengths) = (step.world, last_motion(step.world), Lengths::of(step.world, step.dt));
        let World { particles, solids, .. } = world;
        let guess = |i: usize| match law_of(world, i) {
            // What a clamp holds has the velocity and acceleration of its path.
            Some(law) if particles.clamp[i] == 0 => {
                before.moved(world, i) + Stepping::of(law, &lengths).lead * particles.acceleration[i]
            }
            Some(law) if !law.is_backward() => particles.velocity[i] + 0.5 * step.dt * particles.acceleration[i],
            _ => particles.velocity[i],
        };
        pack(&mut self.velocity, solids.len(), |i| row(guess(i), 0.0));
        let velocity = &self.velocity;
        let ahead = |i: usize| {
            let last = particles.acceleration[i];
            let way = |law: &Law| Stepping::of(law, &lengths).ahead(vector(velocity[i]), before.moved(world, i), last);
            law_of(world, i).map_or(Vec3::ZERO, way)
        };
        pack(&mut self.ahead, solids.len(), |i| row(particles.remainder[i] + ahead(i), 0.0));
    }

    /// Rotations, and what follows from them: linear responses and the inverse blocks of the preconditioner.
    fn update_rotations(&mut self, step: &StepContext<'_>) {
        stage!("rotations");
        let solids = &step.world.solids;
        self.rotations.resize(solids.len(), Mat3::IDENTITY);
        self.gradients.inverses.resize(solids.len(), [[0.0; 4]; 3]);
        self.gradients.responses.resize(solids.len().div_ceil(LANES), ResponseOfEight::default());
        with_set!(solids.bonds.available(), |set| self.update_rotations_with(set, step));
    }

    fn update_rotations_with<S: Simd>(&mut self, set: S, step: &StepContext<'_>) {
        let places = remainders(step.world, step.pairs, &mut self.ahead);
        let (rotations, inverses) = (&mut self.rotations, &mut self.gradients.inverses);
        let columns = rotations.par_chunks_mut(TASK_LENGTH).zip(inverses.par_chunks_mut(TASK_LENGTH));
        let columns = columns.zip(self.gradients.responses.par_chunks_mut(TASK_LENGTH / LANES));
        columns.enumerate().for_each(|(piece, ((rotations, inverses), responses))| {
            set.run(
                #[inline(always)]
                || {
                    let columns = rotations.chunks_mut(LANES).zip(inverses.chunks_mut(LANES)).zip(responses);
                    for (first, columns) in (piece * TASK_LENGTH..).step_by(LANES).zip(columns) {
                        update_eight(set, (step, &places), first, columns);
                    }
                },
            );
        });
    }

    /// The residual of the initial guess: r = M (v* − w) + h f(y).
    fn first_residual(&mut self, step: &StepContext<'_>) {
        stage!("elastic start");
        let (world, lengths) = (step.world, Lengths::of(step.world, step.dt));
        let World { particles, solids, domain, .. } = world;
        self.tensions.resize(solids.len(), Tension::default());
        self.gradients.residual.resize(solids.len(), [0.0; 4]);
        let Self { ahead, rotations, velocity, tensions, gradients, free, .. } = self;
        let linearised = Linearised { solids, law: |i: usize| law_of(world, i), rotation: |i: usize| rotations[i] };
        let places = Places { coarse: step.pairs.places(), fine: ahead, domain };
        with_set!(solids.bonds.available(), |set| {
            linearised.tensions_of_places(set, &gradients.responses, &places, tensions);
        });
        each_bond!(&solids.bonds, &mut gradients.residual, |i, near, residual| {
            *residual = free_law_of(world, i).map_or([0.0; 4], |law| {
                let force = force_density(near, tensions, i, solids.sites[i].lean, law.control);
                let missing = free[i] - vector(velocity[i]);
                let impulse = Stepping::of(law, &lengths).impulse(force);
                row(missing * particles.mass(i) + impulse * particles.rest_volume[i], 0.0)
            });
        });
    }

    /// Bounds of the residuals, relative to the impulses that must balance: external, or elastic where these are larger.
    fn set_goals(&mut self, step: &StepContext<'_>) {
        let World { particles, solids, .. } = step.world;
        let last = last_motion(step.world);
        let Self { velocity, gradients, free, slack, partials, totals, .. } = self;
        totals.resize(solids.slots(), [0.0; 3]);
        let is_implicit = |body: u32| solids.body_law(body).is_some_and(Law::is_implicit);
        Sums { pieces: &solids.pieces, partials, totals, is_asked: is_implicit }.of(|i| {
            if particles.clamp[i] > 0 {
                return [0.0; 3];
            }
            let mass = f64::from(particles.mass(i));
            let missing = wide(free[i] - vector(velocity[i]));
            let external = wide(free[i] - last.moved(step.world, i));
            let elastic = wide(vector(gradients.residual[i])) / mass - missing;
            [mass * external.length_squared(), mass * elastic.length_squared(), 1.0]
        });
        let goal = |((body, slack), [outer, inner, free]): ((u32, &f64), &[f64; 3])| match solids.body_law(body)?.scheme
        {
            Scheme::Explicit => None,
            Scheme::Implicit { tolerance, velocity_error, .. } => Some(Goal {
                square: (slack * f64::from(tolerance)).powi(2) * outer.max(*inner),
                sum: f64::from(velocity_error) * free,
            }),
        };
        gradients.goals.clear();
        gradients.goals.extend((0..).zip(&*slack).zip(&*totals).map(goal));
    }
}
