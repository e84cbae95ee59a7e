//! The rate of shear γ̇ of fluids, by a corrected gradient of velocity (Bonet & Lok 1999).
//!
//! ```text
//! ∇v_i = [Σ_j V_j (v_j − v_i) ⊗ ∇W_ij] [Σ_j V_j (x_j − x_i) ⊗ ∇W_ij]⁻¹
//! γ̇² = 2 D:D,    D = ½ (∇v + ∇vᵀ)
//! ```
//!
//! It is exact where velocity is linear, at free surfaces too. Walls that hold the fluid count with mirrored velocities, solids as if
//! their surface were half way to their particles. (The work of friction between pairs would give γ̇ without a gradient, but as a
//! root mean square over the neighbourhood: beside the plug of a gel that flows between plates, where γ̇ goes to zero, it
//! is several times too large, and the gel flows 5 % too fast.)

use super::implicit::squares;
use super::walls;
use crate::neighbors::{Pairs, Who, pack, row};
use crate::real::{Mat3, Real, Vec3};
use crate::stage::stage;
use crate::world::{Material, World};
use crate::{each, exchange, sum};

/// By how much a difference of velocities to a solid counts: its surface is half as far as its particle.
const OF_SOLIDS: Real = 2.0;

/// What is added to the moments of a neighbourhood, as a share of them: there may be no neighbours in some direction.
const LEAST_MOMENT: Real = 1e-4;

/// Rates of shear, and memory for them.
#[derive(Clone, Debug, Default)]
pub(super) struct ShearRate {
    /// 1 for fluids that are asked for and walls that hold fluid, 2 for solids, 0 for others.
    counts: Vec<Real>,
    moving: Vec<[Real; 4]>,
    rates: Vec<Real>,
}

impl ShearRate {
    /// γ̇ of matter [1/s], of the fluids that are asked for; 0 of others.
    pub(super) fn find(&mut self, (world, pairs): (&World, &Pairs), is_asked: impl Fn(&Material) -> bool) -> &[Real] {
        stage!("rate of shear");
        let Self { counts, moving, rates } = self;
        let (kernel, particles) = (*pairs.kernel(), &world.particles);
        walls::by_particle(world, counts, |material| Real::from(u8::from(is_asked(material))));
        counts[world.kinds.solid()].fill(OF_SOLIDS);
        let counts = &*counts;
        pack(moving, particles.len(), |i| row(particles.velocity[i], counts[i]));
        let (moving, flowing) = (&*moving, world.kinds.flowing());
        let walls_hold = walls::any_holds(world);
        rates.resize(world.kinds.matter().len(), 0.0);
        each!(pairs, Who::Matter, rates, |i, near, rate| {
            *rate = 0.0;
            if !flowing.contains(&i) || counts[i] == 0.0 {
                return;
            }
            let home = particles.velocity[i];
            let (mut rows, mut moments) = exchange!(near.matter(), |j, slope| {
                let (velocity, count) = j.get_packed(moving);
                let x = j.x_ij();
                // Who does not count tells nothing, neither of motion nor of rest.
                let weight = (slope * j.volume()).where_positive(count, j.splat(0.0));
                let (v, along) = ((velocity - j.splat_vec(home)) * count, x * weight);
                ((along * v.x, (along * v.y, along * v.z)), squares(x, -weight))
            });
            if walls_hold {
                let (by_walls, of_walls) = sum!(near.walls(), |b| {
                    let (velocity, holds) = b.get_packed(moving);
                    let x = b.x_ij();
                    let weight = kernel.slope_over_r(b.r()) * b.volume() * holds;
                    let stretch = walls::stretch(x, b.get_vec(&particles.to_surface));
                    let (v, along) = ((velocity - b.splat_vec(home)) * stretch, x * weight);
                    ((along * v.x, (along * v.y, along * v.z)), squares(x, -weight))
                });
                rows = (rows.0 + by_walls.0, (rows.1.0 + by_walls.1.0, rows.1.1 + by_walls.1.1));
                moments = (moments.0 + of_walls.0, moments.1 + of_walls.1);
            }
            *rate = shear_of([rows.0, rows.1.0, rows.1.1], moments);
        });
        rates
    }
}

