//! Force fields: accelerations that depend on the place, perhaps only in a region and for a while.
//!
//! Each kind has its file section in `kinds.rs`. A field acts at the times from ≤ t < until, judged at the beginning of
//! a step: its ends are sharp to one step.

mod kinds;
mod region;

pub use kinds::{Damping, FieldKind, Point, Uniform, Vortex};
pub use region::{Region, RegionBox, RegionSphere};

use crate::force::{Force, StepContext};
use crate::neighbors::Pairs;
use crate::parameters::{Limits, parameters};
use crate::real::{Real, Vec3};
use crate::reduce;
use crate::time::Integrator;
use crate::world::World;

parameters! {
    /// A field that accelerates matter: a name and what it does.
    #[cfg_attr(feature = "schema", schemars(extend("unevaluatedProperties" = false)))]
    pub struct Field {
        /// Its name; no two fields share one.
        name: String;
        /// What it does.
        #[serde(flatten)]
        kind: FieldKind => flat;
        /// The space it is limited to; everywhere unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        region: Option<Region> => group;
        /// When it begins [s].
        #[serde(default)]
        from: f64, Limits::FINITE;
        /// When it ends [s]; never unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<f64>, Limits::FINITE;
    }
}

impl Field {
    fn is_active(&self, time: f64) -> bool {
        time >= self.from && self.until.is_none_or(|until| time < until)
    }

    /// The acceleration of a particle [m/s²].
    fn acceleration(&self, world: &World, position: Vec3, velocity: Vec3) -> Vec3 {
        match &self.region {
            Some(region) if !region.contains(world.dimension, &world.domain, position) => Vec3::ZERO,
            _ => self.kind.acceleration(world, position, velocity),
        }
    }

    /// Square of the speed that the field can give to matter somewhere in the world [m²/s²].
    fn speed_squared(&self, world: &World, extent: f64) -> f64 {
        let particles = &world.particles;
        let at = |i: usize| f64::from(self.kind.acceleration(world, particles.position[i], Vec3::ZERO).length());
        self.gain(reduce::max(world.kinds.matter().len(), at), extent)
    }

    /// The strongest acceleration of matter at rest in a box [m/s²], and the square of the speed that it can give to matter
    /// which has so much way before it [m²/s²]: about, for estimates, and as if it were not limited in space.
    pub fn pull(&self, low: [f64; 3], high: [f64; 3], extent: f64) -> (f64, f64) {
        let [low, high] = [low, high].map(|corner| Vec3::from_array(corner.map(|x| x as Real)));
        let strongest = self.kind.strongest_between(low, high);
        (strongest, self.gain(strongest, extent))
    }

    /// Square of the speed that an acceleration can give, through so much space or as long as it lasts [m²/s²].
    fn gain(&self, strongest: f64, extent: f64) -> f64 {
        let lasting = self.until.map_or(f64::INFINITY, |until| (until - self.from).max(0.0));
        self.kind.deepest_fall().min(2.0 * strongest * extent).min((strongest * lasting).powi(2))
    }
}

/// Square of the speed that all fields together can give to matter [m²/s²].
pub(crate) fn speed_squared(fields: &[Field], world: &World) -> f64 {
    if fields.is_empty() || world.kinds.matter().is_empty() {
        return 0.0;
    }
    let all = world.particles.position.iter();
    let (low, high) = all.fold((Vec3::MAX, Vec3::MIN), |(low, high), &x| (low.min(x), high.max(x)));
    fields.iter().map(|field| field.speed_squared(world, f64::from((high - low).length()))).sum()
}

/// All fields of a world.
#[derive(Clone, Debug)]
pub(crate) struct FieldForce {
    pub(crate) fields: Vec<Field>,
    /// What they gave to matter when they last acted [W].
    power: f64,
    partials: Vec<f64>,
}

impl FieldForce {
    pub(crate) fn new(fields: Vec<Field>) -> Self {
        FieldForce { fields, power: 0.0, partials: Vec::new() }
    }
}

