//! Measurements: energies, momenta, volumes, density errors, pressures, forces.
//!
//! Sums are carried in f64 and added in fixed order. Used by reports, probes, validation and tests alike.

mod derived;

use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::elasticity::{DeformationEnergies, deformations, present_accelerations};
use crate::real::{Real, Vec3, wide};
use crate::reduce::{self, Sum, larger, largest};
use crate::simulation::Simulation;
use crate::stage::stage;
use crate::world::{BodyId, Particles, RigidBody, World};

pub use derived::{Derived, DerivedColumn};

/// What a step took, and what it left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Its length [s].
    pub dt: Real,
    /// How many particles had their forces found: all of matter, unless steps are individual.
    pub force_evaluations: usize,
    /// How often it was tried; more than once if it diverged at first.
    pub tries: u32,
    /// Mean compression beyond rest density, max(ρ/ρ0 − 1, 0) over the particles of fluids [-].
    pub density_error: f64,
    /// The same of the worst particle [-].
    pub worst_density_error: f64,
    /// Speed of the fastest particle, walls included [m/s].
    pub fastest: f64,
    /// Pairs of particles at the very same place, when neighbours were last listed.
    pub coincident_pairs: usize,
    /// Iterations of the pressure solver; 0 if it does not iterate.
    pub iterations: u32,
    /// Its iterations that kept velocities from compressing, which only some solvers make.
    pub divergence_iterations: u32,
    /// The density error that it predicted for the end of the step, in its own norm [-].
    pub predicted_error: f64,
    /// The error that it was allowed [-].
    pub allowed_error: f64,
    /// Iterations that implicit elasticity took.
    pub elastic_iterations: u32,
    /// Iterations that implicit viscosity took.
    pub viscous_iterations: u32,
}

/// Root mean square of the speeds of matter about its mean velocity [m/s].
pub(crate) fn speed_about_mean(world: &World, partials: &mut Vec<[f64; 4]>) -> f64 {
    let (velocity, count) = (&world.particles.velocity, world.kinds.matter().len());
    let row = |i: usize| {
        let [x, y, z] = velocity[i].to_array().map(f64::from);
        [x, y, z, f64::from(velocity[i].length_squared())]
    };
    let [x, y, z, squares] = reduce::sum(count, partials, row).map(|sum| sum / count.max(1) as f64);
    (squares - (x * x + y * y + z * z)).max(0.0).sqrt()
}

/// The largest values in a world, gathered in one pass after each step: they limit the next one.
///
/// A value that is not a number counts as infinite, so that it is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Extremes {
    speed_squared: f64,
    acceleration_squared: f64,
    compression: f64,
    fluid_compression: f64,
    pressure: f64,
    distance: f64,
    excess_density: f64,
}

impl Sum for Extremes {
    fn plus(self, other: Self) -> Self {
        Extremes {
            speed_squared: larger(self.speed_squared, other.speed_squared),
            acceleration_squared: larger(self.acceleration_squared, other.acceleration_squared),
            compression: larger(self.compression, other.compression),
            fluid_compression: larger(self.fluid_compression, other.fluid_compression),
            pressure: larger(self.pressure, other.pressure),
            distance: larger(self.distance, other.distance),
            excess_density: self.excess_density + other.excess_density,
        }
    }
}

impl Extremes {
    /// Of all particles of a world.
    pub(crate) fn of(world: &World, partials: &mut Vec<Extremes>) -> Self {
        stage!("extremes");
        let particles = &world.particles;
        reduce::sum_chunks(particles.len(), partials, |range| {
            let speed_squared = largest(&particles.velocity[range.clone()], |v| v.length_squared());
            // Of walls only the speed counts.
            let matter = world.kinds.matter();
            let range = range.start.min(matter.end)..range.end.min(matter.end);
            let compressions = |range: Range<usize>| compressions(particles, range);
            // Compression of solids is contact, not a density error.
            let solid = range.start..range.end.min(world.kinds.flowing().start).max(range.start);
            let (fluid_compression, excess_density) = compressions(solid.end..range.end);
            let compression = larger(compressions(solid).0, fluid_compression);
            Extremes {
                speed_squared,
                acceleration_squared: largest(&particles.acceleration[range.clone()], |a| a.length_squared()),
                compression,
                fluid_compression,
                pressure: largest(&particles.pressure[range.clone()], |p| p.abs()),
                distance: largest(&particles.position[range], |x| x.abs().max_element()),
                excess_density,
            }
        })
    }

