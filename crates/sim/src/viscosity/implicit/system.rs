//! The matrix of friction in a step, A = M + s K, and its approximate inverse.
//!
//! ```text
//! (K v)_i = V_i Σ_j μ_ij V_j ω_ij (x_ij·(v_i − v_j)) x_ij/r² + V_i Σ_b μ_i V_b ω_ib (x_ib·stretched (v_i − v_b)) x_ib/r²
//! μ_ij = 2/(1/μ_i + 1/μ_j)
//! ```
//!
//! With the harmonic mean the stress is the same on both sides of a surface between two fluids. Solids do not shear, as if their
//! viscosity were infinite: a fluid meets them with 2 μ, as the distance to their surface is half of that to their
//! particles. Fluids whose friction is not solved for have none here. The preconditioner of fluids is each particle's own
//! block, d × d; that of bodies is how they respond.

use super::super::walls;
use super::weight::PairWeight;
use crate::kernel::Kernel;
use crate::neighbors::{Block, Lanes, Near, Pairs, Setting, Simd, VecLanes, Who, row};
use crate::real::{Mat3, Real, Vec3};
use crate::stage::stage;
use crate::world::World;
use crate::{each, exchange, sum};

/// What the matrix has of one particle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Site {
    /// K v with the velocities of the start, reversed: the force on it [N].
    pub(super) force: Vec3,
    /// V_i Σ_b, a symmetric matrix: its diagonal, and xy, xz, yz.
    walls: [Vec3; 2],
    /// The inverse of its block, times its mass, and the sum of the diagonal of the block without mass, over its mass.
    inverse: Mat3,
    stiffness: Real,
}

/// The matrix of a step.
#[derive(Clone, Debug)]
pub(super) struct System {
    weight: PairWeight,
    kernel: Kernel,
    /// s [s].
    lead: Real,
    /// 1/μ of fluids, infinite where friction is not solved for; 0 of solids; of walls 1 where they hold the fluid, else 0.
    pub(super) fluidity: Vec<Real>,
    pub(super) sites: Vec<Site>,
    walls_hold: bool,
}

/// μ_ij V_j ω_ij/r² of a particle with such a fluidity and neighbours with `other`s.
#[inline(always)]
fn coefficient<S: Simd, K: Setting>(
    weight: PairWeight,
    j: &Block<'_, S, K>,
    slope: Lanes<S>,
    own: Real,
    other: Lanes<S>,
) -> Lanes<S> {
    let sum = other + own;
    // Nothing acts between two solids.
    (weight.of(j, slope, sum) * j.volume() * 2.0).where_positive(sum, j.splat(0.0))
}

impl System {
    pub(super) fn new(kernel: &Kernel, spacing: Real) -> Self {
        System {
            weight: PairWeight::new(kernel, spacing),
            kernel: *kernel,
            lead: 0.0,
            fluidity: Vec::new(),
            sites: Vec::new(),
            walls_hold: false,
        }
    }

    /// A row of a packed column of the matrix: a vector of particle `i`.
    #[inline(always)]
    pub(super) fn row(&self, i: usize, vector: Vec3) -> [Real; 4] {
        row(vector, self.fluidity[i])
    }

    /// The matrix with this s, and the forces of the velocities in `moving`, of which walls have their own; fluidities are known.
    pub(super) fn set_up(&mut self, (world, pairs): (&World, &Pairs), lead: Real, moving: &[[Real; 4]]) {
        stage!("viscous start");
        self.lead = lead;
        self.walls_hold = walls::any_holds(world);
        self.sites.resize(world.kinds.matter().len(), Site::default());
        let mut sites = std::mem::take(&mut self.sites);
        let (this, particles, flowing) = (&*self, &world.particles, world.kinds.flowing());
        each!(pairs, Who::Matter, &mut sites, |i, near, site| {
            let (own, home) = (this.fluidity[i], vector(moving[i]));
            *site = Site { inverse: Mat3::IDENTITY, ..Site::default() };
            if own == Real::INFINITY {
                return;
            }
            let (pull, [diagonal, beside]) = this.of_matter(near, (own, home), moving);
            let (mut force, mut walls) = (pull, [Vec3::ZERO; 2]);
            if own > 0.0 && this.walls_hold {
                let (pull, of_walls) = this.of_walls(near, (own, home), moving, &particles.to_surface);
                (force, walls) = (force + pull, of_walls);
            }
            let volume = particles.rest_volume[i];
            site.force = force * volume;
            site.walls = walls.map(|part| part * volume);
            if flowing.contains(&i) {
                let scale = lead * volume / particles.mass(i);
                let [d, b] = [(diagonal + walls[0]) * scale, (beside + walls[1]) * scale];
                site.stiffness = d.element_sum();
                let block = Mat3::from_cols(
                    Vec3::new(1.0 + d.x, b.x, b.y),
                    Vec3::new(b.x, 1.0 + d.y, b.z),
                    Vec3::new(b.y, b.z, 1.0 + d.z),
                );
                site.inverse = block.inverse();
            }
        });
        self.sites = sites;
    }

    /// Σ_j over matter: what pulls, and the block of the particle.
    #[inline(always)]
    fn of_matter<S: Simd, K: Setting>(
        &self,
        near: &Near<'_, S, K>,
        (own, home): (Real, Vec3),
        moving: &[[Real; 4]],
    ) -> (Vec3, [Vec3; 2]) {
        let (pull, (diagonal, beside)) = exchange!(near.matter(), |j, slope| {
            let (velocity, other) = j.get_packed(moving);
            let c = coefficient(self.weight, j, slope, own, other);
            let x = j.x_ij();
            (x * (c * (velocity - j.splat_vec(home)).dot(x)), squares(x, c))
        });
        (pull, [diagonal, beside])
    }