impl Force for FieldForce {
    fn add(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let world = step.world;
        let particles = &world.particles;
        // Velocities that are half a step old will be as old again when the step is made: their mean does the work.
        let half = match world.motion(step.dt).integrator {
            Integrator::Leapfrog => 0.0,
            Integrator::SymplecticEuler => 0.5 * step.dt,
        };
        self.power = 0.0;
        for field in self.fields.iter().filter(|field| field.is_active(world.clock.time)) {
            self.power += reduce::sum_while_writing(acceleration, &mut self.partials, |first, out| {
                let mut power = 0.0;
                for (i, acceleration) in (first..).zip(out) {
                    let velocity = particles.velocity[i];
                    let given = field.acceleration(world, particles.position[i], velocity);
                    *acceleration += given;
                    let half = if particles.clamp[i] > 0 { 0.0 } else { half };
                    power += f64::from(particles.mass(i) * given.dot(velocity + half * (given + world.gravity)));
                }
                power
            });
        }
    }

    fn power(&self) -> f64 {
        self.power
    }

    fn longest_step(&self, world: &World, _pairs: &Pairs, _sound_speed: Real) -> Option<Real> {
        let active = self.fields.iter().filter(|field| field.is_active(world.clock.time));
        active.filter_map(|field| field.kind.longest_step()).reduce(Real::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::test_worlds::three_particles;
    use crate::world::World;

    fn field(kind: FieldKind) -> Field {
        Field { name: "field".into(), kind, region: None, from: 0.0, until: None }
    }

    fn accelerations(world: &World, pairs: &Pairs, field: Field) -> Vec<Vec3> {
        let mut acceleration = vec![Vec3::X; world.kinds.matter().len()];
        let step = StepContext { world, pairs, sound_speed: 1.0, dt: 0.01 };
        FieldForce::new(vec![field]).add(&step, &mut acceleration);
        acceleration.into_iter().map(|a| a - Vec3::X).collect()
    }

    #[test]
    fn each_kind_accelerates_as_its_formula_says() {
        let simulation = three_particles();
        let (world, pairs) = (simulation.world(), simulation.pairs());
        let particles = &world.particles;
        let expect = |kind: FieldKind, formula: &dyn Fn(usize) -> Vec3| {
            for (i, found) in accelerations(world, pairs, field(kind.clone())).into_iter().enumerate() {
                assert!((found - formula(i)).length() < 1e-5, "{kind:?}: {found} {}", formula(i));
            }
        };
        expect(FieldKind::Uniform(Uniform { acceleration: [1.0, 2.0, 3.0] }), &|_| Vec3::new(1.0, 2.0, 3.0));
        let centre = Vec3::new(0.5, 0.0, 0.0);
        let point = Point { at: centre.to_array(), strength: 0.7, softening: 0.3 };
        expect(FieldKind::Point(point), &|i| {
            let away = particles.position[i] - centre;
            -0.7 * away / (away.length_squared() + 0.09).powf(1.5)
        });
        let vortex = Vortex { centre: centre.to_array(), axis: [0.0, 0.0, 2.0], angular_acceleration: 1.5 };
        expect(FieldKind::Vortex(vortex), &|i| 1.5 * Vec3::Z.cross(particles.position[i] - centre));
        let damping = FieldKind::Damping(Damping { relaxation_time: 0.25 });
        expect(damping, &|i| particles.velocity[i] * -4.0);
    }

    #[test]
    fn regions_and_times_limit_a_field() {
        let mut simulation = three_particles();
        let uniform = field(FieldKind::Uniform(Uniform { acceleration: [0.0, 1.0, 0.0] }));
        let centre = simulation.particles().position[1];
        let region = Region::Sphere(RegionSphere { centre: centre.to_array(), radius: 0.01 });
        let limited = Field { region: Some(region), from: 1.0, until: Some(2.0), ..uniform };
        for (time, inside) in [(0.99, 0.0), (1.0, 1.0), (1.99, 1.0), (2.0, 0.0)] {
            simulation.world_mut().clock.time = time;
            let found = accelerations(simulation.world(), simulation.pairs(), limited.clone());
            assert_eq!(found, [Vec3::ZERO, Vec3::Y * inside, Vec3::ZERO], "at {time}");
        }
    }
}
