//! What keeps matter from being squeezed: one file per pressure solver.
//!
//! All of them act through one pair formula in rest volumes, for fluids, solids and walls alike
//! (see [`pair_force`]).

pub(crate) mod blend;
mod cohesion;
mod dfsph;
pub(crate) mod friction;
mod iisph;
mod incompressible;
mod iterated;
mod lattice;
pub(crate) mod pair_force;
mod pcisph;
mod penalty;
mod predictor_corrector;
mod state_equation;
mod system;
mod wall_plane;
pub(crate) mod walls;
mod wcsph;

use blend::Blend;
pub use blend::PairPressure;
pub use cohesion::Cohesion;
pub use dfsph::Dfsph;
pub use iisph::Iisph;
use incompressible::IncompressibleSolver;
pub use pcisph::Pcisph;
pub use penalty::Penalty;
use penalty::PenaltySolver;
pub use predictor_corrector::PredictorCorrector;
use predictor_corrector::PredictorCorrectorSolver;
use state_equation::StateEquationSolver;
pub use wcsph::Wcsph;

use crate::density::DensityMethod;
use crate::force::StepContext;
use crate::kernel::Kernel;
use crate::measure::StepReport;
use crate::neighbors::{Pairs, Passes};
use crate::parameters::parameters;
use crate::real::{Real, Vec3};
use crate::world::World;

parameters! {
    /// The pressure solver of a scene: `[pressure.wcsph]`.
    pub enum Pressure = Wcsph {
        /// What suits the scene; `log.jsonl` says what it is, and why. A program that makes its own world gets IISPH.
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
        Some(given.map_or_else(|| speed_squared / f64::from(density_error), f64::from).sqrt())
    }

    /// The solver with these parameters, in a world whose densities are found with `kernel` and whose particles are
    /// `spacing` apart.
    pub(crate) fn solver(&self, kernel: &Kernel, spacing: Real) -> Box<dyn PressureSolver> {
        match self {
            Pressure::Auto => Box::new(IncompressibleSolver::new(Iisph::default(), kernel, spacing)),
            Pressure::Wcsph(wcsph) => Box::new(StateEquationSolver::new(wcsph.clone(), kernel)),
            Pressure::Pcisph(pcisph) => Box::new(IncompressibleSolver::new(pcisph.clone(), kernel, spacing)),
            Pressure::Iisph(iisph) => Box::new(IncompressibleSolver::new(iisph.clone(), kernel, spacing)),
            Pressure::Dfsph(dfsph) => Box::new(IncompressibleSolver::new(dfsph.clone(), kernel, spacing)),
            Pressure::Cohesion(cohesion) => Box::new(StateEquationSolver::new(cohesion.clone(), kernel)),
            Pressure::Penalty(penalty) => Box::new(PenaltySolver::new(penalty.clone())),
            Pressure::PredictorCorrector(contact) => Box::new(PredictorCorrectorSolver::new(contact.clone())),
        }
    }

    /// Can fluids be under it? What handles contact alone knows of no pressure.
    pub fn allows_fluids(&self) -> bool {
        !matches!(self, Pressure::Penalty(_) | Pressure::PredictorCorrector(_))
    }
}

/// How positions follow velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integrator {
    /// Of second order, with forces that belong to the positions.
    Leapfrog,
    /// Velocities first: what was corrected is what moves.
    SymplecticEuler,
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
}

impl Correction {
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

/// A pressure solver is a guest in the step: it is asked, in this order, and owns nothing of it.
pub(crate) trait PressureSolver: Send + Sync {
    /// Its name in scene files and diagnoses.
    fn name(&self) -> &'static str;

    /// Can fluids be under it?
    fn allows_fluids(&self) -> bool {
        true
    }

    /// How densities are found.
    fn density_method(&self) -> DensityMethod {
        DensityMethod::Summation
    }

    /// How pressures combined in the last push, if densities are to follow the motion in the same way.
    fn blend(&self) -> Option<&Blend> {
        None
    }

    /// The kernel of pressure gradients, if it is not that of densities.
    fn gradient_kernel(&self) -> Option<&Kernel> {
        None
    }

    /// Bodies or walls have changed. Fields and paths will add `expected` to the squared speed of matter [m²/s²].
    fn set_up(&mut self, world: &World, expected: f64);

    /// Densities are new: writes the pressures that follow from them, of matter and walls.
    fn update_pressures(&mut self, world: &mut World, pairs: &Pairs);

    /// The speed of sound in matter at rest [m/s], by which artificial friction is measured.
    fn sound_speed(&self) -> Real;

    /// The speed at which pressure travels in the most compressed matter [m/s], which limits the step; none if it is
    /// everywhere at once.
    fn signal_speed(&self, compression: Real) -> Option<Real>;

    /// The push that limits the step, when the hardest of the last step was `hardest` [m/s²].
    fn limiting_push(&self, hardest: f64) -> f64 {
        hardest
    }

    /// May steps of matter in motion be longer than those of matter at rest, as far as pushes limit them?
    fn is_paced_by_speed(&self, world: &World) -> bool {
        let _ = world;
        true
    }

    /// The hardest push of a solid that limits the step beside it [m/s²].
    fn hardest_push_of_solids(&self) -> f64 {
        0.0
    }

    /// How often it sums over neighbours in a step.
    fn passes(&self) -> Passes {
        Passes::Few
    }

    /// How positions follow velocities.
    fn integrator(&self) -> Integrator {
        Integrator::Leapfrog
    }

    /// Adds the accelerations by pressure, if they are known before the step.
    fn accelerate(&mut self, step: &StepContext<'_>, acceleration: &mut [Vec3]) {
        let _ = (step, acceleration);
    }

    /// Everything else has pushed: adds the pressures, and their accelerations, that keep a step of `dt` from
    /// compressing matter.
    fn correct(&mut self, world: &mut World, pairs: &Pairs, dt: Real, acceleration: &mut [Vec3]) -> Correction {
        let _ = (world, pairs, dt, acceleration);
        Correction::default()
    }

    /// Did the step compress the worst particle, by `worst` [-], so much more than the correction predicted that it
    /// should be tried again at half its length?
    fn regrets(&self, correction: &Correction, worst: f64) -> bool {
        let _ = (correction, worst);
        false
    }

    /// Energy of compression per rest volume e(φ) [J/m³], with p = φ² de/dφ.
    fn energy_density(&self, phi: f64, rest_density: f64) -> f64 {
        let _ = (phi, rest_density);
        0.0
    }

    /// What it must remember to go on after a restart, beyond the columns.
    fn memory(&self) -> Vec<Real>;

    /// Takes back what [`memory`](Self::memory) gave.
    fn recall(&mut self, memory: &[Real]);
}
