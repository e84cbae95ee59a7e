//! What must be remembered to go on exactly as if nothing had happened.

use serde::{Deserialize, Serialize};

use crate::error::SetupError;
use crate::real::Real;
use crate::simulation::Simulation;
use crate::world::{Body, BodyKind, Clock, Particles};

/// Everything that a simulation must remember to go on exactly as if it had never stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// All but the columns.
    pub state: State,
    /// The columns.
    pub particles: Particles,
}

/// The part of a [`Snapshot`] that is no column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time.
    pub clock: Clock,
    /// How many particles are movable.
    pub movable: u64,
    /// Bodies and walls.
    pub bodies: Vec<Body>,
    /// The number the next new particle gets.
    pub next_id: u32,
    /// Bodies or walls were added or removed since the last step.
    pub changed: bool,
    /// What the pressure solver remembers.
    pub pressure: Vec<Real>,
    /// By how much the lists of neighbours reach beyond the support [m].
    pub skin: Real,
}

impl Simulation {
    /// Everything needed to go on from here.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: self.state(), particles: self.world.particles.clone() }
    }

    /// The part of a snapshot that is no column: with [`particles`](Self::particles) it saves a copy of them.
    pub fn state(&self) -> State {
        State {
            clock: self.world.clock,
            movable: self.world.movable as u64,
            bodies: self.world.bodies.clone(),
            next_id: self.next_id,
            changed: self.changed,
            pressure: self.models.pressure.memory(),
            skin: self.pairs.skin(),
        }
    }

    /// Goes back to a snapshot of this simulation, or of one with the same settings and materials.
    pub fn restore(&mut self, snapshot: Snapshot) -> Result<(), SetupError> {
        let Snapshot { state, particles } = snapshot;
        let movable = usize::try_from(state.movable).unwrap_or(usize::MAX);
        if !particles.is_consistent() || movable > particles.len() {
            return Err(SetupError::ForeignSnapshot("its columns differ in length"));
        }
        if particles.body.iter().any(|&body| body as usize >= state.bodies.len()) {
            return Err(SetupError::ForeignSnapshot("a particle belongs to no body"));
        }
        let materials = self.world.materials.len();
        let known = |body: &Body| !matches!(body.kind, BodyKind::Matter { material } if material >= materials);
        if !state.bodies.iter().all(known) {
            return Err(SetupError::ForeignSnapshot("a body is of a material that does not exist"));
        }
        if state.bodies.iter().any(|body| body.path.as_ref().is_some_and(|path| path.fault().is_some())) {
            return Err(SetupError::ForeignSnapshot("a wall follows a path without sense"));
        }
        let bears = |body: &Body| body.loads.iter().all(|load| load.fault(body.particles).is_none());
        if !state.bodies.iter().filter(|body| body.particles > 0).all(bears) {
            return Err(SetupError::ForeignSnapshot("a load makes no sense"));
        }
        let materials = &self.world.materials;
        let is_elastic = |&body: &u32| state.bodies[body as usize].kind.is_elastic(materials);
        let elastic = particles.body.iter().take_while(|body| is_elastic(body)).count();
        let listed = |body: &&Body| body.kind.is_elastic(materials);
        if elastic != state.bodies.iter().filter(listed).map(|body| body.particles).sum::<usize>() {
            return Err(SetupError::ForeignSnapshot("its elastic particles are not the first"));
        }
        self.world.particles = particles;
        self.world.movable = movable;
        self.world.bodies = state.bodies;
        self.world.clock = state.clock;
        self.world.posed = state.clock.time;
        self.next_id = state.next_id;
        self.models.pressure.recall(&state.pressure);
        self.pairs.lists_lost(state.skin);
        (self.changed, self.solids_due, self.stale) = (state.changed, true, true);
        Ok(())
    }
}
