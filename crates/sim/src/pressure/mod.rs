//! Pressure: one file per solver.
//!
//! All of them act through one pair formula in rest volumes, for fluids, solids and walls alike
//! (see [`pair_force`]).

pub(crate) mod blend;
mod cohesion;
mod dfsph;
mod expected;
mod iisph;
mod incompressible;
mod iterated;
mod lattice;
mod none;
pub(crate) mod pair_force;
mod pcisph;
mod state_equation;
mod system;
pub(crate) mod walls;
mod wcsph;

pub use blend::PairPressure;
pub use cohesion::Cohesion;
pub use dfsph::Dfsph;
pub(crate) use expected::ExpectedPressure;
pub use iisph::Iisph;
use incompressible::IncompressibleSolver;
use none::NoPressure;
pub use pcisph::Pcisph;
use state_equation::{StateEquationSolver, suitable_stiffness};
pub use wcsph::Wcsph;

use crate::contact::{Contact, Penalty, PenaltySolver, PredictorCorrector, PredictorCorrectorSolver};
use crate::force::StepContext;
use crate::kernel::{Filling, Kernel};
use crate::measure::StepReport;
use crate::neighbors::{Pairs, Passes};
use crate::parameters::parameters;
use crate::real::{Real, Vec3};
use crate::response::BodyResponse;
pub(crate) use crate::time::Integrator;
use crate::world::{Memory, World};

parameters! {
    /// The pressure solver of a scene: `[pressure.wcsph]`.
    pub enum Pressure = Wcsph {
        /// The default of a scene: what suits it; `thixo check` and `log.jsonl` say what it is, and why. A program that makes its
        /// own world gets IISPH.
        Auto,
        /// Weakly compressible: pressure from a stiff state equation, small steps.
        Wcsph(Wcsph),
        /// Incompressible: predicts, measures the densities and corrects them, until the worst particle is within its bound.
        Pcisph(Pcisph),
        /// Incompressible: solves for pressures until the mean density error is within its bound.
        Iisph(Iisph),
        /// Incompressible: like IISPH, and keeps velocities from compressing as well.
        Dfsph(Dfsph),
        /// Attraction as well as repulsion: matter holds together.
        Cohesion(Cohesion),
        /// For elastic bodies alone: springs between what comes too close.
        Penalty(Penalty),
        /// For elastic bodies alone: what would come too close in a step is stopped before.
        PredictorCorrector(PredictorCorrector),
    }
}

impl Pressure {
    /// The speed at which pressure travels in matter that moves at most with this squared speed [m/s]; none where
    /// pressure is everywhere at once.
    pub fn signal_speed(&self, speed_squared: f64) -> Option<f64> {
        let (given, density_error) = match self {
            Pressure::Wcsph(wcsph) => (wcsph.stiffness, wcsph.density_error),
            Pressure::Cohesion(cohesion) => (cohesion.stiffness, cohesion.density_error),
            Pressure::Auto | Pressure::Pcisph(_) | Pressure::Iisph(_) | Pressure::Dfsph(_) => return None,
            // Springs are as stiff as the bodies, whose own speed of sound is known.
            Pressure::Penalty(_) | Pressure::PredictorCorrector(_) => return None,
        };
        Some(given.map_or_else(|| suitable_stiffness(speed_squared, density_error), f64::from).sqrt())
    }

    /// The solver with these parameters, in a world whose densities are found with `kernel` and whose particles are
    /// `spacing` apart.
    pub(crate) fn solver(&self, kernel: &Kernel, spacing: Real, memory: &mut Memory) -> Box<dyn PressureSolver> {
        match self {
            Pressure::Auto => Box::new(IncompressibleSolver::new(Iisph::default(), kernel, spacing, memory)),
            Pressure::Wcsph(wcsph) => Box::new(StateEquationSolver::new(wcsph.clone(), kernel, memory)),
            Pressure::Pcisph(pcisph) => Box::new(IncompressibleSolver::new(pcisph.clone(), kernel, spacing, memory)),
            Pressure::Iisph(iisph) => Box::new(IncompressibleSolver::new(iisph.clone(), kernel, spacing, memory)),
            Pressure::Dfsph(dfsph) => Box::new(IncompressibleSolver::new(dfsph.clone(), kernel, spacing, memory)),
            Pressure::Cohesion(cohesion) => Box::new(StateEquationSolver::new(cohesion.clone(), kernel, memory)),
            Pressure::Penalty(_) | Pressure::PredictorCorrector(_) => Box::new(NoPressure::default()),
        }
    }

    /// The model of contact with these parameters, if there is no pressure that keeps bodies apart.
    pub(crate) fn contact(&self) -> Option<Box<dyn Contact>> {
        match self {
            Pressure::Penalty(penalty) => Some(Box::new(PenaltySolver::new(penalty.clone()))),
            Pressure::PredictorCorrector(contact) => Some(Box::new(PredictorCorrectorSolver::new(contact.clone()))),
            _ => None,
        }
    }

    /// Can there be fluids? Models of contact alone have no pressure.
    pub fn allows_fluids(&self) -> bool {
        !matches!(self, Pressure::Penalty(_) | Pressure::PredictorCorrector(_))
    }
}

/// What a correction of velocities took, and what it left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Correction {
    pub(crate) iterations: u32,
    /// Those that kept velocities from compressing.
    pub(crate) divergence_iterations: u32,
    /// The error that is left, as the solver measures it [-].
    pub(crate) error: f64,
    /// The error that may be left [-].
    pub(crate) bound: f64,
    /// The compression of the worst particle after the step beyond which it was too long [-], if there is such a bound.
    pub(crate) too_much: Option<f64>,
}