/// γ̇ by the rows of the first sum, and the diagonal and xy, xz, yz of the second.
fn shear_of([x, y, z]: [Vec3; 3], (diagonal, beside): (Vec3, Vec3)) -> Real {
    let most = diagonal.max_element();
    if most <= 0.0 {
        return 0.0;
    }
    let d = diagonal + Vec3::splat(LEAST_MOMENT * most);
    let moments = Mat3::from_cols(
        Vec3::new(d.x, beside.x, beside.y),
        Vec3::new(beside.x, d.y, beside.z),
        Vec3::new(beside.y, beside.z, d.z),
    );
    // Rows are columns of the transpose, and the moments are symmetric: this is the transposed gradient.
    let gradient = (moments * (1.0 / most)).inverse() * Mat3::from_cols(x, y, z) * (1.0 / most);
    let twice = gradient + gradient.transpose();
    let square = [twice.x_axis, twice.y_axis, twice.z_axis].map(|column| column.length_squared());
    (0.5 * square.into_iter().sum::<Real>()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::Dimension;
    use crate::settings::Settings;
    use crate::simulation::Simulation;
    use crate::viscosity::{Carreau, Viscosity};
    use crate::world::{NewBody, NewWall};

    /// A block of fluid in the plane, 11 particles along each side, on a floor that holds it, that moves like this.
    fn rates(velocity: impl Fn(Vec3) -> Vec3) -> (Simulation, Vec<Real>) {
        let settings = Settings { spacing: 0.1, dimension: Dimension::Two, ..Settings::default() };
        let mut material = Material::default();
        material.fluid.viscosity = Viscosity::Carreau(Carreau::default());
        let mut simulation = Simulation::new(settings, vec![material]).unwrap();
        let cell =
            |k: usize, rows: usize| Vec3::new((k % 11) as Real + 0.5, (k / 11) as Real + 0.5 - rows as Real, 0.0);
        let position: Vec<_> = (0..121).map(|k| 0.1 * cell(k, 0)).collect();
        let velocity = position.iter().map(|&x| velocity(x)).collect();
        simulation.add_body(NewBody { name: "block".into(), position, velocity, ..NewBody::default() }).unwrap();
        let position: Vec<_> = (0..33).map(|k| 0.1 * cell(k, 3)).collect();
        let to_surface = position.iter().map(|x| Vec3::new(0.0, -x.y, 0.0)).collect();
        let floor = NewWall { name: "floor".into(), position, to_surface, no_slip: true, ..NewWall::default() };
        simulation.add_wall(floor).unwrap();
        simulation.prepare().unwrap();
        let mut rate = ShearRate::default();
        let found = rate.find((simulation.world(), simulation.pairs()), |_| true).to_vec();
        (simulation, found)
    }

    #[test]
    fn shear_and_stretching_are_what_they_are_and_rotation_is_nothing() {
        let (simulation, sheared) = rates(|x| Vec3::new(3.0 * x.y, 0.0, 0.0));
        let particles = simulation.particles();
        let is_inside =
            |i: usize| particles.position[i].x > 0.3 && particles.position[i].x < 0.8 && particles.position[i].y < 0.8;
        for i in (0..121).filter(|&i| is_inside(i)) {
            let allowed = if particles.position[i].y > 0.3 { 1e-3 } else { 0.15 };
            assert!((sheared[i] / 3.0 - 1.0).abs() < allowed, "{}: {}", particles.position[i], sheared[i]);
        }
        let place = |x: Vec3| x - Vec3::new(0.55, 0.55, 0.0);
        let middle = (0..121).find(|&i| place(particles.position[i]).length() < 0.01).unwrap();
        let (_, stretched) = rates(|x| 2.0 * Vec3::new(place(x).x, -place(x).y, 0.0));
        let (_, turned) = rates(|x| 2.0 * Vec3::new(-place(x).y, place(x).x, 0.0));
        // 2 D:D = 2 (2² + 2²).
        assert!((stretched[middle] / 4.0 - 1.0).abs() < 1e-3, "{}", stretched[middle]);
        assert!(turned[middle] < 1e-3, "{}", turned[middle]);
    }
}
