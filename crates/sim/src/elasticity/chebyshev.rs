//! Response of implicit bodies to impulses: a Chebyshev polynomial of the matrix of the step.
//!
//! With the matrix A = M + s K of the step and its preconditioner B ([`preconditioner`](super::preconditioner)), a body is said
//! to answer impulses J by
//!
//! ```text
//! Â⁻¹ J = t p(B A) B J,    λ p(λ) = 1 − T_m((θ − λ)/δ)/T_m(θ/δ),    θ, δ = ½ (b ± a)
//! ```
//!
//! where [a, b] contains the eigenvalues of B A. This is m iterations of Chebyshev's method from nothing (Saad 2003, Alg. 12.1), and
//! as m and t do not depend on J, Â⁻¹ is a matrix: symmetric and positive, as conjugate gradients for pressures ask of it. Of
//! what a body does it gives the shares t (1 ± ε) at most, ε = 1/T_m(θ/δ). t makes the least of them ¾, and m is the
//! smallest with which the largest is no more than 3 ([`coupling`](crate::coupling) says why): one or two where sound crosses a
//! spacing in a step, three to six in stiffer bodies.
//!
//! **Range of eigenvalues.** It is found for each undeformed body by a Lanczos process ([`spectrum`](super::spectrum)), in a step in
//! which sound crosses many spacings: ragged and thin parts, which the mesh takes for softer than they are, have eigenvalues
//! of five where blocks have three, and of fifty in matter that is hardly compressible. No formula for all bodies tells these, and
//! beyond b the polynomial grows without bound and is not positive: pressures of a body for which b was too small gave it
//! eighty times its energy. With the outermost eigenvalues l and u so found, and where sound crosses C spacings in a step,
//!
//! ```text
//! a = 1 − (1 − 0.8 l) C'²,    b = 1.15 (1 + (u − 1) C'² + 1 − C'²),    C'² = 1.3 C²/(1 + 1.3 C²)
//! ```
//!
//! as the mesh adds 1 also to what has no stiffness; without the mesh (at C < ½) the last 1 − C'² is not there. The margins are
//! for what Lanczos leaves, and for deformed bodies. Bodies without a mesh (sheets, rods, less than eight particles), or whose mesh
//! does not know all their parts, are answered for by M⁻¹, which is never too little.

use rayon::prelude::*;

use super::conjugate::TASK_LENGTH;
use super::implicit::{free_law_of, law_of};
use super::law::Law;
use super::pull::vector;
use super::spectrum::find_eigenvalues;
use super::step_matrix::StepMatrix;
use super::stepping::Stepping;
use super::vectors::{plus, times};
use crate::neighbors::{Simd, pack, row};
use crate::real::{Real, Vec3};
use crate::reduce::Sums;
use crate::response::BodyResponse;
use crate::stage::stage;
use crate::with_set;
use crate::world::World;

/// The least share of what a body does by which it is said to answer, and the largest.
const SHARES: [f64; 2] = [0.75, 3.0];

/// No polynomial has a higher degree.
const MOST_DEGREE: u32 = 16;

/// By how much the range of eigenvalues goes beyond what was found.
const LEAST_MARGIN: f64 = 0.8;
const MOST_MARGIN: f64 = 1.15;

/// How much further than its block says a particle moves that is pushed alone: its neighbours give way.
const SOFTENING: Real = 3.0;

/// The square of the acoustic Courant number below which the mesh of a body does not help.
const LEAST_COURANT_SQUARED: f64 = 0.25;

/// That above which A is taken to be no stiffer in the polynomial: s K of a body that moves as a whole is zero but for rounding, of
/// which there would be more than there is mass. B knows how stiff it is.
const MOST_COURANT_SQUARED: Real = 1e6;

/// How a body answers.
#[derive(Clone, Copy, Debug, Default)]
struct Polynomial {
    /// θ, δ and t.
    middle: f64,
    half_width: f64,
    scale: Real,
    degree: u32,
    uses_mesh: bool,
    /// The share of its mobility that a particle has in a body that is pushed as a whole.
    whole: Real,
    /// ρ of the recurrence d ← ρ ρ' d + 2 ρ/δ B r, and both its factors.
    rho: f64,
    of_last: Real,
    of_residual: Real,
}