    /// Speed of the fastest particle, walls included [m/s].
    pub(crate) fn speed(&self) -> f64 {
        self.speed_squared.sqrt()
    }

    /// Hardest acceleration of the last step [m/s^2].
    pub(crate) fn acceleration(&self) -> f64 {
        self.acceleration_squared.sqrt()
    }

    /// φ of the most compressed particle.
    pub(crate) fn compression(&self) -> f64 {
        self.compression
    }

    /// Compression beyond rest density of the worst fluid particle [-].
    pub(crate) fn worst_density_error(&self) -> f64 {
        (self.fluid_compression - 1.0).max(0.0)
    }

    /// The first quantity that is infinite or undefined somewhere.
    pub(crate) fn infinite(&self) -> Option<&'static str> {
        let quantities =
            [("the position", self.distance), ("the velocity", self.speed_squared), ("the pressure", self.pressure)];
        quantities.into_iter().find(|(_, value)| !value.is_finite()).map(|(name, _)| name)
    }

    /// The report of the step that left them, over so many particles of fluids.
    pub(crate) fn report(&self, fluid: usize) -> StepReport {
        StepReport {
            density_error: self.excess_density / fluid.max(1) as f64,
            worst_density_error: self.worst_density_error(),
            fastest: self.speed(),
            ..StepReport::default()
        }
    }
}

/// The largest compression, and the sum of max(φ − 1, 0).
fn compressions(particles: &Particles, range: Range<usize>) -> (f64, f64) {
    const BLOCK: usize = 64;
    let (mut most, mut excess) = (0.0, 0.0);
    for first in range.clone().step_by(BLOCK) {
        let mut phi = [0.0; BLOCK];
        let rows = first..(first + BLOCK).min(range.end);
        phi.iter_mut().zip(rows).for_each(|(phi, i)| *phi = particles.summed_compression(i));
        most = larger(most, largest(&phi, |phi| *phi));
        excess += f64::from(phi.iter().map(|phi| (phi - 1.0).max(0.0)).sum::<Real>());
    }
    (most, excess)
}

/// Totals over a body, or over all matter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Particles counted.
    pub particles: u64,
    /// Mass [kg].
    pub mass: f64,
    /// Volume Σ V0/φ [m^3].
    pub volume: f64,
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Potential energy in gravity, zero at the origin [J].
    pub potential: f64,
    /// Energy of compression [J].
    pub compression: f64,
    /// Energy of elastic deformation [J].
    pub deformation: f64,
    /// Momentum [kg m/s].
    pub momentum: DVec3,
    /// Angular momentum about the origin [kg m^2/s].
    pub angular_momentum: DVec3,
    /// Sum of |m v| [kg m/s]: the scale that errors of momentum are measured by.
    pub momentum_scale: f64,
    /// Mass times position [kg m]; over the mass it is the centre of mass.
    pub first_moment: DVec3,
    /// Sum of max(ρ/ρ0 − 1, 0) [-].
    pub excess_density: f64,
    /// The largest max(ρ/ρ0 − 1, 0) [-].
    pub worst_density_error: f64,
}

impl Sum for Totals {
    fn plus(self, other: Self) -> Self {
        Totals {
            particles: self.particles + other.particles,
            mass: self.mass + other.mass,
            volume: self.volume + other.volume,
            kinetic: self.kinetic + other.kinetic,
            potential: self.potential + other.potential,
            compression: self.compression + other.compression,
            deformation: self.deformation + other.deformation,
            momentum: self.momentum + other.momentum,
            angular_momentum: self.angular_momentum + other.angular_momentum,
            momentum_scale: self.momentum_scale + other.momentum_scale,
            first_moment: self.first_moment + other.first_moment,
            excess_density: self.excess_density + other.excess_density,
            worst_density_error: self.worst_density_error.max(other.worst_density_error),
        }
    }
}

