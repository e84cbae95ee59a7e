//! From a scene to a simulation.

use glam::DVec3;
use thixo_sim::{Clamp as Hold, NewBody, NewWall, Real, Settings, SetupError, Simulation, Vec3};

use crate::sampling::SampledWall;
use crate::{Scene, meaning};

/// A scene that cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The scene makes no sense; only a scene made by a program gets here, [`Scene::read`] tells with places.
    #[error("{0}")]
    Senseless(String),
    /// The simulation refuses it.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Scene {
    /// Fills the shapes with particles: bodies first, then walls, each in the order of the scene.
    pub fn build(&self) -> Result<Simulation, BuildError> {
        let senseless = |findings: Vec<meaning::Finding>| {
            let messages: Vec<_> = findings.into_iter().map(|finding| finding.message).collect();
            BuildError::Senseless(messages.join("; "))
        };
        let findings = meaning::findings(self);
        if !findings.is_empty() {
            return Err(senseless(findings));
        }
        let samples = self.samples().map_err(senseless)?;
        let world = &self.world;
        let settings = Settings {
            spacing: world.spacing as Real,
            gravity: narrow(world.gravity()),
            dimension: world.dimension(),
            periodic: world.periods(),
            kernel: world.kernel.clone(),
            step: self.time.step.clone(),
            pressure: self.pressure.clone(),
            fields: self.fields.clone(),
            shifting: world.shifting.clone(),
        };
        let mut simulation = Simulation::new(settings, self.materials.values().cloned().collect())?;
        for (k, (body, sample)) in self.bodies.iter().zip(&*samples).enumerate() {
            // An unknown name was found above; an index that does not exist is refused below.
            let material = self.materials.keys().position(|name| *name == body.material).unwrap_or(usize::MAX);
            let (position, velocity) =
                sample.positions().map(|x| (narrow(x), narrow(body.velocity_at(world, x)))).unzip();
            simulation.add_body(NewBody {
                name: body.name.clone(),
                material,
                position,
                velocity,
                rest_volume: sample.rest_volume.map(|volume| volume as Real).into_iter().collect(),
                clamps: body
                    .clamps
                    .iter()
                    .map(|clamp| (Hold { path: self.clamp_path(clamp) }, self.held(k, clamp)))
                    .collect(),
                loads: body.loads.iter().map(|load| self.bearing(k, load)).collect(),
                ..NewBody::default()
            })?;
        }
        let walls = self.wall_samples();
        for (wall, SampledWall { particles, rest_volumes }) in self.walls.iter().zip(&*walls) {
            let (position, to_surface) =
                particles.iter().map(|particle| (narrow(particle.position), narrow(particle.to_surface))).unzip();
            simulation.add_wall(NewWall {
                name: wall.name.clone(),
                position,
                to_surface,
                rest_volume: rest_volumes.iter().map(|&volume| volume as Real).collect(),
                no_slip: wall.no_slip,
                friction: wall.friction as Real,
                path: wall.motion(),
            })?;
        }
        Ok(simulation)
    }
}

/// In the precision of the simulation.
pub(crate) fn narrow(vector: DVec3) -> Vec3 {
    Vec3::from_array(vector.to_array().map(|coordinate| coordinate as Real))
}