impl Correction {
    /// This one, and another after it.
    pub(crate) fn then(&self, next: Correction) -> Correction {
        Correction {
            iterations: self.iterations + next.iterations,
            divergence_iterations: self.divergence_iterations + next.divergence_iterations,
            ..next
        }
    }

    /// Enters what it took into the report of a step.
    pub(crate) fn report(&self, report: StepReport) -> StepReport {
        StepReport {
            iterations: self.iterations,
            divergence_iterations: self.divergence_iterations,
            predicted_error: self.error,
            allowed_error: self.bound,
            ..report
        }
    }
}

/// What is fixed about a solver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scheme {
    /// Its name in scene files and diagnoses.
    pub(crate) name: &'static str,
    /// How positions follow velocities.
    pub(crate) integrator: Integrator,
    /// How often it sums over neighbours in a step.
    pub(crate) passes: Passes,
}

/// What pressure says about the length of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepLimits {
    /// The speed at which pressure travels in the most compressed matter [m/s]; none if it is everywhere at once.
    pub(crate) signal_speed: Option<Real>,
    /// The acceleration that limits the step [m/s²].
    pub(crate) acceleration: f64,
    /// May steps of matter in motion be longer than those of matter at rest, as far as accelerations limit them?
    pub(crate) is_paced_by_speed: bool,
    /// The largest acceleration of a solid that limits the step beside it [m/s²].
    pub(crate) acceleration_of_solids: f64,
    /// The fastest oscillation of particles about places that pressure holds them in [1/s].
    pub(crate) oscillation: f64,
}

/// Where matter is now, as solvers look at it.
#[derive(Clone, Copy)]
pub(crate) struct Moment<'a> {
    pub(crate) pairs: &'a Pairs,
    /// Σ V0 W on the full lattice.
    pub(crate) lattice_sum: Real,
    pub(crate) filling: &'a Filling,
    /// Time since the last look [s]; 0 if nothing has moved.
    pub(crate) elapsed: Real,
}

/// What pressure does to walls.
pub(crate) trait WallForces {
    /// Adds the forces on the particles of walls [N] that are the other side of the accelerations that it gave to matter in
    /// this step; `force` has one entry for each of them.
    fn add_wall_forces(&self, step: &StepContext<'_>, force: &mut [Vec3]);
}

/// A solver that finds the pressures which keep a step from compressing matter, when all other accelerations are known.
pub(crate) trait Corrector {
    /// How the pressures of two particles combine.
    fn pair_pressure(&self) -> PairPressure;

    /// Remembers how strongly matter is accelerated without pressure and without friction that is solved for: steps are as long
    /// as suits that.
    fn remember(&mut self, world: &mut World, acceleration: &[Vec3]);

    /// Finds the pressures of a step of `dt`, in which bodies respond so, and adds their accelerations. Of particles of
    /// bodies these are the ones with which they move. Of `acceleration` they have what was expected of pressures already.
    fn correct(
        &mut self,
        world: &mut World,
        pairs: &Pairs,
        dt: Real,
        bodies: (&mut dyn BodyResponse, &[Vec3]),
        acceleration: &mut [Vec3],
    ) -> Correction;

    /// The same again: bodies have answered, and what their particles have of `acceleration` is right for the pressures that
    /// were found.
    fn correct_again(
        &mut self,
        world: &mut World,
        pairs: &Pairs,
        response: &mut dyn BodyResponse,
        acceleration: &mut [Vec3],
    ) -> Correction;

    /// Bodies have answered: goes as far from the pressures at the start of the last solve towards those that it found as
    /// leaves the least energy, and at most `furthest` times as far; returns how far, having changed the accelerations of fluids
    /// accordingly. `mobilities` are what the change of forces would do to bodies as they were told to respond, and what it did
    /// [kg m²/s⁴].
    fn search(
        &mut self,
        world: &mut World,
        pairs: &Pairs,
        mobilities: [f64; 2],
        furthest: Real,
        acceleration: &mut [Vec3],
    ) -> Real;

    /// What the pressures that were found do to solids: their accelerations, were each particle alone [m/s²].
    fn surface_acceleration(&self) -> &[Vec3];

    /// Leaves the pressures of the step behind, when bodies have answered.
    fn finish(&mut self, world: &mut World, pairs: &Pairs, acceleration: &[Vec3]);
}

/// A pressure solver: the step calls its methods, in this order. What it must remember
/// from step to step is in the world's [`Memory`](crate::world::Memory).
pub(crate) trait PressureSolver: WallForces + Send + Sync {
    /// What is fixed about it.
    fn scheme(&self) -> Scheme;

    /// Bodies or walls have changed. Fields and paths will add `expected` to the squared speed of matter [m²/s²].
    fn set_up(&mut self, world: &mut World, expected: f64);

    /// Matter has moved: writes its densities, and the pressures that follow from them, of matter and walls.
    fn update(&mut self, world: &mut World, moment: Moment<'_>);

    /// The speed of sound in matter at rest [m/s], by which artificial friction is measured.
    fn sound_speed(&self, world: &World) -> Real;

    /// How it limits the step, when φ of the most compressed particle and the largest acceleration of the last step were
    /// these.
    fn limits(&self, world: &World, compression: Real, acceleration: f64) -> StepLimits;

    /// Adds the accelerations by pressure, if they are known before the step.
    fn accelerate(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let _ = (step, acceleration);
    }

    /// Itself, if it finds pressures only after all other accelerations.
    fn corrector(&mut self) -> Option<&mut dyn Corrector> {
        None
    }

    /// Energy of compression per rest volume e(φ) [J/m³], with p = φ² de/dφ.
    fn energy_density(&self, world: &World, phi: f64, rest_density: f64) -> f64 {
        let _ = (world, phi, rest_density);
        0.0
    }
}
