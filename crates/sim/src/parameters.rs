//! Parameters are declared once: name, kind, default, unit, limits and text ([`parameters!`]).
//!
//! A declaration makes a plain serialisable struct or enum. Its `check` visits every number together with the limits it
//! must keep; the JSON schema gets its `minimum` and `maximum` from the same limits, and everybody the unit from the text.

mod declare;

use std::fmt;

pub(crate) use declare::{named, parameters};

use crate::real::{Real, Vec3};

/// A set of parameters that can tell which values make sense.
pub trait Parameters {
    /// Every parameter, in the order of the declaration.
    const DECLARED: &'static [Parameter] = &[];

    /// Shows every number with its limits to `check`.
    fn check(&self, check: &mut Check);
}

impl<P: Parameters> Parameters for Option<P> {
    const DECLARED: &'static [Parameter] = P::DECLARED;

    fn check(&self, check: &mut Check) {
        self.iter().for_each(|parameters| parameters.check(check));
    }
}

impl<P: Parameters> Parameters for Vec<P> {
    const DECLARED: &'static [Parameter] = P::DECLARED;

    fn check(&self, check: &mut Check) {
        self.iter().for_each(|parameters| parameters.check(check));
    }
}

/// A parameter as it was declared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    name: &'static str,
    /// What it means, in the words of the declaration, in one line.
    pub text: &'static str,
    /// What a number may be.
    pub limits: Option<Limits>,
    /// The parameters that it holds, if it is no single value.
    pub parts: &'static [Parameter],
}

impl Parameter {
    pub(crate) const fn new(name: &'static str, text: &'static str) -> Self {
        Parameter { name, text: text.trim_ascii(), limits: None, parts: &[] }
    }

    pub(crate) const fn within(self, limits: Limits) -> Self {
        Parameter { limits: Some(limits), ..self }
    }

    pub(crate) const fn holding(self, parts: &'static [Parameter]) -> Self {
        Parameter { parts, ..self }
    }

    /// Its name in a scene file.
    pub fn name(&self) -> String {
        snake_case(self.name)
    }

    /// The unit of a number, which its text has in brackets; `-` if it has none.
    pub fn unit(&self) -> Option<&'static str> {
        Some(self.text.split_once('[')?.1.split_once(']')?.0)
    }
}

