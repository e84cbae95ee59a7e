//! Viscosity that depends on the rate of shear γ̇, and on how much structure is left.
//!
//! ```text
//! η = s (τ_y + k γ̇ⁿ) (1 − exp(−γ̇/γ̇_c))/γ̇                    Herschel & Bulkley 1926, regularised after Papanastasiou 1987
//! η = η_∞ + (η_0 − η_∞) (1 + (t γ̇)²)^((n − 1)/2)              Carreau 1972
//! dλ/dt = a (1 − λ) − b λ γ̇,    s = s_0 + (1 − s_0) λ          Moore 1959; of τ_y and k as in Houška 1981
//! ```
//!
//! The stress is η γ̇ in each direction of shear, γ̇² = 2 D:D with the rate of deformation D. Papanastasiou regularises
//! the yield stress alone; here the whole, so that the viscosity at rest is finite for n < 1 as well: τ_y/γ̇_c. Below its yield stress
//! matter creeps that slowly.
//!
//! η is that of the rate of shear at the start of the step; friction is then solved for ([`implicit`](super::implicit)), whatever η is.

use super::Viscosity;
use crate::parameters::{Limits, parameters};
use crate::real::Real;
use crate::world::Material;

parameters! {
    /// Flows where stress is above the yield stress, thinner or thicker the faster it shears: gels, pastes, mud.
    pub struct HerschelBulkley {
        /// Stress below which it does not flow, τ_y [Pa]. Ketchup has 20, toothpaste 100.
        yield_stress: Real = 20.0, Limits::NOT_NEGATIVE;
        /// Stress that it takes beyond, at a rate of shear of 1/s, k [Pa s^n].
        consistency: Real = 10.0, Limits::NOT_NEGATIVE;
        /// Exponent n of the rate of shear [-]: below 1 it is thinner the faster it shears, above 1 thicker.
        flow_index: Real = 0.5, Limits::above_up_to(0.0, 2.0);
        /// Rate of shear at which it counts as at rest, γ̇_c [1/s]. Lower: what does not flow creeps less; solves take more iterations.
        creep_rate: Real = 0.01, Limits::POSITIVE;
        /// It breaks down when it is sheared and builds up at rest.
        #[serde(skip_serializing_if = "Option::is_none")]
        thixotropy: Option<Thixotropy> = None => group;
    }
}

parameters! {
    /// Structure that shear breaks down and rest builds up.
    pub struct Thixotropy {
        /// Share of the missing structure that is built up per second, a [1/s].
        build_up: Real = 0.1, Limits::NOT_NEGATIVE;
        /// Share of the structure that is broken down by a shear of 1, b [-].
        break_down: Real = 0.1, Limits::NOT_NEGATIVE;
        /// Share of yield stress and consistency that is left without structure, s_0 [-].
        least: Real = 0.05, Limits::within(0.0, 1.0);
    }
}

parameters! {
    /// Thins as it shears faster, from one viscosity to another: polymers, paint, blood.
    pub struct Carreau {
        /// Viscosity at rest, η_0 [Pa s].
        rest_viscosity: Real = 10.0, Limits::NOT_NEGATIVE;
        /// Viscosity at the highest rates of shear, η_∞ [Pa s].
        fast_viscosity: Real = 0.01, Limits::NOT_NEGATIVE;
        /// Inverse of the rate of shear from which on it thins, t [s].
        time: Real = 1.0, Limits::NOT_NEGATIVE;
        /// Exponent n [-]: 1 is Newtonian.
        flow_index: Real = 0.5, Limits::above_up_to(0.0, 2.0);
    }
}

impl HerschelBulkley {
    /// η at a rate of shear [1/s], with such a share of the structure.
    fn viscosity(&self, rate: Real, structure: Real) -> Real {
        let least = self.thixotropy.as_ref().map_or(1.0, |thixotropy| thixotropy.least);
        let strength = least + (1.0 - least) * structure;
        let x = rate / self.creep_rate;
        // (1 − exp(−x))/x, whose difference has no digits left where x is small.
        let yielding = if x > 1e-3 { (1.0 - (-x).exp()) / x } else { 1.0 - 0.5 * x };
        strength * (self.yield_stress + self.consistency * rate.powf(self.flow_index)) * yielding / self.creep_rate
    }
}

impl Thixotropy {
    /// λ after `dt` at a rate of shear, of which it had so much before: the equation solved exactly.
    pub(super) fn after(&self, structure: Real, rate: Real, dt: Real) -> Real {
        let pace = self.build_up + self.break_down * rate;
        if pace <= 0.0 {
            return structure;
        }
        let balance = self.build_up / pace;
        balance + (structure - balance) * (-pace * dt).exp()
    }
}

