//! The process that carries heat through a step.

use rayon::prelude::*;

use super::conduction::{Calibration, Conduction, Contact};
use super::heaters::Surroundings;
use super::material::{Curve, Heat};
use super::outside::Outside;
use super::super_stepping::{Stage, stages};
use super::{HeatReceived, columns, split};
use crate::force::StepContext;
use crate::kernel::Kernel;
use crate::process::{OwnValues, Process};
use crate::real::Real;
use crate::reduce::{self, Sum};
use crate::stage::stage;
use crate::world::{Material, OwnColumn, World};

/// Its columns: temperature, enthalpy, and what the enthalpy has no digits for.
const TEMPERATURE: usize = 0;
const ENTHALPY: usize = 1;
const REMAINDER: usize = 2;

/// Conduction of heat, and what comes from outside.
#[derive(Debug)]
pub(crate) struct HeatProcess {
    surroundings: Surroundings,
    calibration: Calibration,
    /// Of each material.
    curves: Vec<Curve>,
    conductivities: Vec<Real>,
    conduction: Conduction,
    outside: Outside,
    contacts: Vec<Contact>,
    flows: Vec<f64>,
    states: Vec<State>,
    temperatures: Vec<Real>,
    partials: Vec<HeatReceived>,
    received: HeatReceived,
}

/// The enthalpy of a particle on its way through a step [J/kg].
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Before the step.
    start: f64,
    /// By how much it has changed after the last stage, and after that before.
    last: f64,
    before: f64,
}

impl HeatProcess {
    /// None if no material has heat.
    pub(crate) fn new(
        materials: &[Material],
        surroundings: Option<&Surroundings>,
        (kernel, spacing, lattice_sum): (&Kernel, Real, Real),
    ) -> Option<Self> {
        materials.iter().any(|material| material.heat.is_some()).then(|| HeatProcess {
            surroundings: surroundings.cloned().unwrap_or(Surroundings { temperature: 0.0, exchange: 0.0 }),
            calibration: Calibration::new(kernel, spacing, lattice_sum),
            curves: materials
                .iter()
                .map(|material| material.heat.as_ref().map_or_else(Curve::default, Heat::curve))
                .collect(),
            // What has no heat is an insulator.
            conductivities: materials
                .iter()
                .map(|material| material.heat.as_ref().map_or(0.0, |heat| heat.conductivity))
                .collect(),
            conduction: Conduction::default(),
            outside: Outside::default(),
            contacts: Vec::new(),
            flows: Vec::new(),
            states: Vec::new(),
            temperatures: Vec::new(),
            partials: Vec::new(),
            received: HeatReceived::default(),
        })
    }

    /// Enthalpies before the step; those of particles that are held become what they are held at.
    fn begin(&mut self, world: &World, own: &OwnValues<'_>) {
        let (curves, material) = (&self.curves, &world.particles.material);
        let held = &self.outside.held;
        let (enthalpy, remainder) = (&own[ENTHALPY], &own[REMAINDER]);
        let count = world.kinds.matter().len();
        self.states.resize(count, State::default());
        self.temperatures.resize(count, 0.0);
        let particles = self.states.par_iter_mut().zip(&mut self.temperatures).with_min_len(4096).enumerate();
        particles.for_each(|(i, (state, temperature))| {
            let start = f64::from(enthalpy[i]) + f64::from(remainder[i]);
            let curve = &curves[material[i] as usize];
            let held = held.get(i).copied().unwrap_or(Real::NAN);
            let present = curve.temperature(start) as Real;
            // What melts at this very temperature stays as it is.
            let raised = if held.is_nan() || present == held { 0.0 } else { curve.enthalpy(f64::from(held)) - start };
            *state = State { start, last: raised, before: raised };
            *temperature = curve.temperature(start + raised) as Real;
        });
        let states = &self.states;
        let raised = |i: usize| HeatReceived { heaters: mass(world, i) * states[i].last, ..HeatReceived::default() };
        self.received =
            if held.is_empty() { HeatReceived::default() } else { reduce::sum(count, &mut self.partials, raised) };
    }

    /// What particles exchange with whom, as long as nobody moves.
    fn look_around(&mut self, step: &StepContext<'_>, time: f64) {
        let (world, pairs) = (step.world, step.pairs);
        let particles = &world.particles;
        let cell = world.dimension.cell_volume(world.spacing);
        let HeatProcess { conduction, outside, contacts, temperatures, conductivities, calibration, .. } = self;
        let matter = world.kinds.matter().len();
        conduction.fill(particles.len(), |i| {
            let volume = particles.rest_volume[i] / cell;
            match temperatures.get(i) {
                Some(temperature) => [*temperature, conductivities[particles.material[i] as usize], 0.0, volume],
                None => {
                    let held = outside.walls[particles.body[i] as usize];
                    [held.unwrap_or(0.0), Real::from(u8::from(held.is_some())), 0.0, volume]
                }
            }
        });
        conduction.find_digits(world, pairs, calibration);
        contacts.resize(matter, Contact::default());
        conduction.contacts(world, pairs, (calibration, self.surroundings.exchange), contacts);
        outside.find_power_of_walls((world, pairs), conduction, calibration, time);
    }