impl Totals {
    /// Of one body, or of all matter.
    pub fn of(simulation: &Simulation, body: Option<BodyId>) -> Self {
        let mut deformation = DeformationEnergies::default();
        let deformations = deformation.find(simulation.world(), simulation.pairs());
        Self::sum(simulation, body, |i| deformations.get(i).copied().map_or(0.0, f64::from))
    }

    /// The same without the energy of deformation, which takes longer than all the others.
    pub fn of_motion(simulation: &Simulation, body: Option<BodyId>) -> Self {
        Self::sum(simulation, body, |_| 0.0)
    }

    fn sum(simulation: &Simulation, body: Option<BodyId>, deformation: impl Fn(usize) -> f64 + Sync) -> Self {
        let (particles, world) = (simulation.particles(), simulation.world());
        let value = |i: usize| match body {
            Some(body) if particles.body[i] != body.slot => Totals::default(),
            _ if world.has_rigid_state(i) => Self::of_particle(simulation, i).without_motion(),
            _ => Totals { deformation: deformation(i), ..Self::of_particle(simulation, i) },
        };
        let own = world.rigid_bodies().filter(|rigid| body.is_none_or(|body| rigid.body == body));
        let of_bodies = own.map(|rigid| Self::of_rigid_body(world, rigid)).fold(Totals::default(), Totals::plus);
        reduce::sum(world.kinds.matter().len(), &mut Vec::new(), value).plus(of_bodies)
    }

    /// What a rigid body has as a whole: particles alone would miss what each has of its own spin.
    fn of_rigid_body(world: &World, rigid: &RigidBody) -> Self {
        let (first_moment, momentum) = (rigid.mass * rigid.centre, rigid.mass * rigid.velocity);
        Totals {
            kinetic: rigid.kinetic_energy(world.dimension),
            potential: -wide(world.gravity).dot(first_moment),
            momentum,
            angular_momentum: rigid.centre.cross(momentum) + rigid.angular_momentum,
            first_moment,
            ..Totals::default()
        }
    }

    fn without_motion(self) -> Self {
        let (momentum, angular_momentum, first_moment) = Default::default();
        Totals { kinetic: 0.0, potential: 0.0, momentum, angular_momentum, first_moment, ..self }
    }

    fn of_particle(simulation: &Simulation, i: usize) -> Self {
        let particles = simulation.particles();
        let mass = f64::from(particles.mass(i));
        let (position, velocity) = (wide(particles.position[i]), wide(particles.velocity[i]));
        let rest_volume = f64::from(particles.rest_volume[i]);
        let phi = f64::from(particles.compression(i));
        let energy =
            simulation.models.pressure.energy_density(simulation.world(), phi, f64::from(particles.rest_density[i]));
        let excess = f64::from(particles.summed_compression(i) - 1.0).max(0.0);
        Totals {
            particles: 1,
            mass,
            volume: rest_volume / phi,
            kinetic: 0.5 * mass * velocity.length_squared(),
            potential: -mass * wide(simulation.world().gravity).dot(position),
            // The pair force is minus the gradient of this sum, φ_lattice included.
            compression: f64::from(simulation.lattice_sum() * particles.filling[i]) * rest_volume * energy,
            deformation: 0.0,
            momentum: mass * velocity,
            angular_momentum: position.cross(mass * velocity),
            momentum_scale: mass * velocity.length(),
            first_moment: mass * position,
            excess_density: excess,
            worst_density_error: excess,
        }
    }

    /// Kinetic, potential, compression and deformation energy together [J].
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential + self.compression + self.deformation
    }

    /// Centre of mass [m].
    pub fn centre(&self) -> DVec3 {
        self.first_moment / self.mass.max(f64::MIN_POSITIVE)
    }

    /// Mean of max(ρ/ρ0 − 1, 0) over the particles [-].
    pub fn density_error(&self) -> f64 {
        self.excess_density / self.particles.max(1) as f64
    }
}