impl Carreau {
    /// η at a rate of shear [1/s].
    fn viscosity(&self, rate: Real) -> Real {
        let thinning = (1.0 + (self.time * rate).powi(2)).powf(0.5 * (self.flow_index - 1.0));
        self.fast_viscosity + (self.rest_viscosity - self.fast_viscosity) * thinning
    }
}

/// Thixotropy of a material, if it has any.
pub(super) fn thixotropy_of(material: &Material) -> Option<&Thixotropy> {
    match &material.fluid.viscosity {
        Viscosity::HerschelBulkley(law) => law.thixotropy.as_ref(),
        _ => None,
    }
}

/// Does the viscosity of a material depend on the rate of shear?
pub(super) fn varies(material: &Material) -> bool {
    matches!(material.fluid.viscosity, Viscosity::HerschelBulkley(_) | Viscosity::Carreau(_))
}

/// The viscosity of a material at a rate of shear [1/s] with such a share of its structure [Pa s], if friction is solved for.
pub(super) fn viscosity_of(material: &Material, rate: Real, structure: Real) -> Option<Real> {
    match &material.fluid.viscosity {
        Viscosity::Implicit(law) => Some(law.dynamic_viscosity),
        Viscosity::HerschelBulkley(law) => Some(law.viscosity(rate, structure)),
        Viscosity::Carreau(law) => Some(law.viscosity(rate)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stress_is_that_of_the_law_where_matter_flows_and_finite_at_rest() {
        let gel = HerschelBulkley { yield_stress: 20.0, consistency: 5.0, ..HerschelBulkley::default() };
        for rate in [0.1, 1.0, 4.0, 100.0] {
            let stress = gel.viscosity(rate, 1.0) * rate;
            let expected = 20.0 + 5.0 * rate.sqrt();
            assert!((stress / expected - 1.0).abs() < 1e-4, "{rate}: {stress} {expected}");
        }
        let at_rest = gel.viscosity(0.0, 1.0);
        assert!((at_rest / 2000.0 - 1.0).abs() < 1e-5, "{at_rest}");
        // From one form of the difference to the other.
        let [below, above] = [0.999e-5, 1.001e-5].map(|rate| gel.viscosity(rate, 1.0));
        assert!((below / above - 1.0).abs() < 1e-4, "{below} {above}");
    }

    #[test]
    fn carreau_thins_by_the_exponent_between_two_plateaus() {
        let paint = Carreau { rest_viscosity: 100.0, fast_viscosity: 0.0, time: 1.0, flow_index: 0.4 };
        assert_eq!(paint.viscosity(0.0), 100.0);
        let [slow, fast] = [1e3, 1e4].map(|rate| paint.viscosity(rate));
        assert!(((fast / slow).log10() + 0.6).abs() < 1e-3, "{slow} {fast}");
    }

    /// Build-up and break-down balance, and are approached as the equation says.
    #[test]
    fn structure_is_broken_down_and_built_up() {
        let gel = Thixotropy { build_up: 0.5, break_down: 0.1, least: 0.0 };
        let stirred = gel.after(1.0, 45.0, 100.0);
        assert!((stirred - 0.1).abs() < 1e-6, "{stirred}");
        let slope = (gel.after(0.6, 3.0, 1e-3) - 0.6) / 1e-3;
        assert!((slope - (0.5 * 0.4 - 0.1 * 0.6 * 3.0)).abs() < 1e-3, "{slope}");
        let halved = gel.after(gel.after(0.6, 3.0, 0.7), 3.0, 0.7);
        assert!((halved - gel.after(0.6, 3.0, 1.4)).abs() < 1e-6, "steps of any length give the same");
        assert_eq!(Thixotropy { build_up: 0.0, ..gel }.after(0.3, 0.0, 1.0), 0.3);
    }

    #[test]
    fn without_structure_only_the_least_is_left() {
        let thixotropy = Some(Thixotropy { least: 0.2, ..Thixotropy::default() });
        let gel = HerschelBulkley { thixotropy, ..HerschelBulkley::default() };
        let [whole, half, none] = [1.0, 0.5, 0.0].map(|structure| gel.viscosity(2.0, structure));
        assert!((half / whole - 0.6).abs() < 1e-5 && (none / whole - 0.2).abs() < 1e-5);
    }
}
