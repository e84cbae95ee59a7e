//! A simulation: the world, the models that act in it, and memory for a step.

use std::ops::Range;

use crate::account::Ledger;
use crate::coupling::Coupling;
use crate::elasticity::{self, Fracture, PlasticFlow, Solids, StoredBond, Unfit};
use crate::energy::EnergyScratch;
use crate::error::{SetupError, StepError};
use crate::fields;
use crate::force::Force;
use crate::heat::HeatProcess;
use crate::kernel::Filling;
use crate::measure::{Extremes, StepReport};
use crate::models::Models;
use crate::neighbors::{Crowded, InstructionSet, Pairs};
use crate::parameters::Check;
use crate::pressure::Moment;
use crate::real::{Real, Vec3};
use crate::rigid::RigidParticles;
use crate::rollback::Rollback;
use crate::settings::Settings;
use crate::tension;
use crate::time::{Individual, IndividualSteps, Shifts};
use crate::viscosity::ThixotropicStructure;
use crate::world::{
    Body, BodyId, Census, Clock, Domain, Kind, KindId, Kinds, Material, Memory, MovedBy, Particles, RigidBody, Spare,
    Structure, World,
};

/// Steps between two sortings of the particles in memory. Motion in a step is a small part of a cell, so order
/// decays slowly; sorting more often costs more than it gains.
const REORDER_EVERY: u64 = 100;

/// Memory that a step uses and the next may find in any state.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) acceleration: Vec<Vec3>,
    pub(crate) rollback: Rollback,
    pub(crate) coupling: Coupling,
    pub(crate) ledger: Ledger,
    pub(crate) energy: EnergyScratch,
    pub(crate) flow: PlasticFlow,
    pub(crate) fracture: Fracture,
    partials: Vec<Extremes>,
    /// The columns of a process at work.
    pub(crate) own: Vec<Vec<Real>>,
    pub(crate) shifts: Shifts,
    /// Particles that come or go.
    pub(crate) passing: Vec<usize>,
    spare: Spare,
}

/// Particles, and everything needed to move them. See the crate's page for an example.
pub struct Simulation {
    pub(crate) settings: Settings,
    pub(crate) world: World,
    pub(crate) models: Models,
    pub(crate) pairs: Pairs,
    pub(crate) scratch: Scratch,
    /// The largest values after the last step.
    pub(crate) extremes: Extremes,
    pub(crate) lattice_sum: Real,
    filling: Filling,
    pub(crate) next_id: u32,
    /// Bodies or walls were added or removed since the last step.
    pub(crate) changed: bool,
    /// What is known of elastic bodies must be found anew.
    pub(crate) solids_due: bool,
    /// Bonds that do not follow from the shapes of bodies, to be made with what is due of solids.
    pub(crate) stored_bonds: Vec<StoredBond>,
    /// What must be found out before the next step.
    pub(crate) due: Due,
    /// Where to fail, in tests.
    #[cfg(test)]
    pub(crate) fault: crate::fault::Fault,
}

/// What is to be found out of neighbours and densities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Nothing: they belong to the positions.
    Nothing,
    /// All of it: particles came, went or were moved.
    Anew,
    /// All of it, with lists as they were: the columns come from a snapshot.
    Again,
}

impl Simulation {
    /// An empty world.
    pub fn new(settings: Settings, materials: Vec<Material>) -> Result<Self, SetupError> {
        let mut problems = Check::problems(&settings);
        problems.extend(materials.iter().flat_map(Check::problems));
        if !problems.is_empty() {
            return Err(SetupError::OutOfRange(problems));
        }
        let fault = |(material, has): (usize, &Material)| {
            let (_, fault, _) = has.heat.as_ref()?.fault()?;
            Some(SetupError::BadHeat { material, fault })
        };
        if let Some(bad) = materials.iter().enumerate().find_map(fault) {
            return Err(bad);
        }
        if let Some(misfit) = Individual::misfit_of(&settings, &materials) {
            return Err(SetupError::NoIndividualSteps(misfit));
        }
        let Settings { spacing, dimension, periodic, .. } = settings;
        let domain = Domain::new(periodic);
        let kernel = settings.kernel.kernel(spacing, dimension);
        let mut memory = Memory::default();
        let models = Models::new(&settings, &kernel, &mut memory);
        let mut pairs = Pairs::new(kernel, kernel.lattice_neighbors(spacing), domain, InstructionSet::detect());
        pairs.expect(models.pressure.scheme().passes);
        let lattice_sum = kernel.lattice_sum(spacing);
        let heat = HeatProcess::new(&materials, settings.surroundings.as_ref(), (&kernel, spacing, lattice_sum));
        let structure = ThixotropicStructure::of(&materials);
        let plastic = elasticity::columns_of(&materials);
        let mut simulation = Simulation {
            world: World {
                particles: Particles::default(),
                kinds: Kinds::default(),
                bodies: Vec::new(),
                materials,
                heaters: Vec::new(),
                emitters: Vec::new(),
                sinks: Vec::new(),
                clock: Clock::default(),
                gravity: dimension.flatten(settings.gravity),
                spacing,
                dimension,
                domain,
                integrator: models.pressure.scheme().integrator,
                solids: Solids::default(),
                rigid: RigidParticles::default(),
                census: Census::default(),
                memory,
            },
            models,
            pairs,
            scratch: Scratch::default(),
            extremes: Extremes::default(),
            lattice_sum,
            filling: Filling::new(&kernel, spacing),
            settings,
            next_id: 0,
            changed: true,
            solids_due: true,
            stored_bonds: Vec::new(),
            due: Due::Anew,
            #[cfg(test)]
            fault: Default::default(),
        };
        if simulation.models.steps.is_some() {
            // Before all others, which may come later.
            simulation.world.particles.own.extend(IndividualSteps::columns());
        }
        if let Some(heat) = heat {
            simulation.add_process(Box::new(heat));
        }
        structure.into_iter().for_each(|process| simulation.add_process(process));
        simulation.world.particles.own.extend(plastic);
        Ok(simulation)
    }

