//! Probes at work: from a simulation to a row of numbers.

use std::sync::Arc;

use glam::DVec3;
use thixo_sim::measure::{Totals, centre, front, pressure_at, temperature_at};
use thixo_sim::{BodyId, HeatTotals, Real, Simulation, Vec3};

use crate::build::narrow;
use crate::sampling::Samples;
use crate::{FrontProbe, PositionProbe, PressureProbe, World};

/// The probes of a scene, bound to the bodies of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Probes(Vec<NamedTarget<BodyId>>);

/// A probe: its name, and what is measured.
#[derive(Clone, Debug)]
pub(crate) struct NamedTarget<Who> {
    pub(crate) name: String,
    pub(crate) target: Target<Who>,
}

/// What is measured. A scene knows bodies and walls as its [`Part`]s, a simulation by their identifiers.
#[derive(Clone, Debug)]
pub(crate) enum Target<Who> {
    Pressure { at: Vec3, radius: Real },
    Temperature { at: Vec3, radius: Real },
    Heat(Option<Who>),
    Front { direction: Vec3, body: Option<Who> },
    Position { ids: Arc<[u32]> },
    Energy(Option<Who>),
    Momentum(Option<Who>),
    Motion(Who),
    Joint { name: Arc<str>, slides: bool },
    Force(Who),
}

/// A body or wall, by its index in the scene.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Body(usize),
    Wall(usize),
}

impl Probes {
    /// The same probes in a simulation that knows each part as `identify` says.
    pub(crate) fn bind(probes: &[NamedTarget<Part>], identify: impl Fn(Part) -> BodyId) -> Probes {
        let bound = |probe: &NamedTarget<Part>| NamedTarget {
            name: probe.name.clone(),
            target: match &probe.target {
                &Target::Pressure { at, radius } => Target::Pressure { at, radius },
                &Target::Temperature { at, radius } => Target::Temperature { at, radius },
                Target::Heat(body) => Target::Heat(body.map(&identify)),
                &Target::Front { direction, body } => Target::Front { direction, body: body.map(&identify) },
                Target::Position { ids } => Target::Position { ids: Arc::clone(ids) },
                Target::Energy(body) => Target::Energy(body.map(&identify)),
                Target::Momentum(body) => Target::Momentum(body.map(&identify)),
                Target::Motion(body) => Target::Motion(identify(*body)),
                Target::Joint { name, slides } => Target::Joint { name: Arc::clone(name), slides: *slides },
                Target::Force(part) => Target::Force(identify(*part)),
            },
        };
        Probes(probes.iter().map(bound).collect())
    }

    /// Opens the accounts that they read.
    pub(crate) fn open_accounts(&self, simulation: &mut Simulation) {
        for probe in &self.0 {
            if let Target::Force(body) = probe.target {
                simulation.open_account(body);
            }
        }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What each number of a row is: `bottom.pressure [Pa]`.
    pub fn header(&self) -> Vec<String> {
        let columns = |probe: &NamedTarget<BodyId>| {
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

impl<Who> Target<Who> {
    /// Pressure at a point.
    pub(crate) fn pressure(world: &World, probe: &PressureProbe) -> Self {
        Target::Pressure { at: narrow(world.flat(probe.at)), radius: probe.radius as Real }
    }

    /// Temperature at a point.
    pub(crate) fn temperature(world: &World, probe: &PressureProbe) -> Self {
        Target::Temperature { at: narrow(world.flat(probe.at)), radius: probe.radius as Real }
    }

    /// The front of a body, or of all of them.
    pub(crate) fn front(world: &World, probe: &FrontProbe, body: Option<Who>) -> Self {
        // Normalised before it is narrowed: the length may be any number.
        Target::Front { direction: narrow(world.flat(probe.direction).normalize_or_zero()), body }
    }

    fn columns(&self) -> &'static [&'static str] {
        match self {
            Target::Pressure { .. } => &["pressure [Pa]"],
            Target::Temperature { .. } => &["temperature [degC]"],
            Target::Heat(_) => &["enthalpy [J]", "temperature [degC]", "liquid [kg]", "received [J]"],
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
            Target::Motion(_) => &[
                "centre_x [m]",
                "centre_y [m]",
                "centre_z [m]",
                "turn_x [-]",
                "turn_y [-]",
                "turn_z [-]",
                "turn_w [-]",
                "velocity_x [m/s]",
                "velocity_y [m/s]",
                "velocity_z [m/s]",
                "spin_x [rad/s]",
                "spin_y [rad/s]",
                "spin_z [rad/s]",
            ],
            Target::Joint { slides: false, .. } => &["angle [rad]", "spin [rad/s]"],
            Target::Joint { slides: true, .. } => &["travel [m]", "speed [m/s]"],
            Target::Force(_) => &[
                "force_x [N]",
                "force_y [N]",
                "force_z [N]",
                "torque_x [N m]",
                "torque_y [N m]",
                "torque_z [N m]",
                "impulse_x [N s]",
                "impulse_y [N s]",
                "impulse_z [N s]",
                "angular_impulse_x [N m s]",
                "angular_impulse_y [N m s]",
                "angular_impulse_z [N m s]",
            ],
        }
    }
}

impl Target<BodyId> {
    fn sample(&self, simulation: &Simulation, out: &mut Vec<f64>) {
        match self {
            Target::Pressure { at, radius } => out.push(pressure_at(simulation, *at, *radius)),
            Target::Temperature { at, radius } => out.push(temperature_at(simulation, *at, *radius)),
            Target::Heat(body) => {
                let HeatTotals { enthalpy, temperature, liquid, .. } = simulation.heat(*body);
                out.extend([enthalpy, temperature, liquid, simulation.heat_received().sum()]);
            }
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
            Target::Motion(body) => {
                // A body that melts is rigid no more.
                let Some(rigid) = simulation.rigid_body(*body) else { return out.extend([f64::NAN; 13]) };
                out.extend(rigid.centre.to_array());
                out.extend(rigid.orientation.to_array());
                out.extend(rigid.velocity.to_array());
                out.extend(rigid.spin(simulation.settings().dimension).to_array());
            }
            Target::Joint { name, .. } => {
                // A joint goes with its bodies.
                let motion = simulation.joints().iter().position(|joint| *joint.name == **name);
                let motion = motion.and_then(|joint| simulation.joint_motion(joint));
                out.extend(motion.map_or([f64::NAN; 2], |motion| [motion.coordinate, motion.speed]));
            }
            Target::Force(body) => {
                let account = simulation.account(*body);
                let (force, received) = account.map(|account| (account.force, account.received)).unwrap_or_default();
                out.extend([force.linear, force.angular, received.linear, received.angular].into_iter().flatten());
            }
        }
    }
}

/// Numbers of the particles of a body that start in the region of a probe, sorted.
///
/// They follow from the scene alone: particles are numbered in the order in which [`crate::Scene::build`] adds them,
/// so the probe of a resumed run follows the same particles.
pub(crate) fn region(world: &World, samples: &Samples, body: usize, probe: &PositionProbe) -> Vec<u32> {
    let low = probe.min.map_or(DVec3::NEG_INFINITY, |min| world.flat(min));
    let high = probe.max.map_or(DVec3::INFINITY, |max| world.flat(max));
    let within = |x: DVec3| x.cmpge(low).all() && x.cmple(high).all();
    let Some((first, sample)) = samples.first_particles().zip(&samples.bodies).nth(body) else { return Vec::new() };
    let numbered = sample.positions().zip(first..);
    numbered.filter(|(x, _)| within(*x)).map(|(_, number)| number).collect()
}
