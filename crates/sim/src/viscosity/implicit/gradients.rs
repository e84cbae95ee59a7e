//! Conjugate gradients for velocities under friction, bodies included.
//!
//! ```text
//! z = D⁻¹ r of fluids, B r of bodies;    p ← z + β p,  q ← r + β q;    A p = M p + s K p of fluids, q + s K p of bodies
//! ```
//!
//! B is how bodies respond to impulses ([`response`](crate::response)), symmetric and positive; the matrix has B⁻¹ in the place of
//! their mass, and its product with a direction p = B q is q, so that B is never inverted.

use rayon::prelude::*;

use super::system::{System, vector};
use crate::neighbors::Pairs;
use crate::real::{Real, Vec3};
use crate::reduce::{self, Sum};
use crate::response::BodyResponse;
use crate::stage::stage;
use crate::world::World;

/// No solve takes more iterations.
const MOST_ITERATIONS: u32 = 200;

/// Particles per task of parallel work.
const TASK_LENGTH: usize = 4096;

/// What is known of the velocity of a particle.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// u and w.
    free: Vec3,
    velocity: Vec3,
    residual: Vec3,
    /// z.
    preconditioned: Vec3,
}

/// Memory for a solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Gradients {
    rows: Vec<Row>,
    /// Directions of all particles, with their fluidities.
    direction: Vec<[Real; 4]>,
    /// q.
    carried: Vec<Vec3>,
    product: Vec<Vec3>,
    answer: Vec<Vec3>,
    partials: Vec<[f64; 3]>,
}

impl Gradients {
    /// Of velocities without friction, those of the start and their residuals.
    pub(super) fn start(&mut self, world: &World, row: impl Fn(usize) -> [Vec3; 3] + Sync) {
        let count = world.kinds.matter().len();
        self.rows.resize(count, Row::default());
        self.product.resize(count, Vec3::ZERO);
        self.answer.resize(world.kinds.coherent().len(), Vec3::ZERO);
        self.carried.clear();
        self.carried.resize(world.kinds.coherent().len(), Vec3::ZERO);
        self.rows.par_iter_mut().with_min_len(TASK_LENGTH).enumerate().for_each(|(i, out)| {
            let [free, velocity, residual] = row(i);
            *out = Row { free, velocity, residual, preconditioned: Vec3::ZERO };
        });
    }

    /// The velocity of particle `i`.
    pub(super) fn velocity(&self, i: usize) -> Vec3 {
        self.rows[i].velocity
    }

    /// Changes velocities until Σ |r|²/m is no more than `goal`, or such a share of Σ m |w − u|²; returns the number of iterations.
    pub(super) fn solve(
        &mut self,
        (world, pairs): (&World, &Pairs),
        system: &System,
        response: &mut dyn BodyResponse,
        (goal, share): (f64, f64),
    ) -> u32 {
        stage!("viscous solve");
        self.direction.clear();
        self.direction.extend((0..world.particles.len()).map(|i| system.row(i, Vec3::ZERO)));
        let (mut length, mut last) = (0.0, f64::INFINITY);
        for iterations in 0..MOST_ITERATIONS {
            let [product, square, given] = self.advance(world, system, response, length);
            let is_above = square > goal.max(share * given);
            if !is_above {
                return iterations;
            }
            self.turn((product / last) as Real);
            last = product;
            system.multiply((world, pairs), &self.direction, &mut self.product);
            let curvature = self.curvature(world);
            // The matrix is positive definite: this ends what is not finite.
            let is_positive = curvature > 0.0;
            if !is_positive {
                return iterations;
            }
            length = (product / curvature) as Real;
        }
        MOST_ITERATIONS
    }

    /// w += α p, r −= α A p, and z; returns r·z, Σ |r|²/m with r·z for those in bodies, and Σ m |w − u|² of others.
    fn advance(&mut self, world: &World, system: &System, response: &mut dyn BodyResponse, length: Real) -> [f64; 3] {
        let (particles, coherent, solid) = (&world.particles, world.kinds.coherent(), world.kinds.solid());
        let Self { rows, direction, product, partials, answer, .. } = self;
        let [of_alone, squares, given] = reduce::sum_while_writing(rows, partials, |first, rows| {
            let mut sums = [0.0; 3];
            for (i, row) in (first..).zip(rows) {
                row.velocity += vector(direction[i]) * length;
                row.residual -= product[i] * length;
                if !coherent.contains(&i) {
                    let inverse_mass = 1.0 / particles.mass(i);
                    row.preconditioned = match solid.contains(&i) && world.mobility(i) == 0.0 {
                        true => Vec3::ZERO,
                        false => system.precondition(i, inverse_mass, row.residual),
                    };
                    let square = f64::from(row.residual.length_squared() * inverse_mass);
                    let given = f64::from((row.velocity - row.free).length_squared() * particles.mass(i));
                    sums = sums.plus([f64::from(row.residual.dot(row.preconditioned)), square, given]);
                }
            }
            sums
        });
        if coherent.is_empty() {
            return [of_alone, squares, given];
        }
        for (i, answer) in coherent.clone().zip(&mut *answer) {
            let is_held = world.mobility(i) == 0.0;
            *answer = if is_held { Vec3::ZERO } else { rows[i].residual / particles.mass(i) };
        }
        if answer.iter().any(|answer| *answer != Vec3::ZERO) {
            response.respond(world, answer);
        }
        let mut of_bodies = 0.0;
        for (i, answer) in coherent.zip(&*answer) {
            rows[i].preconditioned = if world.mobility(i) == 0.0 { Vec3::ZERO } else { *answer };
            of_bodies += f64::from(rows[i].residual.dot(rows[i].preconditioned));
        }
        [of_alone + of_bodies, squares + of_bodies, given]
    }

    /// p ← z + β p, q ← r + β q.
    fn turn(&mut self, share: Real) {
        let Self { rows, direction, carried, .. } = self;
        let columns = (&mut direction[..rows.len()], &rows[..]).into_par_iter().with_min_len(TASK_LENGTH);
        columns.for_each(|(direction, row)| {
            let z = row.preconditioned;
            direction[0] = z.x + share * direction[0];
            direction[1] = z.y + share * direction[1];
            direction[2] = z.z + share * direction[2];
        });
        carried.iter_mut().zip(rows).for_each(|(carried, row)| *carried = row.residual + share * *carried);
    }

    /// Completes A p; returns p·A p.
    fn curvature(&mut self, world: &World) -> f64 {
        let (particles, coherent) = (&world.particles, world.kinds.coherent());
        let Self { direction, carried, product, partials, .. } = self;
        let [curvature, ..] = reduce::sum_while_writing(product, partials, |first, product| {
            let mut sum = 0.0;
            for (i, product) in (first..).zip(product) {
                let p = vector(direction[i]);
                *product += if coherent.contains(&i) { carried[i] } else { p * particles.mass(i) };
                sum += f64::from(p.dot(*product));
            }
            [sum, 0.0, 0.0]
        });
        curvature
    }
}