    /// Uses the given vector instructions from now on, if this processor has them.
    pub fn set_instruction_set(&mut self, set: InstructionSet) {
        self.pairs.set_instruction_set(set);
        self.world.solids.bonds.set_instruction_set(self.pairs.instruction_set());
    }

    /// Adds a force of your own.
    pub fn add_force(&mut self, force: Box<dyn Force>) {
        // Before elasticity, whose implicit part must see it.
        self.models.forces.insert(0, force);
    }

    /// Moves the world forward by one step and reports what it took.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.step_until(f64::INFINITY)
    }

    /// Moves the world forward by one of the steps of equal length that reach the time `limit` [s].
    pub fn step_until(&mut self, limit: f64) -> Result<StepReport, StepError> {
        self.step_towards(limit, limit)
    }

    /// Steps until `seconds` from now, exactly; returns what the last step reported.
    pub fn advance(&mut self, seconds: f64) -> Result<StepReport, StepError> {
        let limit = self.world.clock.time + seconds;
        let mut report = StepReport::default();
        while self.world.clock.time < limit {
            report = self.step_until(limit)?;
        }
        Ok(report)
    }

    /// From now on neighbours that are bonded to each other are listed as well, as a part of their own.
    pub fn list_bonded(&mut self) {
        self.pairs.list_bonded();
        self.due = Due::Anew;
    }

    /// Brings order in memory, neighbours, densities and pressures up to date; a step does it by itself.
    pub fn prepare(&mut self) -> Result<(), StepError> {
        if self.solids_due {
            self.find_solids()?;
            let found = self.world.find_rigid_bodies(&self.pairs, self.lattice_sum);
            found.map_err(|crowded| crowding(&self.world, crowded))?;
            self.solids_due = false;
            self.stored_bonds.clear();
            self.world.take_census();
            self.models.contact.iter_mut().for_each(|contact| contact.set_up(&self.world));
        }
        #[cfg(test)]
        self.fault.in_prepare(0)?;
        if self.changed {
            let from_fields = fields::speed_squared(&self.settings.fields, &self.world);
            let from_tension = tension::speed_squared(&self.settings, &self.world);
            let from_paths = self.world.highest_path_speed().powi(2);
            let expected = from_fields + from_tension + from_paths + self.world.speed_of_streams();
            self.models.pressure.set_up(&mut self.world, expected);
            self.world.memory.schedule.abandon();
        }
        #[cfg(test)]
        self.fault.in_prepare(1)?;
        if self.changed || self.world.clock.step.is_multiple_of(REORDER_EVERY) {
            let World { particles, kinds, .. } = &mut self.world;
            let Scratch { acceleration, spare, .. } = &mut self.scratch;
            // Walls too, always: a resumed run does not know whether they have moved.
            self.pairs.particles_changed();
            // Between steps nobody needs the accelerations: their memory serves to move vectors.
            std::mem::swap(acceleration, &mut spare.vector);
            self.pairs.reorder(particles, kinds, spare);
            std::mem::swap(acceleration, &mut spare.vector);
            self.due = Due::Anew;
        }
        #[cfg(test)]
        self.fault.in_prepare(2)?;
        match self.due {
            Due::Nothing => {}
            Due::Anew => self.refresh(0.0).map_err(|crowded| crowding(&self.world, crowded))?,
            Due::Again => {
                let World { particles, kinds, solids, .. } = &mut self.world;
                self.pairs.retrace_all(particles, kinds, &solids.bonds);
                self.measure(0.0);
            }
        }
        self.energy_is_due();
        (self.changed, self.due) = (false, Due::Nothing);
        Ok(())
    }

    /// Finds out what must be known of elastic bodies.
    fn find_solids(&mut self) -> Result<(), StepError> {
        let Simulation { world, pairs, lattice_sum, stored_bonds, .. } = self;
        let solids = Solids::new(world, pairs, *lattice_sum, stored_bonds);
        world.solids = solids.map_err(|unfit| match unfit {
            Unfit::Crowded(crowded) => crowding(world, crowded),
            Unfit::Flat { particle } => {
                let position = world.particles.anchor[particle].to_array().map(f64::from);
                StepError::Flat { body: world.name_of(particle).to_owned(), position }
            }
        })?;
        Ok(())
    }

    /// Who is next to whom now, `elapsed` [s] after the last look, and how dense is it there?
    pub(crate) fn refresh(&mut self, elapsed: Real) -> Result<(), Crowded> {
        let World { particles, kinds, clock, solids, .. } = &mut self.world;
        self.pairs.update(particles, kinds, clock.last_dt, &solids.bonds, &mut self.scratch.acceleration)?;
        self.measure(elapsed);
        Ok(())
    }

    /// Densities and the pressures that follow from them, `elapsed` [s] after the last look, and the largest values.
    fn measure(&mut self, elapsed: Real) {
        let moment = Moment { pairs: &self.pairs, lattice_sum: self.lattice_sum, filling: &self.filling, elapsed };
        self.models.pressure.update(&mut self.world, moment);
        self.extremes = Extremes::of(&self.world, &mut self.scratch.partials);
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// All columns, kind by kind.
    pub fn particles(&self) -> &Particles {
        &self.world.particles
    }

    /// The particles that a step moves; the others are those of walls.
    pub fn matter(&self) -> Range<usize> {
        self.world.kinds.matter()
    }

    /// The body or wall with an identifier, unless it was removed.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.world.body(id)
    }

    /// Adds a kind of matter: a row of the table. None if paths move it, or its particles are tied to each other: such kinds are built in.
    pub fn add_kind(&mut self, kind: Kind) -> Option<KindId> {
        let is_open = kind.moved_by == MovedBy::Step && matches!(kind.structure, Structure::Loose | Structure::Flowing);
        is_open.then(|| self.world.kinds.add(kind))
    }

    /// How a rigid body is now, once the world was put in order.
    pub fn rigid_body(&self, id: BodyId) -> Option<&RigidBody> {
        self.world.rigid_bodies().find(|rigid| rigid.body == id)
    }

    /// Bodies and walls, by slot.
    pub fn bodies(&self) -> &[Body] {
        &self.world.bodies
    }

    /// The body or wall that particle `i` belongs to.
    pub fn body_of(&self, i: usize) -> Option<&Body> {
        self.world.bodies.get(*self.world.particles.body.get(i)? as usize)
    }

    /// The particles of a body or wall, by index.
    pub fn particles_of(&self, id: BodyId) -> impl Iterator<Item = usize> + Clone {
        let slot = self.body(id).map(|_| id.slot);
        let owners = self.world.particles.body.iter().enumerate();
        owners.filter(move |(_, owner)| slot == Some(**owner)).map(|(i, _)| i)
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.world.clock.time
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.world.clock.step
    }

    /// The neighbourhoods of the last step or [`prepare`](Self::prepare).
    pub fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// What `Σ V0 W` gives on the full lattice; densities are divided by it.
    pub fn lattice_sum(&self) -> Real {
        self.lattice_sum
    }

    #[cfg(test)]
    pub(crate) fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }
}