impl Polynomial {
    /// For such a body in a step whose matrix is M + s K, if its eigenvalues are known.
    fn of(world: &World, body: usize, s: Real) -> Option<Self> {
        let law = world.solids.body_law(body as u32).filter(|law| law.is_implicit())?;
        let mesh = world.solids.meshes[body].as_ref()?;
        let courant_squared = f64::from(mesh.courant_squared(law, s));
        let uses_mesh = courant_squared > LEAST_COURANT_SQUARED;
        let stiff = 1.3 * courant_squared / (1.0 + 1.3 * courant_squared);
        let [least, most] = (*mesh.eigenvalues.get()?)?;
        let moved_by_mesh = if uses_mesh { 1.0 - stiff } else { 0.0 };
        let least = 1.0 - (1.0 - LEAST_MARGIN * least) * stiff;
        let most = MOST_MARGIN * (1.0 + (most - 1.0) * stiff + moved_by_mesh);
        Some(Polynomial {
            uses_mesh,
            whole: (world.bodies[body].particles.max(1) as Real).powf(-2.0 / 3.0),
            ..Polynomial::between(least, most)
        })
    }

    /// The polynomial of lowest degree for such a range of eigenvalues.
    fn between(least: f64, most: f64) -> Self {
        let (middle, half_width) = (0.5 * (most + least), 0.5 * (most - least));
        let mut found = Polynomial { middle, half_width, ..Polynomial::default() };
        for degree in 1..=MOST_DEGREE {
            let error = 1.0 / (f64::from(degree) * (middle / half_width).acosh()).cosh();
            let scale = (SHARES[0] / (1.0 - error)).max(1.0);
            (found.degree, found.scale) = (degree, scale as Real);
            if scale * (1.0 + error) <= SHARES[1] {
                break;
            }
        }
        found
    }

    fn start(&mut self) {
        (self.rho, self.of_last) = (self.half_width / self.middle, 0.0);
        self.of_residual = (1.0 / self.middle) as Real;
    }

    fn advance(&mut self) {
        let rho = 1.0 / (2.0 * self.middle / self.half_width - self.rho);
        (self.of_last, self.of_residual) = ((rho * self.rho) as Real, (2.0 * rho / self.half_width) as Real);
        self.rho = rho;
    }
}

/// Memory for responses.
#[derive(Debug, Default)]
pub(super) struct Responses {
    /// Of each body; none where it is not known.
    polynomials: Vec<Option<Polynomial>>,
    /// How many particles of each body are pushed.
    pushed: Vec<[f64; 3]>,
    residual: Vec<[Real; 4]>,
    direction: Vec<[Real; 4]>,
    product: Vec<[Real; 4]>,
    answer: Vec<[Real; 4]>,
    partials: Vec<[f64; 3]>,
    totals: Vec<[f64; 3]>,
}

impl Responses {
    /// For a step with such a matrix.
    pub(super) fn set_up(&mut self, world: &World, matrix: &StepMatrix) {
        find_eigenvalues(world);
        let (count, slots) = (world.solids.len(), world.solids.slots());
        self.polynomials.clear();
        let polynomial = |body: usize| Polynomial::of(world, body, matrix.preconditioner.stiffness(body));
        self.polynomials.extend((0..slots).map(polynomial));
        let Self { residual, direction, product, answer, .. } = self;
        for column in [residual, direction, product, answer] {
            column.resize(count, [0.0; 4]);
        }
        self.totals.resize(slots, [0.0; 3]);
        self.pushed.resize(slots, [0.0; 3]);
    }

    /// The polynomial of the body of particle `i`.
    #[inline(always)]
    fn polynomial(&self, world: &World, i: usize) -> Option<&Polynomial> {
        self.polynomials.get(world.particles.body[i] as usize)?.as_ref()
    }

