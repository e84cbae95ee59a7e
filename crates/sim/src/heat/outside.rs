//! Which particles heaters hold or heat in a step, and which walls have a temperature.

use super::conduction::{Calibration, Conduction};
use super::heaters::{Heater, HeaterTarget, Supply};
use crate::neighbors::Pairs;
use crate::real::Real;
use crate::reduce;
use crate::world::World;

/// What heaters do in a step.
#[derive(Debug, Default)]
pub(super) struct Outside {
    /// The temperature that each particle of matter is held at; not a number where it is free.
    pub(super) held: Vec<Real>,
    /// The power that it is given, from heaters of regions and bodies and from walls [W].
    pub(super) power: Vec<[f64; 2]>,
    /// The temperature of each wall, by slot; none where it is insulated.
    pub(super) walls: Vec<Option<Real>>,
    /// Scratch: 1 for particles of a wall; what each particle of matter conducts from it.
    of_wall: Vec<Real>,
    shares: Vec<Real>,
    partials: Vec<f64>,
}

impl Outside {
    /// Finds what heaters hold and heat in the step that ends at `time` [s]. (Power of walls needs the rows of conduction.)
    pub(super) fn find(&mut self, world: &World, time: f64) {
        let count = world.kinds.matter().len();
        self.walls.clear();
        self.walls.resize(world.bodies.len(), None);
        self.held.clear();
        self.power.clear();
        if world.heaters.is_empty() {
            return;
        }
        self.held.resize(count, Real::NAN);
        self.power.resize(count, [0.0; 2]);
        for heater in active(world, time) {
            match (&heater.target, &heater.supply) {
                (HeaterTarget::Wall(id), Supply::Temperature(course)) if world.body(*id).is_some() => {
                    self.walls[id.slot as usize] = Some(course.at(time) as Real);
                }
                (HeaterTarget::Wall(_), _) => {}
                (_, Supply::Temperature(course)) => {
                    let temperature = course.at(time) as Real;
                    let targets = (0..count).filter(|&i| heats(heater, world, i));
                    targets.for_each(|i| self.held[i] = temperature);
                }
                (_, Supply::Power(course)) => {
                    let mass =
                        |i: usize| if heats(heater, world, i) { f64::from(world.particles.mass(i)) } else { 0.0 };
                    let total = reduce::sum(count, &mut self.partials, mass);
                    let density = course.at(time) / total.max(f64::MIN_POSITIVE);
                    self.power.iter_mut().enumerate().for_each(|(i, power)| power[0] += density * mass(i));
                }
            }
        }
    }

    /// Shares the power of walls among those who touch them.
    pub(super) fn find_power_of_walls(
        &mut self,
        (world, pairs): (&World, &Pairs),
        conduction: &Conduction,
        calibration: &Calibration,
        time: f64,
    ) {
        for heater in active(world, time) {
            let (HeaterTarget::Wall(id), Supply::Power(course)) = (&heater.target, &heater.supply) else { continue };
            self.of_wall.clear();
            self.of_wall.extend(world.particles.body.iter().map(|body| Real::from(u8::from(*body == id.slot))));
            self.shares.clear();
            self.shares.resize(self.power.len(), 0.0);
            conduction.shares(world, pairs, calibration, &self.of_wall, &mut self.shares);
            let shares = &self.shares;
            let total = reduce::sum(shares.len(), &mut self.partials, |i| f64::from(shares[i]));
            let each = course.at(time) / total.max(f64::MIN_POSITIVE);
            self.power.iter_mut().zip(shares).for_each(|(power, share)| power[1] += each * f64::from(*share));
        }
    }
}

fn active(world: &World, time: f64) -> impl Iterator<Item = &Heater> {
    world.heaters.iter().filter(move |heater| heater.is_active(time))
}

/// Does a heater of a region or body heat particle `i`?
fn heats(heater: &Heater, world: &World, i: usize) -> bool {
    match &heater.target {
        HeaterTarget::Region(region) => region.contains(world.dimension, &world.domain, world.particles.position[i]),
        HeaterTarget::Body(id) => world.particles.body[i] == id.slot && world.body(*id).is_some(),
        HeaterTarget::Wall(_) => false,
    }
}
