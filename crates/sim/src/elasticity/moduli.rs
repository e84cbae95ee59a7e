//! How stiff a material is.
//!
//! Two numbers say it, in one of two ways:
//!
//! ```text
//! μ = G = E / (2 (1 + ν)),    λ = E ν / ((1 + ν)(1 − 2ν)) = K − ⅔ G
//! ```
//!
//! Where a neighbourhood does not extend, nothing holds it and it is free to thin: its stress is zero across. Without
//! strain of its own choice in one direction the trace of the others counts less (plane stress), and so again for a
//! line (uniaxial stress, P = E ε):
//!
//! ```text
//! λ' = 2 μ λ / (λ + 2 μ)
//! ```

use crate::parameters::{Check, named};
use crate::real::Real;

/// What a material is given that says nothing of its stiffness.
const YOUNG_MODULUS: Real = 1.0e5;
const POISSON_RATIO: Real = 0.3;

/// The stiffness of a material, as Lamé parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moduli {
    /// λ [Pa].
    pub(crate) lambda: Real,
    /// μ, the shear modulus [Pa].
    pub(crate) mu: Real,
}

impl Moduli {
    /// λ + 2 μ, which carries compression waves.
    pub(crate) fn longitudinal(&self) -> Real {
        self.lambda + 2.0 * self.mu
    }

    /// From Young's modulus and Poisson's ratio.
    pub(crate) fn of_young(young: Real, poisson: Real) -> Self {
        let (young, poisson) = (f64::from(young), f64::from(poisson));
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Moduli { lambda: lambda as Real, mu: mu as Real }
    }

    /// From shear and bulk modulus.
    pub(crate) fn of_shear(shear: Real, bulk: Real) -> Self {
        Moduli { lambda: bulk - shear * (2.0 / 3.0), mu: shear }
    }

    /// Young's modulus [Pa].
    pub(crate) fn young(self) -> Real {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }

    /// λ where so many directions are free to thin.
    pub(crate) fn thinned(self, free_directions: usize) -> Real {
        (0..free_directions).fold(self.lambda, |lambda, _| 2.0 * self.mu * lambda / (lambda + 2.0 * self.mu))
    }
}

/// The four numbers of which two are given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) young_modulus: Option<Real>,
    pub(crate) poisson_ratio: Option<Real>,
    pub(crate) shear_modulus: Option<Real>,
    pub(crate) bulk_modulus: Option<Real>,
}

impl Given {
    pub(crate) fn moduli(self) -> Moduli {
        match (self.shear_modulus, self.bulk_modulus) {
            (None, None) => Moduli::of_young(
                self.young_modulus.unwrap_or(YOUNG_MODULUS),
                self.poisson_ratio.unwrap_or(POISSON_RATIO),
            ),
            // Peer18 5.4: equal moduli are a fair choice.
            (Some(one), None) | (None, Some(one)) => Moduli::of_shear(one, one),
            (Some(shear), Some(bulk)) => Moduli::of_shear(shear, bulk),
        }
    }

    /// Refuses a modulus that is given although Young's modulus or Poisson's ratio says the same.
    pub(crate) fn refuse_both(self, name: &'static str, modulus: Option<Real>, check: &mut Check) {
        let others = [named!(self.young_modulus), named!(self.poisson_ratio)];
        let other = others.into_iter().find(|(_, value)| value.is_some());
        if let (Some(modulus), Some((other, _))) = (modulus, other) {
            check.instead(name, modulus, other);
        }
    }
}

