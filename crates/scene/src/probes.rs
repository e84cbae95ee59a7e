//! Probes at work: from a simulation to a row of numbers.

use glam::DVec3;
use thixo_sim::measure::{Totals, centre, force_on, front, pressure_at};
use thixo_sim::{BodyId, Real, Simulation, Vec3};

use crate::build::narrow;
use crate::{Measure, PositionProbe, Probe, Scene};

/// The probes of a scene, bound to the bodies of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Probes(Vec<BoundProbe>);

#[derive(Clone, Debug)]
struct BoundProbe {
    name: String,
    target: Target,
}

/// What is measured, in the terms of the simulation.
#[derive(Clone, Debug)]
enum Target {
    Pressure { at: Vec3, radius: Real },
    Front { direction: Vec3, body: Option<BodyId> },
    Position { ids: Vec<u32> },
    Energy(Option<BodyId>),
    Momentum(Option<BodyId>),
    Force(BodyId),
}

impl Scene {
    /// The probes, bound to a simulation that was built from this scene, at whatever time it is.
    ///
    /// A probe of a body that the simulation does not have is left out.
    pub fn probes(&self, simulation: &Simulation) -> Probes {
        let bound = |probe: &Probe| {
            Some(BoundProbe { name: probe.name.clone(), target: Target::new(self, &probe.measure, simulation)? })
        };
        Probes(self.probes.iter().filter_map(bound).collect())
    }
}

impl Probes {
    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What each number of a row is: `bottom.pressure [Pa]`.
    pub fn header(&self) -> Vec<String> {
        let columns = |probe: &BoundProbe| {
            let name = probe.name.clone();
            probe.target.columns().iter().map(move |column| format!("{name}.{column}")).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(columns).collect()
    }

    /// Puts a row of numbers into `out`, which is emptied first. Neighbours must be up to date, as after a step.
    pub fn sample(&self, simulation: &Simulation, out: &mut Vec<f64>) {
        out.clear();
        self.0.iter().for_each(|probe| probe.target.sample(simulation, out));
    }
}

impl Target {
    fn new(scene: &Scene, measure: &Measure, simulation: &Simulation) -> Option<Target> {
        let identify = |name: &String| {
            let index = simulation.bodies().iter().position(|body| body.name == *name)?;
            Some(BodyId { slot: index as u32, generation: 0 })
        };
        // No name means all bodies, a name that is not found means none.
        let optional = |name: &Option<String>| match name {
            Some(name) => identify(name).map(Some),
            None => Some(None),
        };
        let vector = |vector| narrow(scene.world.flat(vector));
        Some(match measure {
            Measure::Pressure(probe) => Target::Pressure { at: vector(probe.at), radius: probe.radius as Real },
            Measure::Front(probe) => {
                // Normalised before it is narrowed: the length may be any number.
                let direction = narrow(scene.world.flat(probe.direction).normalize_or_zero());
                Target::Front { direction, body: optional(&probe.body)? }
            }
            Measure::Position(probe) => Target::Position { ids: region(scene, probe) },
            Measure::Energy(probe) => Target::Energy(optional(&probe.body)?),
            Measure::Momentum(probe) => Target::Momentum(optional(&probe.body)?),
            Measure::Force(probe) => Target::Force(identify(&probe.on)?),
        })
    }

    fn columns(&self) -> &'static [&'static str] {
        match self {
            Target::Pressure { .. } => &["pressure [Pa]"],
            Target::Front { .. } => &["front [m]"],
            Target::Position { .. } => &["position_x [m]", "position_y [m]", "position_z [m]"],
            Target::Energy(_) => &["kinetic [J]", "potential [J]", "compression [J]", "deformation [J]"],
            Target::Momentum(_) => &[
                "momentum_x [kg m/s]",
                "momentum_y [kg m/s]",
                "momentum_z [kg m/s]",
                "angular_momentum_x [kg m^2/s]",
                "angular_momentum_y [kg m^2/s]",
                "angular_momentum_z [kg m^2/s]",
            ],
            Target::Force(_) => &["force_x [N]", "force_y [N]", "force_z [N]"],
        }
    }

    fn sample(&self, simulation: &Simulation, out: &mut Vec<f64>) {
        match self {
            Target::Pressure { at, radius } => out.push(pressure_at(simulation, *at, *radius)),
            Target::Front { direction, body } => out.push(front(simulation, *direction, *body)),
            Target::Position { ids } => out.extend(centre(simulation, ids).to_array()),
            Target::Energy(body) => {
                let Totals { kinetic, potential, compression, deformation, .. } = Totals::of(simulation, *body);
                out.extend([kinetic, potential, compression, deformation]);
            }
            Target::Momentum(body) => {
                let Totals { momentum, angular_momentum, .. } = Totals::of_motion(simulation, *body);
                out.extend(momentum.to_array());
                out.extend(angular_momentum.to_array());
            }
            Target::Force(body) => out.extend(force_on(simulation, *body).to_array()),
        }
    }
}

/// Numbers of the particles that start in the region of a probe, sorted.
///
/// They follow from the scene alone: particles are numbered in the order in which [`Scene::build`] adds them, so
/// the probe of a resumed run follows the same particles.
pub(crate) fn region(scene: &Scene, probe: &PositionProbe) -> Vec<u32> {
    let low = probe.min.map_or(DVec3::NEG_INFINITY, |min| scene.world.flat(min));
    let high = probe.max.map_or(DVec3::INFINITY, |max| scene.world.flat(max));
    let (Ok(samples), Some(body)) = (scene.samples(), scene.bodies.iter().position(|body| body.name == probe.body))
    else {
        return Vec::new();
    };
    let first: u64 = samples[..body].iter().map(|sample| sample.count()).sum();
    let within = |x: DVec3| x.cmpge(low).all() && x.cmple(high).all();
    let numbered = samples[body].positions().zip(first..);
    numbered.filter(|(x, _)| within(*x)).map(|(_, number)| number as u32).collect()
}
