//! Parameters know their limits, and say so once.
//!
//! A parameter struct is a plain serialisable struct. Its `check` visits every number together with the
//! limits it must keep. The same visit finds values out of range, and gives the JSON schema its
//! `minimum` and `maximum`: a limit is written in one place.

use std::fmt;

use crate::real::Real;

/// A set of parameters that can tell which values make sense.
pub trait Parameters {
    /// Shows every number with its limits to `check`.
    fn check(&self, check: &mut Check);
}

/// The range a number must lie in. Infinite and undefined numbers never do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    low: f64,
    high: f64,
    low_included: bool,
    high_included: bool,
    /// The parameter that is given instead.
    instead: Option<&'static str>,
}

impl Limits {
    /// Any finite number.
    pub const FINITE: Limits =
        Limits { low: f64::NEG_INFINITY, high: f64::INFINITY, low_included: false, high_included: true, instead: None };
    /// Greater than zero.
    pub const POSITIVE: Limits = Limits { low: 0.0, ..Limits::FINITE };
    /// Zero or greater.
    pub const NOT_NEGATIVE: Limits = Limits { low_included: true, ..Limits::POSITIVE };

    /// At least `low`.
    pub const fn at_least(low: f64) -> Limits {
        Limits { low, low_included: true, ..Limits::FINITE }
    }

    /// From `low` to `high`, both included.
    pub const fn within(low: f64, high: f64) -> Limits {
        Limits { low, high, low_included: true, ..Limits::FINITE }
    }

    /// Greater than `low`, at most `high`.
    pub const fn above_up_to(low: f64, high: f64) -> Limits {
        Limits { low, high, ..Limits::FINITE }
    }

    /// Between `low` and `high`, neither included.
    pub const fn between(low: f64, high: f64) -> Limits {
        Limits { low, high, high_included: false, ..Limits::FINITE }
    }

    /// Does `value` keep to the limits?
    pub fn allow(&self, value: f64) -> bool {
        let above = if self.low_included { value >= self.low } else { value > self.low };
        let below = if self.high_included { value <= self.high } else { value < self.high };
        value.is_finite() && above && below && self.instead.is_none()
    }

    /// The limits as keywords of a JSON schema.
    pub fn schema_keywords(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let low = if self.low_included { "minimum" } else { "exclusiveMinimum" };
        let high = if self.high_included { "maximum" } else { "exclusiveMaximum" };
        [(low, self.low), (high, self.high)].into_iter().filter(|(_, limit)| limit.is_finite())
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(other) = self.instead {
            return write!(f, "left out where `{other}` is given");
        }
        match (self.low.is_finite(), self.high.is_finite(), self.low_included) {
            (false, false, _) => write!(f, "a finite number"),
            (true, false, false) => write!(f, "greater than {}", self.low),
            (true, false, true) => write!(f, "at least {}", self.low),
            (false, true, _) => write!(f, "at most {}", self.high),
            (true, true, false) if !self.high_included => {
                write!(f, "greater than {} and less than {}", self.low, self.high)
            }
            (true, true, false) => write!(f, "greater than {} and at most {}", self.low, self.high),
            (true, true, true) => write!(f, "between {} and {}", self.low, self.high),
        }
    }
}

/// A parameter with a value that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{path}` is {value}, but must be {limits}")]
pub struct OutOfRange {
    /// Where it is, as in a scene file: `fluid.viscosity.xsph.strength`.
    pub path: String,
    /// Its value.
    pub value: f64,
    /// What it may be.
    pub limits: Limits,
}

/// Collects what the parameters shown to it violate, and which limits they named.
#[derive(Debug, Default)]
pub struct Check {
    path: Vec<&'static str>,
    problems: Vec<OutOfRange>,
    limits: Vec<(String, Limits)>,
}

impl Check {
    /// All values of `parameters` that are out of range.
    pub fn problems(parameters: &impl Parameters) -> Vec<OutOfRange> {
        let mut check = Check::default();
        parameters.check(&mut check);
        check.problems
    }

    /// The limits of every number that `parameters` shows, by path.
    pub fn limits(parameters: &impl Parameters) -> Vec<(String, Limits)> {
        let mut check = Check::default();
        parameters.check(&mut check);
        check.limits
    }

    /// Looks at one number.
    pub fn number(&mut self, name: &'static str, value: Real, limits: Limits) {
        self.path.push(name);
        let path = self.path.join(".");
        self.path.pop();
        if !limits.allow(f64::from(value)) {
            self.problems.push(OutOfRange { path: path.clone(), value: f64::from(value), limits });
        }
        self.limits.push((path, limits));
    }

    /// Looks at a number that may be left out; `stand_in` names its limits when it is.
    pub fn optional(&mut self, name: &'static str, value: Option<Real>, stand_in: Real, limits: Limits) {
        self.number(name, value.unwrap_or(stand_in), limits);
    }

    /// Refuses a number that is given although `other` says the same in another way.
    pub fn instead(&mut self, name: &'static str, value: Option<Real>, other: &'static str) {
        if let Some(value) = value {
            let path = self.path.iter().copied().chain([name]).collect::<Vec<_>>().join(".");
            let limits = Limits { instead: Some(other), ..Limits::FINITE };
            self.problems.push(OutOfRange { path, value: f64::from(value), limits });
        }
    }

    /// Looks at three coordinates, which may be any finite numbers.
    pub fn vector(&mut self, name: &'static str, value: [Real; 3]) {
        let bad = value.into_iter().find(|coordinate| !coordinate.is_finite());
        self.number(name, bad.unwrap_or(0.0), Limits::FINITE);
    }

    /// Looks at parameters that are part of these.
    pub fn group(&mut self, name: &'static str, parameters: &dyn Parameters) {
        self.path.push(name);
        parameters.check(self);
        self.path.pop();
    }
}

/// Copies the limits that `T` names into its JSON schema (a schemars transform).
#[cfg(feature = "schema")]
pub fn limits_into_schema<T: Parameters + Default>(schema: &mut schemars::Schema) {
    let Some(properties) = schema.get_mut("properties").and_then(|p| p.as_object_mut()) else { return };
    for (name, limits) in Check::limits(&T::default()) {
        let Some(property) = properties.get_mut(&name).and_then(|p| p.as_object_mut()) else { continue };
        for (keyword, limit) in limits.schema_keywords() {
            property.insert(keyword.into(), limit.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_refuse_what_is_not_finite() {
        for limits in [Limits::FINITE, Limits::POSITIVE, Limits::within(0.0, 1.0)] {
            assert!(!limits.allow(f64::NAN) && !limits.allow(f64::INFINITY));
        }
    }

    #[test]
    fn limits_include_the_ends_they_name() {
        assert!(!Limits::POSITIVE.allow(0.0) && Limits::NOT_NEGATIVE.allow(0.0));
        assert!(Limits::within(0.0, 1.0).allow(1.0) && !Limits::within(0.0, 1.0).allow(1.1));
        assert!(!Limits::above_up_to(0.0, 1.0).allow(0.0) && Limits::above_up_to(0.0, 1.0).allow(1.0));
    }
}