/// The name of a field or variant in a scene file, by the rule of serde.
fn snake_case(name: &str) -> String {
    let mut written = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !written.is_empty() {
            written.push('_');
        }
        written.extend(letter.to_lowercase());
    }
    written
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

    /// Greater than `low`.
    pub const fn above(low: f64) -> Limits {
        Limits { low, ..Limits::FINITE }
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

/// Collects what the parameters shown to it violate.
#[derive(Debug, Default)]
pub struct Check {
    path: Vec<&'static str>,
    problems: Vec<OutOfRange>,
}

impl Check {
    /// All values of `parameters` that are out of range.
    pub fn problems(parameters: &impl Parameters) -> Vec<OutOfRange> {
        let mut check = Check::default();
        parameters.check(&mut check);
        check.problems
    }

    /// Looks at one number.
    pub fn number(&mut self, name: &'static str, value: Real, limits: Limits) {
        if !limits.allow(f64::from(value)) {
            let path = self.path.iter().chain([&name]).map(|name| snake_case(name)).collect::<Vec<_>>().join(".");
            self.problems.push(OutOfRange { path, value: f64::from(value), limits });
        }
    }

    /// Refuses a number that is given although `other` says the same in another way.
    pub(crate) fn instead(&mut self, name: &'static str, value: Real, other: &'static str) {
        self.number(name, value, Limits { instead: Some(other), ..Limits::FINITE });
    }

    /// Looks at parameters that are part of these.
    pub fn group(&mut self, name: &'static str, parameters: &impl Parameters) {
        self.inside(name, |check| parameters.check(check));
    }

    /// Looks at what `name` holds.
    pub(crate) fn inside(&mut self, name: &'static str, look: impl FnOnce(&mut Check)) {
        self.path.push(name);
        look(self);
        self.path.pop();
    }
}

/// What has limits: a number, several, or none if it is left out.
pub(crate) trait Quantity {
    /// Shows it to `check`.
    fn show(&self, name: &'static str, limits: Limits, check: &mut Check);
}

macro_rules! numbers {
    ($($number:ty),+) => {$(
        impl Quantity for $number {
            fn show(&self, name: &'static str, limits: Limits, check: &mut Check) {
                check.number(name, *self as Real, limits);
            }
        }
    )+};
}
numbers!(f32, f64, u32);

impl<Q: Quantity> Quantity for Option<Q> {
    fn show(&self, name: &'static str, limits: Limits, check: &mut Check) {
        self.iter().for_each(|quantity| quantity.show(name, limits, check));
    }
}

/// One problem is enough, however many coordinates have it.
impl<const N: usize> Quantity for [Real; N] {
    fn show(&self, name: &'static str, limits: Limits, check: &mut Check) {
        self.iter().copied().find(|&value| !limits.allow(f64::from(value))).show(name, limits, check);
    }
}

impl Quantity for Vec3 {
    fn show(&self, name: &'static str, limits: Limits, check: &mut Check) {
        let coordinates = AXES.into_iter().zip(self.to_array());
        check.inside(name, |check| coordinates.for_each(|(axis, value)| check.number(axis, value, limits)));
    }
}

/// The names of the coordinates.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];

/// Copies the limits that `T` declares into its JSON schema (a schemars transform).
#[cfg(feature = "schema")]
pub fn limits_into_schema<T: Parameters>(schema: &mut schemars::Schema) {
    let Some(properties) = schema.get_mut("properties").and_then(|p| p.as_object_mut()) else { return };
    for parameter in T::DECLARED {
        let Some(property) = properties.get_mut(&parameter.name()).and_then(|p| p.as_object_mut()) else { continue };
        for (keyword, limit) in parameter.limits.iter().flat_map(Limits::schema_keywords) {
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

    /// Everything that a scene can set.
    fn all() -> Vec<Parameter> {
        let mut found = [crate::Settings::DECLARED, crate::Material::DECLARED].concat();
        let mut looked_at = 0;
        while let Some(parameter) = found.get(looked_at) {
            found.extend(parameter.parts);
            looked_at += 1;
        }
        found
    }

    #[test]
    fn every_quantity_has_a_unit_and_limits() {
        // Counts have no unit, nor directions; how long a period may be depends on other parameters.
        let odd = ["min_iterations", "max_iterations", "axis", "periodic"];
        for parameter in all().iter().filter(|parameter| !odd.contains(&parameter.name)) {
            assert_eq!(parameter.unit().is_some(), parameter.limits.is_some(), "{parameter:?}");
        }
    }

    #[test]
    fn units_are_those_of_si() {
        let known = ["-", "1", "m", "s", "kg", "Pa", "rad", "J", "W", "K", "N", "degC", "degrees"];
        let units: Vec<_> = all().iter().filter_map(Parameter::unit).collect();
        assert!(units.len() > 50, "{}", units.len());
        for unit in units {
            let factors = unit.split(['/', ' ']).map(|factor| factor.trim_end_matches(['^', '2', '3', '4', 'n']));
            assert!(factors.into_iter().all(|factor| known.contains(&factor)), "{unit}");
        }
    }

    #[test]
    fn names_are_those_of_scene_files() {
        for (name, written) in
            [("StVenantKirchhoff", "st_venant_kirchhoff"), ("Poly6", "poly6"), ("WendlandC2", "wendland_c2")]
        {
            assert_eq!(snake_case(name), written);
        }
        assert_eq!(snake_case("density_error"), "density_error");
    }
}
