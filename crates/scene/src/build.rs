//! From a checked scene to a simulation.

use std::collections::BTreeMap;

use glam::DVec3;
use thixo_sim::{
    BodyId, Heater, Interface, NewBody, NewJoint, NewWall, Real, Settings, SetupError, Simulation, Vec3, Wetting,
};

use crate::meaning::{Attached, KnownHeater, Meaning};
use crate::probes::Part;
use crate::sampling::SampledWall;
use crate::{EnergyGain, Matter, Probes, Scene, Wall};

/// A scene at work: its simulation, and what knows the bodies in it.
pub struct BuiltScene {
    /// The particles, and everything needed to move them.
    pub simulation: Simulation,
    /// The probes of the scene. They serve any simulation that was built from it, at whatever time it is.
    pub probes: Probes,
    /// Bodies and walls by name.
    pub ids: BTreeMap<String, BodyId>,
}

impl Scene {
    /// Fills the shapes with particles: bodies first, then walls, each in the order of the scene.
    pub fn build(&self) -> Result<BuiltScene, SetupError> {
        let Meaning { samples, attached, joined, heaters, probes, .. } = &self.meaning;
        let mut simulation = Simulation::new(self.settings(), self.materials.values().cloned().collect())?;
        let new_bodies = self.matter().zip(attached).map(|(matter, attached)| self.new_body(&matter, attached));
        let bodies = new_bodies.map(|body| simulation.add_body(body)).collect::<Result<Vec<_>, _>>()?;
        let new_walls = self.walls.iter().zip(&samples.walls).map(|(wall, sample)| self.new_wall(wall, sample));
        let walls = new_walls.map(|wall| simulation.add_wall(wall)).collect::<Result<Vec<_>, _>>()?;
        // Memory for what is to come, so that columns need not move while it does.
        simulation.reserve(samples.come(self.world.cell_volume(), self.time.end) as usize);
        let streams = samples.streams.iter().map(|stream| simulation.add_emitter(stream.new.clone()));
        let streams = streams.collect::<Result<Vec<_>, _>>()?;
        for (k, sink) in self.sinks.iter().enumerate() {
            simulation.add_sink(sink.new_sink(k))?;
        }
        // Probes know streams as the bodies after the last.
        let bodies: Vec<_> = bodies.into_iter().chain(streams).collect();
        let identify = |part| match part {
            Part::Body(index) => bodies[index],
            Part::Wall(index) => walls[index],
        };
        for (joint, &(first, second)) in self.joints.iter().zip(joined) {
            simulation.add_joint(NewJoint {
                name: joint.name.clone(),
                first: identify(first),
                second: second.map(identify),
                point: joint.point(&self.world),
                kind: joint.kind.kind(&self.world),
                contact: joint.contact,
            })?;
        }
        for KnownHeater { heated, supply, from, until } in heaters {
            let (target, supply) = (heated.target(identify), supply.clone());
            simulation.add_heater(Heater { target, supply, from: *from, until: *until })?;
        }
        let probes = Probes::bind(probes, identify);
        probes.open_accounts(&mut simulation);
        if self.world.energy_gain != EnergyGain::Ignore {
            simulation.watch_energy();
        }
        let names = self.names_of_matter().chain(self.walls.iter().map(|wall| wall.name.as_str()));
        let ids = names.map(str::to_owned).zip(bodies.iter().chain(&walls).copied()).collect();
        Ok(BuiltScene { simulation, probes, ids })
    }

    fn settings(&self) -> Settings {
        let world = &self.world;
        Settings {
            spacing: world.spacing as Real,
            gravity: narrow(world.gravity()),
            dimension: world.dimension(),
            periodic: world.periods(),
            kernel: world.kernel.clone(),
            step: self.time.step.clone(),
            pressure: self.pressure.clone(),
            fields: self.fields.clone(),
            interfaces: self.interfaces.iter().map(|interface| self.interface(interface)).collect(),
            shifting: world.shifting.clone(),
            surroundings: world.surroundings.clone(),
        }
    }

    fn interface(&self, interface: &crate::Interface) -> Interface {
        let materials = interface.between.each_ref().map(|name| self.material_index(name));
        Interface { materials, tension: interface.tension as Real }
    }

    /// The index of a material: they are numbered by name.
    fn material_index(&self, name: &str) -> usize {
        self.materials.keys().position(|other| other == name).unwrap_or(usize::MAX)
    }

    fn new_wall(&self, wall: &Wall, sample: &SampledWall) -> NewWall {
        let wetting = wall.wetting.iter().map(|(name, wetting)| Wetting {
            material: self.material_index(name),
            contact_angle: wetting.contact_angle.map(|angle| angle as Real),
            adhesion: wetting.adhesion.map(|beta| beta as Real),
        });
        NewWall { wetting: wetting.collect(), ..new_wall(wall, sample) }
    }

    fn new_body(&self, matter: &Matter<'_>, Attached { clamps, loads }: &Attached) -> NewBody {
        let Matter { body, material, sample, .. } = *matter;
        let velocity_at = body.start_velocity(&self.world, sample);
        let start = |x| (narrow(x), narrow(velocity_at(x)));
        let (position, velocity) = sample.positions().map(start).unzip();
        NewBody {
            name: body.name.clone(),
            material,
            position,
            velocity,
            rest_volume: sample.rest_volume.map(|volume| volume as Real).into_iter().collect(),
            clamps: clamps.clone(),
            loads: loads.clone(),
            temperature: body.temperature.map(|temperature| temperature as Real),
            undeformed: if sample.is_deformed() { sample.at_rest().map(narrow).collect() } else { Vec::new() },
            ..NewBody::default()
        }
    }
}

fn new_wall(wall: &Wall, SampledWall { particles, rest_volumes }: &SampledWall) -> NewWall {
    let (position, to_surface) =
        particles.iter().map(|particle| (narrow(particle.position), narrow(particle.to_surface))).unzip();
    NewWall {
        name: wall.name.clone(),
        position,
        to_surface,
        rest_volume: rest_volumes.iter().map(|&volume| volume as Real).collect(),
        no_slip: wall.no_slip.unwrap_or_default(),
        friction: wall.friction as Real,
        path: wall.motion(),
        ..NewWall::default()
    }
}

/// In the precision of the simulation.
pub(crate) fn narrow(vector: DVec3) -> Vec3 {
    Vec3::from_array(vector.to_array().map(|coordinate| coordinate as Real))
}