/// The error of a particle with too many neighbours.
fn crowding(world: &World, crowded: Crowded) -> StepError {
    let i = crowded.particle;
    StepError::Crowded {
        time: world.clock.time,
        body: world.name_of(i).to_owned(),
        position: world.particles.position[i].to_array().map(f64::from),
    }
}

/// Small worlds for tests of formulas.
#[cfg(test)]
pub(crate) mod test_worlds {
    use super::*;
    use crate::world::NewBody;

    /// Three fluid particles of two materials and three volumes, all of them neighbours, in motion.
    pub(crate) fn three_particles() -> Simulation {
        let settings = Settings { spacing: 0.1, ..Settings::default() };
        let materials = [1000.0, 400.0].map(|density| Material { density, ..Material::default() });
        let mut simulation = Simulation::new(settings, materials.to_vec()).unwrap();
        let body = |material, position, velocity, rest_volume: Vec<Real>| NewBody {
            name: format!("body {material}"),
            material,
            position,
            velocity,
            rest_volume,
            ..NewBody::default()
        };
        let heavy = [Vec3::ZERO, Vec3::new(0.09, 0.03, 0.01)];
        let moving = [Vec3::new(1.0, 0.0, 0.5), Vec3::new(-0.5, 2.0, 0.0)];
        simulation.add_body(body(0, heavy.to_vec(), moving.to_vec(), vec![1.0e-3, 1.5e-3])).unwrap();
        let light = vec![Vec3::new(-0.02, 0.1, 0.05)];
        simulation.add_body(body(1, light, vec![Vec3::new(0.3, -1.0, 0.2)], vec![0.7e-3])).unwrap();
        simulation.prepare().unwrap();
        assert!((0..3).all(|i| simulation.pairs().neighbors(i).count() == 2));
        simulation
    }
}