    /// Σ_b over walls.
    #[inline(always)]
    fn of_walls<S: Simd, K: Setting>(
        &self,
        near: &Near<'_, S, K>,
        (own, home): (Real, Vec3),
        moving: &[[Real; 4]],
        to_surface: &[Vec3],
    ) -> (Vec3, [Vec3; 2]) {
        let (pull, (diagonal, beside)) = sum!(near.walls(), |b| {
            let (velocity, holds) = b.get_packed(moving);
            let stretch = walls::stretch(b.x_ij(), b.get_vec(to_surface));
            let slope = self.kernel.slope_over_r(b.r());
            let c = self.weight.of(b, slope, b.splat(own)) * b.volume() * holds * stretch;
            let x = b.x_ij();
            (x * (c * (velocity - b.splat_vec(home)).dot(x)), squares(x, c))
        });
        (pull, [diagonal, beside])
    }

    /// The forces of friction [N] on matter that moves so.
    pub(super) fn forces(&self, (world, pairs): (&World, &Pairs), moving: &[[Real; 4]], force: &mut [Vec3]) {
        stage!("viscous forces");
        let particles = &world.particles;
        each!(pairs, Who::Matter, force, |i, near, force| {
            let (own, home) = (self.fluidity[i], vector(moving[i]));
            *force = Vec3::ZERO;
            if own == Real::INFINITY {
                return;
            }
            let mut pull = self.pull(near, (own, home), moving);
            if own > 0.0 && self.walls_hold {
                pull += self.of_walls(near, (own, home), moving, &particles.to_surface).0;
            }
            *force = pull * particles.rest_volume[i];
        });
    }

    /// Adds the forces on the particles of walls [N], the other side of [`forces`](Self::forces).
    pub(super) fn add_wall_forces(&self, (world, pairs): (&World, &Pairs), moving: &[[Real; 4]], force: &mut [Vec3]) {
        if !self.walls_hold {
            return;
        }
        let particles = &world.particles;
        each!(pairs, Who::Walls, force, |b, near, force| {
            let (home, to_surface) = (particles.velocity[b], particles.to_surface[b]);
            let drag = sum!(near, |f| {
                let (velocity, other) = f.get_packed(moving);
                let stretch = walls::stretch(f.x_ij() * f.splat(-1.0), f.splat_vec(to_surface));
                let slope = self.kernel.slope_over_r(f.r());
                let c = self.weight.of(f, slope, other).where_positive(other, f.splat(0.0)) * f.volume() * stretch;
                let x = f.x_ij();
                x * (c * (velocity - f.splat_vec(home)).dot(x))
            });
            *force += drag * (particles.rest_volume[b] * self.fluidity[b]);
        });
    }

    #[inline(always)]
    fn pull<S: Simd, K: Setting>(
        &self,
        near: &Near<'_, S, K>,
        (own, home): (Real, Vec3),
        moving: &[[Real; 4]],
    ) -> Vec3 {
        exchange!(near.matter(), |j, slope| {
            let (velocity, other) = j.get_packed(moving);
            let x = j.x_ij();
            x * (coefficient(self.weight, j, slope, own, other) * (velocity - j.splat_vec(home)).dot(x))
        })
    }

    /// s K times the directions, of which walls have none.
    pub(super) fn multiply(&self, (world, pairs): (&World, &Pairs), direction: &[[Real; 4]], product: &mut [Vec3]) {
        stage!("viscous product");
        let particles = &world.particles;
        each!(pairs, Who::Matter, product, |i, near, product| {
            let (own, home) = (self.fluidity[i], vector(direction[i]));
            *product = Vec3::ZERO;
            if own == Real::INFINITY {
                return;
            }
            let pull = self.pull(near, (own, home), direction) * particles.rest_volume[i];
            *product = (symmetric(self.sites[i].walls, home) - pull) * self.lead;
        });
    }

    /// How many times stiffer than inert friction makes particle `i`.
    pub(super) fn stiffness(&self, i: usize) -> Real {
        self.sites[i].stiffness
    }

    /// The inverse of the block of particle `i` times a vector, over its mass.
    #[inline(always)]
    pub(super) fn precondition(&self, i: usize, inverse_mass: Real, residual: Vec3) -> Vec3 {
        self.sites[i].inverse * residual * inverse_mass
    }
}

/// c x xᵀ: its diagonal, and xy, xz, yz.
#[inline(always)]
pub(in crate::viscosity) fn squares<S: Simd>(x: VecLanes<S>, c: Lanes<S>) -> (VecLanes<S>, VecLanes<S>) {
    let scaled = x * c;
    (
        VecLanes { x: scaled.x * x.x, y: scaled.y * x.y, z: scaled.z * x.z },
        VecLanes { x: scaled.x * x.y, y: scaled.x * x.z, z: scaled.y * x.z },
    )
}

/// A symmetric matrix, given its diagonal and xy, xz, yz, times a vector.
#[inline(always)]
fn symmetric([diagonal, beside]: [Vec3; 2], v: Vec3) -> Vec3 {
    diagonal * v
        + Vec3::new(beside.x * v.y + beside.y * v.z, beside.x * v.x + beside.z * v.z, beside.y * v.x + beside.z * v.y)
}

/// The vector in a row.
#[inline(always)]
pub(super) fn vector([x, y, z, _]: [Real; 4]) -> Vec3 {
    Vec3::new(x, y, z)
}
