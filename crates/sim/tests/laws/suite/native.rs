//! The step of this crate, with the instructions and threads of its choice or without any.

use rayon::{ThreadPool, ThreadPoolBuilder};
use thixo_sim::{BodyId, InstructionSet, SetupError, Simulation, Snapshot, StepError, StepReport};

use super::{Change, Recipe, Stepper, Thing, View};

/// With the instruction set that this processor has, and the threads of the caller.
pub(crate) type Detected = Native<0, false>;

/// With the instructions that every processor has, and one thread.
pub(crate) type Baseline = Native<1, true>;

/// With a number of threads.
pub(crate) type Threads<const COUNT: usize> = Native<COUNT, false>;

/// A simulation of this crate, with so many threads (0: those of the caller).
pub(crate) struct Native<const THREADS: usize, const IS_BASELINE: bool> {
    simulation: Simulation,
    pool: Option<ThreadPool>,
}

/// The simulation of a recipe, for laws about this crate alone.
pub(crate) fn simulation(recipe: &Recipe) -> Result<Simulation, SetupError> {
    let mut simulation = Simulation::new(recipe.settings.clone(), recipe.materials.clone())?;
    recipe.things.iter().try_for_each(|thing| add(&mut simulation, thing.clone()).map(|_| ()))?;
    Ok(simulation)
}

fn add(simulation: &mut Simulation, thing: Thing) -> Result<BodyId, SetupError> {
    let body = match thing {
        Thing::Body(body) => simulation.add_body(body),
        Thing::Wall(wall) => simulation.add_wall(wall),
    }?;
    // Whatever laws say of a step, they say of one that keeps accounts.
    simulation.open_account(body);
    Ok(body)
}

impl<const THREADS: usize, const IS_BASELINE: bool> Native<THREADS, IS_BASELINE> {
    fn run<T: Send>(&mut self, work: impl FnOnce(&mut Simulation) -> T + Send) -> T {
        let Native { simulation, pool } = self;
        match pool {
            Some(pool) => pool.install(|| work(simulation)),
            None => work(simulation),
        }
    }
}

impl<const THREADS: usize, const IS_BASELINE: bool> Stepper for Native<THREADS, IS_BASELINE> {
    fn make(recipe: &Recipe) -> Result<Self, SetupError> {
        let mut simulation = simulation(recipe)?;
        if IS_BASELINE {
            simulation.set_instruction_set(InstructionSet::Baseline);
        }
        let pool = (THREADS > 0).then(|| ThreadPoolBuilder::new().num_threads(THREADS).build().unwrap());
        Ok(Native { simulation, pool })
    }

    fn change(&mut self, change: Change) -> Result<BodyId, SetupError> {
        self.run(|simulation| match change {
            Change::Add(thing) => add(simulation, *thing),
            Change::Remove(body) => simulation.remove_body(body).map(|()| body),
            Change::Move(wall, motion) => simulation.move_wall(wall, motion).map(|()| wall),
        })
    }

    fn prepare(&mut self) -> Result<(), StepError> {
        self.run(Simulation::prepare)
    }

    fn step_until(&mut self, limit: f64) -> Result<StepReport, StepError> {
        self.run(|simulation| simulation.step_until(limit))
    }

    fn snapshot(&self) -> Snapshot {
        self.simulation.snapshot()
    }

    fn restore(&mut self, snapshot: Snapshot) -> Result<(), SetupError> {
        self.run(|simulation| simulation.restore(snapshot))
    }

    fn view(&self) -> View<'_> {
        View::of(&self.simulation)
    }

    fn measure<T>(&self, quantity: impl FnOnce(&Simulation) -> T) -> T {
        quantity(&self.simulation)
    }
}
