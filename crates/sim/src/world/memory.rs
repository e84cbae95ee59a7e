//! What a step changes beside the columns: numbers that models keep from step to step.
//!
//! All of it is one plain struct, so that whoever takes a step back, writes a checkpoint or goes on from one has the same
//! list. A model is made of parameters and scratch; what it must remember stands here.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use crate::account::Account;
use crate::elasticity::Vibration;
use crate::energy::EnergyBalance;
use crate::heat::HeatReceived;
use crate::real::Real;
use crate::rigid::{Joined, Pressing};
use crate::time::Schedule;
use crate::world::RigidBody;

/// What models remember from step to step.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The time for which walls were last put on their paths [s].
    pub posed: f64,
    /// Where individual steps are, if there are any.
    pub schedule: Schedule,
    /// What walls and bodies have received, if somebody asks.
    pub accounts: Vec<Account>,
    /// The balance of energy, if somebody watches.
    pub energy: Option<EnergyBalance>,
    /// Heat that came from outside.
    pub heat: HeatReceived,
    /// How implicit bodies vibrate, by slot.
    pub vibrations: Vec<Vibration>,
    /// Rigid bodies, by slot.
    pub rigid: Vec<RigidBody>,
    /// What pushed them at contacts in the last step.
    pub(crate) pressing: Vec<Pressing>,
    /// What joins them.
    pub joints: Vec<Joined>,
    /// Numbers of models.
    numbers: Vec<Real>,
    /// What they are called, in the same order.
    names: Vec<String>,
}

/// By hand: every step keeps a copy, in memory that it has already.
impl Clone for Memory {
    fn clone(&self) -> Self {
        let mut copy = Memory::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let Memory { posed, schedule, accounts, energy, heat, vibrations, rigid, pressing, joints, numbers, names } =
            other;
        self.posed = *posed;
        self.schedule = *schedule;
        self.accounts.clone_from(accounts);
        self.energy = *energy;
        self.heat = *heat;
        self.vibrations.clone_from(vibrations);
        self.rigid.clone_from(rigid);
        self.pressing.clone_from(pressing);
        self.joints.clone_from(joints);
        self.numbers.clone_from(numbers);
        self.names.clone_from(names);
    }
}

/// Which number of a model.
#[derive(Clone, Copy, Debug)]
pub struct Remembered(usize);

impl Memory {
    /// Room for a number of a model that is made now.
    pub(crate) fn reserve(&mut self, name: &str, initial: Real) -> Remembered {
        self.numbers.push(initial);
        self.names.push(name.to_owned());
        Remembered(self.numbers.len() - 1)
    }

    /// A number by its name, if there is one.
    pub fn number(&self, name: &str) -> Option<Real> {
        Some(self.numbers[self.names.iter().position(|other| other == name)?])
    }

    /// Are these the memories of the same models?
    pub(crate) fn is_like(&self, other: &Memory) -> bool {
        self.names == other.names && self.numbers.len() == other.numbers.len()
    }
}

impl Index<Remembered> for Memory {
    type Output = Real;

    fn index(&self, Remembered(place): Remembered) -> &Real {
        &self.numbers[place]
    }
}

impl IndexMut<Remembered> for Memory {
    fn index_mut(&mut self, Remembered(place): Remembered) -> &mut Real {
        &mut self.numbers[place]
    }
}
