//! The models that act in a simulation, and what they say together.

use crate::contact::Contact;
use crate::elasticity::{self, ImplicitElasticity};
use crate::fields::FieldForce;
use crate::force::Force;
use crate::kernel::Kernel;
use crate::pressure::{PressureSolver, StepLimits};
use crate::process::Owner;
use crate::real::Real;
use crate::rigid::RigidDynamics;
use crate::settings::Settings;
use crate::tension;
use crate::time::IndividualSteps;
use crate::viscosity::{self, ViscousSolve};
use crate::world::{LoadForce, Memory};

/// The models that act in a simulation. What they remember from step to step is in the world's [`Memory`].
pub(crate) struct Models {
    pub(crate) pressure: Box<dyn PressureSolver>,
    /// What keeps bodies apart where there is no pressure.
    pub(crate) contact: Option<Box<dyn Contact>>,
    pub(crate) forces: Vec<Box<dyn Force>>,
    /// Friction that is solved for, when all other forces are known.
    pub(crate) viscosity: ViscousSolve,
    /// After all forces: it sees what they do.
    pub(crate) implicit: ImplicitElasticity,
    pub(crate) rigid: RigidDynamics,
    /// Which particles are due, if steps are individual.
    pub(crate) steps: Option<IndividualSteps>,
    pub(crate) processes: Vec<Owner>,
}

impl Models {
    pub(crate) fn new(settings: &Settings, kernel: &Kernel, memory: &mut Memory) -> Self {
        let mut forces = viscosity::forces();
        forces.extend(tension::forces(settings));
        if !settings.fields.is_empty() {
            forces.push(Box::new(FieldForce::new(settings.fields.clone())));
        }
        forces.push(Box::new(LoadForce));
        forces.push(elasticity::force());
        Models {
            pressure: settings.pressure.solver(kernel, settings.spacing, memory),
            contact: settings.pressure.contact(),
            forces,
            viscosity: ViscousSolve::new(kernel, settings.spacing),
            implicit: ImplicitElasticity::default(),
            rigid: RigidDynamics::default(),
            steps: settings.step.individual().map(IndividualSteps::new),
            processes: Vec::new(),
        }
    }

    /// What keeps matter apart, in scene files and diagnoses.
    pub(crate) fn solver_name(&self) -> &'static str {
        self.contact.as_ref().map_or(self.pressure.scheme().name, |contact| contact.name())
    }

    /// The speed at which what keeps matter apart travels [m/s]; none if it is everywhere at once.
    pub(crate) fn signal_speed(&self, limits: &StepLimits) -> Option<Real> {
        self.contact.as_ref().map(|contact| contact.speed()).or(limits.signal_speed)
    }
}
