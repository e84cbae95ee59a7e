//! How a material holds and passes heat: its parameters, and the curve between heat and temperature.
//!
//! ```text
//! h(T) = c T                            below a
//!        c T + L (T − a)/(b − a)        from a, where it begins to melt, to b, where it is liquid
//!        c T + L                        above b
//! ```
//!
//! The specific enthalpy h is the state, and the temperature follows from it by this one curve, whichever way it is gone:
//! so melting takes what freezing gives, whatever the temperature at which bonds are made or dropped. (Sol09 5.4 keeps
//! the temperature, and has no latent heat.) Where a and b are equal h jumps by L, and T(h) stands still.

use crate::parameters::{Limits, parameters};
use crate::real::Real;

parameters! {
    /// How a material holds and passes heat, and when it melts and freezes.
    pub struct Heat {
        /// Thermal conductivity [W/m/K]. Wax has 0.25, water 0.6, ice 2, steel 50, copper 400.
        conductivity: Real = 0.6, Limits::NOT_NEGATIVE;
        /// Specific heat capacity [J/kg/K]. Steel has 500, wax 2500, water 4186.
        capacity: Real = 4186.0, Limits::POSITIVE;
        /// Latent heat: what melting takes beside warming [J/kg]. Wax has 2e5, ice 3.34e5.
        latent: Real = 0.0, Limits::NOT_NEGATIVE;
        /// Temperatures at which it begins to melt, and at which it is liquid [degC]; it never melts unless given. They may be
        /// equal. A material that melts may have both `elastic` and `fluid`.
        #[serde(skip_serializing_if = "Option::is_none")]
        melts: Option<[Real; 2]> = None, Limits::FINITE;
        /// Temperature at which it sets, at most that at which it is liquid [degC]; that at which it begins to melt unless given.
        #[serde(skip_serializing_if = "Option::is_none")]
        freezes: Option<Real> = None, Limits::FINITE;
    }
}

impl Heat {
    /// What contradicts itself, if anything: the parameter, what is wrong, what helps.
    pub fn fault(&self) -> Option<(&'static str, String, &'static str)> {
        let Some([begins, ends]) = self.melts else {
            let idle = [("latent", self.latent > 0.0), ("freezes", self.freezes.is_some())];
            let (key, _) = idle.into_iter().find(|(_, is_given)| *is_given)?;
            let cause = format!("it has `{key}`, but never melts");
            return Some((key, cause, "give it `melts = [from, to]`, or leave this out"));
        };
        if ends < begins {
            let cause = format!("it is liquid at {ends} degC, below the {begins} degC at which it begins to melt");
            return Some(("melts", cause, "write the lower temperature first"));
        }
        let freezes = self.freezes.filter(|freezes| *freezes > ends)?;
        let cause = format!("it sets at {freezes} degC, above the {ends} degC at which it has melted");
        Some(("freezes", cause, "`freezes` is at most the second number of `melts`"))
    }

    /// Its curve.
    pub fn curve(&self) -> Curve {
        let [solid, liquid] = self.melts.map_or([f64::INFINITY; 2], |melts| melts.map(f64::from));
        Curve { capacity: f64::from(self.capacity), latent: f64::from(self.latent), solid, liquid }
    }

    /// The temperature at which liquid sets [degC].
    pub(crate) fn sets_at(&self) -> Option<f64> {
        let [begins, _] = self.melts?;
        Some(f64::from(self.freezes.unwrap_or(begins)))
    }
}

/// The curve between specific enthalpy and temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// c [J/kg/K].
    pub(crate) capacity: f64,
    /// L [J/kg].
    latent: f64,
    /// a and b [degC]; infinite for what never melts.
    solid: f64,
    liquid: f64,
}

impl Default for Curve {
    fn default() -> Self {
        Heat::default().curve()
    }
}

impl Curve {
    /// What a kilogram has at a temperature [J/kg]; where both meet, what it has as a solid.
    pub fn enthalpy(&self, temperature: f64) -> f64 {
        let sensible = self.capacity * temperature;
        sensible + self.latent * if temperature <= self.solid { 0.0 } else { self.share(temperature) }
    }

    /// T(h) [degC].
    pub fn temperature(&self, enthalpy: f64) -> f64 {
        let [solid, liquid] = self.ends();
        if enthalpy <= solid {
            enthalpy / self.capacity
        } else if enthalpy >= liquid {
            (enthalpy - self.latent) / self.capacity
        } else {
            self.solid + (self.liquid - self.solid) * ((enthalpy - solid) / (liquid - solid))
        }
    }

    /// Which share of it is liquid [-].
    pub fn liquid_share(&self, enthalpy: f64) -> f64 {
        let [solid, liquid] = self.ends();
        if enthalpy <= solid {
            0.0
        } else if enthalpy >= liquid {
            1.0
        } else {
            (enthalpy - solid) / (liquid - solid)
        }
    }

    /// h where it begins to melt, and where it is liquid [J/kg].
    fn ends(&self) -> [f64; 2] {
        [self.capacity * self.solid, self.capacity * self.liquid + self.latent]
    }

    fn share(&self, temperature: f64) -> f64 {
        match self.liquid - self.solid {
            width if width > 0.0 && temperature < self.liquid => (temperature - self.solid) / width,
            _ => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wax() -> Heat {
        Heat { capacity: 2500.0, latent: 2e5, melts: Some([50.0, 60.0]), ..Heat::default() }
    }

    #[test]
    fn the_curve_is_that_worked_by_hand() {
        let curve = wax().curve();
        for (temperature, enthalpy, liquid) in
            [(-10.0, -2.5e4, 0.0), (50.0, 1.25e5, 0.0), (55.0, 2.375e5, 0.5), (60.0, 3.5e5, 1.0), (70.0, 3.75e5, 1.0)]
        {
            assert!((curve.enthalpy(temperature) - enthalpy).abs() < 1e-6, "{temperature}");
            assert!((curve.temperature(enthalpy) - temperature).abs() < 1e-9, "{temperature}");
            assert!((curve.liquid_share(enthalpy) - liquid).abs() < 1e-9, "{temperature}");
        }
    }

    #[test]
    fn where_it_melts_at_once_the_temperature_stands_still() {
        let curve = Heat { melts: Some([50.0, 50.0]), ..wax() }.curve();
        assert_eq!([curve.enthalpy(50.0), curve.enthalpy(50.001)], [1.25e5, 1.25e5 + 2e5 + 2.5]);
        assert_eq!([1.25e5, 2e5, 3.25e5].map(|h| curve.temperature(h)), [50.0; 3]);
        assert_eq!(curve.liquid_share(2.25e5), 0.5);
        let never = Heat { melts: None, latent: 0.0, ..wax() }.curve();
        assert_eq!((never.temperature(2.5e6), never.liquid_share(2.5e6)), (1000.0, 0.0));
        let without = Heat { latent: 0.0, melts: Some([50.0, 50.0]), ..wax() }.curve();
        assert_eq!([1.2e5, 1.25e5, 1.3e5].map(|h| without.liquid_share(h)), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn contradictions_are_told() {
        let key = |heat: Heat| heat.fault().map(|(key, ..)| key);
        assert_eq!(key(wax()), None);
        assert_eq!(key(Heat { freezes: Some(60.0), ..wax() }), None);
        assert_eq!(key(Heat { freezes: Some(60.5), ..wax() }), Some("freezes"));
        assert_eq!(key(Heat { melts: Some([60.0, 50.0]), ..wax() }), Some("melts"));
        assert_eq!(key(Heat { melts: None, ..wax() }), Some("latent"));
    }
}
