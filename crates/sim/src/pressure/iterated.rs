//! The parameters that all solvers have which find pressures by iteration, their defaults and their limits.

use super::blend::PairPressure;
use crate::parameters::{Check, Limits, Parameters};
use crate::real::Real;

/// Declares the parameters of a solver that iterates: those that all of them have, and its own ones, which are errors.
macro_rules! iterated {
    (
        $(#[$about:meta])* $name:ident {
            $(#[$about_error:meta])* density_error: $density_error:literal,
            min_iterations: $min_iterations:literal,
            $($(#[$about_own:meta])* $own:ident: $default:literal,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(
            feature = "schema",
            derive(schemars::JsonSchema),
            schemars(transform = crate::parameters::limits_into_schema::<$name>)
        )]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $(#[$about_error])*
            pub density_error: crate::real::Real,
            $($(#[$about_own])* pub $own: crate::real::Real,)*
            /// Share of the compression without pressure that may be left, on average [-]. Lower: quieter; 1: off.
            pub relative_error: crate::real::Real,
            /// Fewest iterations of a solve: information travels one neighbourhood in each.
            pub min_iterations: u32,
            /// Most iterations of a solve, even if the error is still too large.
            pub max_iterations: u32,
            /// Share of the last step's pressures that a step starts with [-]. With less it takes more iterations.
            pub warm_start: crate::real::Real,
            /// How the pressures of two particles combine where densities differ.
            pub pair_pressure: crate::pressure::PairPressure,
        }

        impl Default for $name {
            fn default() -> Self {
                $name {
                    density_error: $density_error,
                    $($own: $default,)*
                    relative_error: 0.2,
                    min_iterations: $min_iterations,
                    max_iterations: 100,
                    warm_start: 1.0,
                    pair_pressure: crate::pressure::PairPressure::default(),
                }
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

        impl crate::parameters::Parameters for $name {
            fn check(&self, check: &mut crate::parameters::Check) {
                let errors = crate::parameters::Limits::above_up_to(0.0, 0.5);
                check.number("density_error", self.density_error, errors);
                $(check.number(stringify!($own), self.$own, errors);)*
                self.iteration().check(check);
            }
        }
    };
}
pub(super) use iterated;

/// What all solvers that iterate are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Iteration {
    pub(crate) relative_error: Real,
    pub(crate) min_iterations: u32,
    pub(crate) max_iterations: u32,
    pub(crate) warm_start: Real,
    pub(crate) pair_pressure: PairPressure,
}

impl Parameters for Iteration {
    fn check(&self, check: &mut Check) {
        check.number("relative_error", self.relative_error, Limits::above_up_to(0.0, 1.0));
        check.number("min_iterations", self.min_iterations as Real, Limits::within(1.0, 1000.0));
        check.number("max_iterations", self.max_iterations as Real, Limits::within(1.0, 10_000.0));
        check.number("warm_start", self.warm_start, Limits::within(0.0, 1.0));
    }
}