    /// How many times as long as an explicit step one of `dt` is.
    fn ratio(&self, world: &World, dt: Real) -> f64 {
        let (contacts, curves) = (&self.contacts, &self.curves);
        let cell = f64::from(world.dimension.cell_volume(world.spacing));
        let fastest = reduce::max(contacts.len(), |i| {
            let Contact { matter, walls, surface, .. } = contacts[i];
            let capacity = mass(world, i) * curves[world.particles.material[i] as usize].capacity;
            cell * f64::from(matter + walls + surface) / capacity
        });
        f64::from(dt) * fastest
    }

    /// Makes a stage; what came from outside at the rate of its beginning [W].
    fn advance_stage(&mut self, step: &StepContext<'_>, stage: Stage) -> HeatReceived {
        let world = step.world;
        let cell = f64::from(world.dimension.cell_volume(world.spacing));
        self.flows.resize(self.states.len(), 0.0);
        self.conduction.flows(step.pairs, &self.calibration, &mut self.flows);
        let HeatProcess { flows, contacts, outside, temperatures, conduction, surroundings, states, partials, .. } =
            self;
        let (rows, start) = (&conduction.rows, &*temperatures);
        let rate = f64::from(step.dt) * stage.rate;
        reduce::sum_while_writing(states, partials, |first, states| {
            let mut received = HeatReceived::default();
            for (i, state) in (first..).zip(states) {
                let (contact, temperature) = (&contacts[i], rows[i][0]);
                let warmer = f64::from(temperature - start[i]);
                let from_walls = cell * (f64::from(contact.drive) - f64::from(contact.walls) * warmer);
                let cooler = f64::from(surroundings.temperature) - f64::from(temperature);
                let [given, through_wall] = outside.power.get(i).copied().unwrap_or_default();
                let mut here = HeatReceived {
                    walls: from_walls + through_wall,
                    surroundings: cell * f64::from(contact.surface) * cooler,
                    heaters: given,
                    ..HeatReceived::default()
                };
                let flow = cell * flows[i];
                if outside.held.get(i).is_some_and(|held| !held.is_nan()) {
                    // Whoever holds it takes what it is given.
                    here.heaters = -flow - here.walls - here.surroundings;
                }
                received = received.plus(here);
                let change = rate * (flow + here.sum()) / mass(world, i);
                let next = stage.last * state.last + stage.before * state.before + change;
                (state.before, state.last) = (state.last, next);
            }
            received
        })
    }

    /// The temperatures that enthalpies have now, in the rows.
    fn find_temperatures(&mut self, world: &World, out: &mut [Real]) {
        let (curves, states, material) = (&self.curves, &self.states, &world.particles.material);
        out.par_iter_mut().with_min_len(4096).enumerate().for_each(|(i, temperature)| {
            *temperature = curves[material[i] as usize].temperature(states[i].start + states[i].last) as Real;
        });
        self.conduction.set_temperatures(out);
    }
}

impl Process for HeatProcess {
    fn columns(&self) -> Vec<OwnColumn> {
        columns()
    }

    fn advance(&mut self, step: &StepContext<'_>, own: &mut OwnValues<'_>) {
        stage!("heat");
        let world = step.world;
        let time = world.clock.time + f64::from(step.dt);
        self.outside.find(world, time);
        self.begin(world, own);
        self.look_around(step, time);
        // The changes by heaters that hold temperatures are in every stage: they are no part of the recursion.
        let all = stages(self.ratio(world, step.dt));
        let matter = self.states.len();
        let (mut last, mut before) = (HeatReceived::default(), HeatReceived::default());
        for j in 1..=all {
            let stage = Stage::new(j, all);
            let received = self.advance_stage(step, stage).scaled(f64::from(step.dt) * stage.rate);
            (before, last) = (last, last.scaled(stage.last).plus(before.scaled(stage.before)).plus(received));
            self.find_temperatures(world, &mut own[TEMPERATURE][..matter]);
        }
        self.received = self.received.plus(last);
        let states = &self.states;
        let [enthalpy, remainder] = [ENTHALPY, REMAINDER];
        for (i, state) in states.iter().enumerate() {
            let [high, low] = split(state.start + state.last);
            (own[enthalpy][i], own[remainder][i]) = (high, low);
        }
        let walls = world.kinds.walls();
        let (of_walls, body) = (&mut own[TEMPERATURE][walls.clone()], &world.particles.body[walls]);
        of_walls.iter_mut().zip(body).for_each(|(temperature, body)| {
            *temperature = self.outside.walls[*body as usize].unwrap_or(super::ROOM);
        });
    }

    fn sees_bonded(&self) -> bool {
        true
    }

    fn heat_received(&self) -> Option<HeatReceived> {
        Some(self.received)
    }
}

/// As exact as its factors [kg].
fn mass(world: &World, i: usize) -> f64 {
    f64::from(world.particles.rest_density[i]) * f64::from(world.particles.rest_volume[i])
}