/// Pressure around a point [Pa]: the kernel-weighted mean over matter and walls within `radius`, which is
/// taken as at least the support radius. Zero where there is nothing.
pub fn pressure_at(simulation: &Simulation, at: Vec3, radius: Real) -> f64 {
    let particles = simulation.particles();
    let reach = radius.max(simulation.pairs().kernel().support());
    let weigh = |i: usize| {
        let q = (particles.position[i] - at).length() / reach;
        let weight = f64::from((1.0 - q).max(0.0).powi(4) * (1.0 + 4.0 * q));
        // A wall particle has a pressure only where fluid touches it.
        let counts = !simulation.world().kinds.walls().contains(&i) || particles.pressure[i] > 0.0;
        if counts { Weighted { value: weight * f64::from(particles.pressure[i]), weight } } else { Weighted::default() }
    };
    let Weighted { value, weight } = reduce::sum(particles.len(), &mut Vec::new(), weigh);
    if weight > 0.0 { value / weight } else { 0.0 }
}

/// Temperature around a point [degC]: the kernel-weighted mean over matter within `radius`, which is taken as at least the
/// support radius. Not a number where there is nothing, or no heat.
pub fn temperature_at(simulation: &Simulation, at: Vec3, radius: Real) -> f64 {
    let Some(temperature) = simulation.temperatures() else { return f64::NAN };
    let (particles, domain) = (simulation.particles(), &simulation.world().domain);
    let reach = radius.max(simulation.pairs().kernel().support());
    let weigh = |i: usize| {
        let q = domain.shortest(particles.position[i] - at).length() / reach;
        let weight = f64::from((1.0 - q).max(0.0).powi(4) * (1.0 + 4.0 * q));
        Weighted { value: weight * f64::from(temperature[i]), weight }
    };
    let Weighted { value, weight } = reduce::sum(simulation.matter().len(), &mut Vec::new(), weigh);
    value / weight
}

/// The front of matter in a direction [m]: the foremost particle's centre plus half a spacing.
pub fn front(simulation: &Simulation, direction: Vec3, body: Option<BodyId>) -> f64 {
    let particles = simulation.particles();
    let along = direction.normalize_or_zero();
    let foremost = simulation
        .world()
        .kinds
        .matter()
        .filter(|&i| body.is_none_or(|body| particles.body[i] == body.slot))
        .map(|i| f64::from(particles.position[i].dot(along)))
        .fold(f64::NEG_INFINITY, f64::max);
    foremost + 0.5 * f64::from(simulation.world().spacing)
}

/// Mean position of the particles with the given identifiers, which must be sorted [m].
pub fn centre(simulation: &Simulation, ids: &[u32]) -> DVec3 {
    let particles = simulation.particles();
    let value = |i: usize| {
        let wanted = ids.binary_search(&particles.id[i]).is_ok();
        if wanted { Moment { position: wide(particles.position[i]), count: 1 } } else { Moment::default() }
    };
    let Moment { position, count } = reduce::sum(simulation.world().kinds.matter().len(), &mut Vec::new(), value);
    position / count.max(1) as f64
}

/// Elastic forces at the present positions [N], of the elastic particles, which are the first of all.
pub fn elastic_forces(simulation: &Simulation) -> Vec<DVec3> {
    let particles = simulation.particles();
    let accelerations = present_accelerations(simulation.world(), simulation.pairs());
    let force = |(i, a): (usize, Vec3)| wide(a) * f64::from(particles.mass(i));
    accelerations.into_iter().enumerate().map(force).collect()
}

/// The deformation gradient F of each elastic particle, the first of all [-].
pub fn deformation_gradients(simulation: &Simulation) -> Vec<DMat3> {
    let all = deformations(simulation.world(), simulation.pairs());
    all.into_iter().map(|f| DMat3::from_cols_array(&f.to_cols_array().map(f64::from))).collect()
}

#[derive(Clone, Copy, Default)]
struct Weighted {
    value: f64,
    weight: f64,
}

impl Sum for Weighted {
    fn plus(self, other: Self) -> Self {
        Weighted { value: self.value + other.value, weight: self.weight + other.weight }
    }
}

#[derive(Clone, Copy, Default)]
struct Moment {
    position: DVec3,
    count: u64,
}

impl Sum for Moment {
    fn plus(self, other: Self) -> Self {
        Moment { position: self.position + other.position, count: self.count + other.count }
    }
}