    /// Finds the answers to the impulses in `residual`.
    fn answer<S: Simd>(&mut self, set: S, world: &World, matrix: &mut StepMatrix) {
        let Self { polynomials, pushed, residual, direction, product, answer, partials, totals } = self;
        let body = &world.particles.body;
        direction.fill([0.0; 4]);
        answer.fill([0.0; 4]);
        polynomials.iter_mut().zip(&*pushed).for_each(|(polynomial, [pushed, ..])| match polynomial {
            Some(polynomial) if *pushed > 0.0 => polynomial.start(),
            _ => *polynomial = polynomial.map(|polynomial| Polynomial { rho: 0.0, ..polynomial }),
        });
        // Those that are not pushed have no ρ.
        let degree = |polynomial: &Option<Polynomial>| polynomial.filter(|p| p.rho > 0.0).map_or(0, |p| p.degree);
        let most = polynomials.iter().map(degree).max().unwrap_or(0);
        for k in 0..most {
            let at = |body: usize| polynomials[body].filter(|_| k < degree(&polynomials[body]));
            matrix.preconditioner.solve_meshes(world, residual, |body| at(body).is_some());
            let (preconditioner, columns) = (&matrix.preconditioner, (&mut direction[..], &mut answer[..]));
            columns.into_par_iter().with_min_len(TASK_LENGTH).enumerate().for_each(|(i, (direction, answer))| {
                if let Some(polynomial) = at(body[i] as usize) {
                    let z = preconditioner.of(world, residual, i);
                    *direction = plus(times(*direction, polynomial.of_last), z, polynomial.of_residual);
                    *answer = plus(*answer, *direction, 1.0);
                }
            });
            let goes_on = |body: u32| k + 1 < degree(&polynomials[body as usize]);
            if k + 1 < most {
                let columns = (&direction[..], &mut product[..]);
                let dt = matrix.dt;
                let stiffness = |body: u32, law: &Law| {
                    let most = world.solids.meshes[body as usize].as_ref();
                    let most = most.map_or(Real::MAX, |mesh| mesh.stiffness_at(law, MOST_COURANT_SQUARED));
                    Stepping::of(world, body, law, dt).stiffness().min(most)
                };
                matrix.multiply(set, world, columns, (partials, totals), (goes_on, stiffness));
                let columns = (&mut residual[..], &product[..]).into_par_iter().with_min_len(TASK_LENGTH);
                columns.enumerate().filter(|(i, _)| goes_on(body[*i])).for_each(|(_, (residual, product))| {
                    *residual = plus(*residual, *product, -1.0);
                });
            }
            polynomials.iter_mut().flatten().filter(|polynomial| polynomial.rho > 0.0).for_each(Polynomial::advance);
        }
    }
}

/// How implicit bodies respond in a step.
pub(crate) struct Response<'a> {
    pub(super) matrix: &'a mut StepMatrix,
    pub(super) responses: &'a mut Responses,
}

impl BodyResponse for Response<'_> {
    fn respond(&mut self, world: &World, acceleration: &mut [Vec3]) {
        let World { particles, solids, .. } = world;
        if !solids.any(Law::is_implicit) {
            return;
        }
        stage!("response");
        let Self { matrix, responses } = self;
        let own = |i: usize| free_law_of(world, i).map_or(Vec3::ZERO, |_| acceleration[i] * particles.mass(i));
        pack(&mut responses.residual, solids.len(), |i| row(own(i), 0.0));
        let Responses { polynomials, residual, partials, pushed, .. } = &mut **responses;
        let is_asked = |body: u32| polynomials[body as usize].is_some();
        let is_pushed = |i: usize| if residual[i] == [0.0; 4] { 0.0 } else { 1.0 };
        Sums { pieces: &solids.pieces, partials, totals: pushed, is_asked }.of(|i| [is_pushed(i), 0.0, 0.0]);
        matrix.preconditioner.set_up_meshes(world, |body, _| {
            pushed[body][0] > 0.0 && polynomials[body].is_some_and(|polynomial| polynomial.uses_mesh)
        });
        with_set!(solids.bonds.available(), |set| responses.answer(set, world, matrix));
        let responses = &**responses;
        acceleration[..solids.len()].par_iter_mut().with_min_len(TASK_LENGTH).enumerate().for_each(|(i, a)| {
            // What moves takes up the share θ of an impulse in its step.
            if law_of(world, i).is_some() {
                let body = responses.polynomial(world, i);
                *a = body.map_or(*a, |polynomial| vector(responses.answer[i]) * polynomial.scale);
                *a *= world.implicitness(i);
            }
        });
    }

    fn share(&self, world: &World, i: usize) -> Real {
        let theta = world.implicitness(i);
        let Some(polynomial) = self.responses.polynomial(world, i) else { return theta };
        let block = &self.matrix.preconditioner.inverses[i];
        let alone = (block[0][0] + block[1][1] + block[2][2]) / 3.0 * world.particles.mass(i);
        // Particles are seldom pushed alone. Were all of them as stiff as their blocks, steps of a solve for pressures, which
        // starts by this diagonal, would be a thousand times too long on a stiff body that gives way.
        theta * (polynomial.whole + 1.0 / (1.0 + (1.0 / alone.max(Real::MIN_POSITIVE) - 1.0) / SOFTENING))
    }
}
