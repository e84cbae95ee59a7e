//! The parameters that all solvers have which find pressures by iteration, their defaults and their limits.

use super::blend::PairPressure;
use crate::real::Real;

/// Declares the parameters of a solver that iterates: its own ones, and those that all of them have. `Real` and
/// `Limits` are in scope there.
macro_rules! iterated {
    (
        $(#[doc = $about:tt])+
        pub struct $name:ident, min_iterations: $min_iterations:literal {$($own:tt)+}
    ) => {
        crate::parameters::parameters! {
            $(#[doc = $about])+
            pub struct $name {
                $($own)+
                /// Share of the compression without pressure that may be left in matter at rest, on average [-]; the more the
                /// faster it moves. Lower: quieter; 1: off.
                relative_error: Real = 0.2, Limits::above_up_to(0.0, 1.0);
                /// Fewest iterations of a solve: information travels one neighbourhood in each.
                min_iterations: u32 = $min_iterations, Limits::within(1.0, 1000.0);
                /// Most iterations of a solve, even if the error is still too large.
                max_iterations: u32 = 100, Limits::within(1.0, 10_000.0);
                /// Share of the last step's pressures that a step starts with [-]. With less it takes more iterations.
                warm_start: Real = 1.0, Limits::within(0.0, 1.0);
                /// How the pressures of two particles combine where densities differ.
                pair_pressure: crate::pressure::PairPressure = crate::pressure::PairPressure::default();
            }
        }

        impl $name {
            fn iteration(&self) -> crate::pressure::iterated::Iteration {
                let &$name { relative_error, min_iterations, max_iterations, warm_start, pair_pressure, .. } = self;
                crate::pressure::iterated::Iteration {
                    relative_error,
                    min_iterations,
                    max_iterations,
                    warm_start,
                    pair_pressure,
                }
            }
        }
    };
}
pub(super) use iterated;

/// The parameters of all solvers that iterate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Iteration {
    pub(crate) relative_error: Real,
    pub(crate) min_iterations: u32,
    pub(crate) max_iterations: u32,
    pub(crate) warm_start: Real,
    pub(crate) pair_pressure: PairPressure,
}