/// Declares the parameters of an elastic model: the moduli, which all have, and its own. `Real` and `Limits` are in scope there.
macro_rules! elastic_parameters {
    ($(#[doc = $about:tt])+ pub struct $name:ident {$($own:tt)*}) => {
        $crate::parameters::parameters! {
            $(#[doc = $about])+
            pub struct $name {
                /// Stiffness when pulled, Young's modulus [Pa]: jelly has 1e4, rubber 1e6, wood 1e10; 1e5 unless given.
                #[serde(skip_serializing_if = "Option::is_none")]
                young_modulus: Option<Real> = None, Limits::POSITIVE;
                /// Thinning when pulled, Poisson's ratio [-]: cork has 0, rubber nearly 0.5; 0.3 unless given.
                #[serde(skip_serializing_if = "Option::is_none")]
                poisson_ratio: Option<Real> = None, Limits::between(-1.0, 0.5);
                /// Stiffness against shear [Pa], instead of Young's modulus; that of `bulk_modulus` unless given.
                #[serde(skip_serializing_if = "Option::is_none")]
                shear_modulus: Option<Real> = None, Limits::POSITIVE => refuse_both;
                /// Stiffness against compression [Pa], instead of Poisson's ratio; that of `shear_modulus` unless given.
                #[serde(skip_serializing_if = "Option::is_none")]
                bulk_modulus: Option<Real> = None, Limits::POSITIVE => refuse_both;
                $($own)*
            }
        }

        impl $name {
            fn given(&self) -> $crate::elasticity::moduli::Given {
                let Self { young_modulus, poisson_ratio, shear_modulus, bulk_modulus, .. } = *self;
                $crate::elasticity::moduli::Given { young_modulus, poisson_ratio, shear_modulus, bulk_modulus }
            }

            fn refuse_both(
                &self,
                name: &'static str,
                modulus: &Option<$crate::real::Real>,
                check: &mut $crate::parameters::Check,
            ) {
                self.given().refuse_both(name, *modulus, check);
            }
        }
    };
}
pub(crate) use elastic_parameters;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elasticity::Implicit;

    fn close(found: Real, expected: Real) {
        assert!((found - expected).abs() < 1e-5 * expected.abs(), "{found} {expected}");
    }

    #[test]
    fn both_ways_to_give_moduli_mean_the_same() {
        let young = Moduli::of_young(1.0e6, 0.25);
        close(young.mu, 4.0e5);
        close(young.lambda, 4.0e5);
        close(young.young(), 1.0e6);
        let shear = Moduli::of_shear(4.0e5, 4.0e5 + 4.0e5 * 2.0 / 3.0);
        close(shear.lambda, young.lambda);
        let given = Given { young_modulus: None, poisson_ratio: None, shear_modulus: Some(3e3), bulk_modulus: None };
        close(given.moduli().lambda, 1e3);
    }

    #[test]
    fn what_is_free_to_thin_has_the_moduli_of_sheets_and_rods() {
        let moduli = Moduli::of_young(1.0e6, 0.3);
        // Plane stress: E/(1 − ν²) along the pull. Uniaxial stress: E.
        close(moduli.thinned(0), moduli.lambda);
        close(moduli.thinned(1) + 2.0 * moduli.mu, 1.0e6 / (1.0 - 0.09));
        close(moduli.thinned(2) + 2.0 * moduli.mu, 1.0e6);
    }

    #[test]
    fn senseless_moduli_are_refused() {
        let problems =
            |implicit: Implicit| Check::problems(&implicit).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(problems(Implicit::default()), Vec::<String>::new());
        for poisson in [0.5, -1.0, 0.7, Real::NAN] {
            assert_eq!(
                problems(Implicit { poisson_ratio: Some(poisson), ..Implicit::default() }).len(),
                1,
                "{poisson}"
            );
        }
        for young in [0.0, -1.0, Real::INFINITY] {
            assert_eq!(problems(Implicit { young_modulus: Some(young), ..Implicit::default() }).len(), 1, "{young}");
        }
        let mixed = Implicit { young_modulus: Some(1e5), shear_modulus: Some(2e4), ..Implicit::default() };
        let message = problems(mixed).join("; ");
        assert!(message.contains("`shear_modulus`") && message.contains("left out"), "{message}");
    }
}
