//! What must be remembered to go on exactly as if nothing had happened.

use serde::{Deserialize, Serialize};

use crate::elasticity::StoredBond;
use crate::error::SetupError;
use crate::neighbors::Lists;
use crate::simulation::{Due, Simulation};
use crate::world::{Body, Clock, Emitter, Material, Memory, OwnColumn, Particles, Sink};

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
    /// Bodies and walls.
    pub bodies: Vec<Body>,
    /// What lets fluid in, and how much it has let in.
    pub emitters: Vec<Emitter>,
    /// What takes fluid out, and how much it has taken.
    pub sinks: Vec<Sink>,
    /// The number the next new particle gets.
    pub next_id: u32,
    /// Bonds that do not follow from the undeformed shapes of bodies.
    pub bonds: Vec<StoredBond>,
    /// Bodies or walls were added or removed since the last step.
    pub changed: bool,
    /// Lists of neighbours must be made anew, from where particles are.
    pub is_stale: bool,
    /// What bodies and models remember.
    pub memory: Memory,
    /// What the lists of neighbours were made of.
    pub lists: Lists,
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
            bodies: self.world.bodies.clone(),
            emitters: self.world.emitters.clone(),
            sinks: self.world.sinks.clone(),
            next_id: self.next_id,
            bonds: if self.solids_due { self.stored_bonds.clone() } else { self.world.solids.stored(&self.world) },
            changed: self.changed,
            is_stale: self.due == Due::Anew,
            memory: self.world.memory.clone(),
            lists: self.pairs.lists(),
        }
    }

    /// Goes back to a snapshot of this simulation, or of one with the same settings and materials.
    pub fn restore(&mut self, snapshot: Snapshot) -> Result<(), SetupError> {
        let Snapshot { state, particles } = snapshot;
        if !particles.is_consistent() {
            return Err(SetupError::ForeignSnapshot("its columns differ in length"));
        }
        if particles.body.iter().any(|&body| body as usize >= state.bodies.len()) {
            return Err(SetupError::ForeignSnapshot("a particle belongs to no body"));
        }
        let materials = self.world.materials.len();
        if particles.material.iter().any(|&material| material as usize >= materials) {
            return Err(SetupError::ForeignSnapshot("a particle is of a material that does not exist"));
        }
        if state.bodies.iter().any(|body| body.path.as_ref().is_some_and(|path| path.fault().is_some())) {
            return Err(SetupError::ForeignSnapshot("a wall follows a path without sense"));
        }
        let belongs = |emitter: &Emitter| {
            let bodies = [emitter.stream, emitter.nozzle, emitter.supply].map(|body| body.slot as usize);
            let is_fluid = |material: usize| self.world.materials.get(material).is_some_and(Material::is_fluid);
            bodies.into_iter().all(|body| body < state.bodies.len()) && is_fluid(emitter.material as usize)
        };
        if !state.emitters.iter().all(|emitter| belongs(emitter) && emitter.fault().is_none()) {
            return Err(SetupError::ForeignSnapshot("an emitter makes no sense"));
        }
        let mut kinds = self.world.kinds.clone();
        if !kinds.recount(&particles.phase) {
            return Err(SetupError::ForeignSnapshot("its particles are not sorted by kind"));
        }
        let bears = |body: &Body| body.loads.iter().all(|load| load.fault(kinds.matter().len()).is_none());
        if !state.bodies.iter().filter(|body| !body.is_removed).all(bears) {
            return Err(SetupError::ForeignSnapshot("a load makes no sense"));
        }
        let springs_back = |i: usize| self.world.materials[particles.material[i] as usize].elastic.is_some();
        if !kinds.bonded().all(springs_back) {
            return Err(SetupError::ForeignSnapshot("a bonded particle is of a material that is not elastic"));
        }
        if !self.world.memory.is_like(&state.memory) {
            return Err(SetupError::ForeignSnapshot("its models remember other things"));
        }
        let columns = |particles: &Particles| -> Vec<_> { particles.own.iter().map(|own| own.name.clone()).collect() };
        if columns(&particles) != columns(&self.world.particles) {
            return Err(SetupError::ForeignSnapshot("its processes own other columns"));
        }
        let own = std::mem::take(&mut self.world.particles.own);
        self.world.particles = particles;
        for (column, known) in self.world.particles.own.iter_mut().zip(own) {
            *column = OwnColumn { values: std::mem::take(&mut column.values), ..known };
        }
        self.world.kinds = kinds;
        self.world.bodies = state.bodies;
        (self.world.emitters, self.world.sinks) = (state.emitters, state.sinks);
        self.world.clock = state.clock;
        let Memory { accounts: asked, energy, .. } = std::mem::replace(&mut self.world.memory, state.memory);
        if energy.is_some() {
            self.watch_energy();
        }
        asked.iter().for_each(|account| self.open_account(account.body));
        self.next_id = state.next_id;
        self.pairs.lists_lost(state.lists);
        self.stored_bonds = state.bonds;
        (self.changed, self.solids_due, self.due) = (state.changed, true, Due::Again);
        if state.is_stale {
            self.pairs.particles_changed();
            self.due = Due::Anew;
        }
        self.world.take_census();
        Ok(())
    }
}
