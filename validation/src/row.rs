//! One line of a validation: what was measured, what it should be, and the verdict.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::experiment::{Conditions, digits};
use crate::plot::Plot;

/// What a row says of the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The error is within the tolerance.
    Pass,
    /// It is not; or a method that is known to be wrong passed, so that the case shows nothing.
    Fail,
    /// A method that is known to be wrong failed as predicted.
    ExpectedFail,
}

impl Verdict {
    /// The word for it in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::ExpectedFail => "expected-fail",
        }
    }
}

/// One measured quantity of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The case, or the case and its part: `F2.coarse`.
    pub id: String,
    /// What was measured, with its unit.
    pub quantity: String,
    /// What came out.
    #[serde(serialize_with = "digits")]
    pub measured: f64,
    /// What should have come out; 0 where a quantity has only an upper limit.
    #[serde(serialize_with = "digits")]
    pub reference: f64,
    /// How far off it is, on the scale of the tolerance.
    #[serde(serialize_with = "digits")]
    pub error: f64,
    /// The largest error that passes.
    pub tolerance: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// Circumstances of the measurement.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// Wall time of the case [s].
    #[serde(serialize_with = "digits")]
    pub seconds: f64,
    /// Version of the program.
    pub version: &'static str,
    /// What is told without a verdict.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub report: Map<String, Value>,
    /// Measured curves beside those of the reference.
    #[serde(skip)]
    pub plot: Option<Plot>,
}

impl Row {
    /// The general form: the error was found by the caller.
    pub fn new(quantity: &str, measured: f64, reference: f64, error: f64, tolerance: f64) -> Row {
        Row {
            id: String::new(),
            quantity: quantity.to_owned(),
            measured,
            reference,
            error,
            tolerance,
            verdict: judge(error, tolerance),
            conditions: Conditions::default(),
            seconds: 0.0,
            version: env!("CARGO_PKG_VERSION"),
            report: Map::new(),
            plot: None,
        }
    }

    /// The error is a part of the reference.
    pub fn relative(quantity: &str, measured: f64, reference: f64, tolerance: f64) -> Row {
        Row::new(quantity, measured, reference, (measured - reference).abs() / reference.abs(), tolerance)
    }

    /// The error is the difference.
    pub fn absolute(quantity: &str, measured: f64, reference: f64, tolerance: f64) -> Row {
        Row::new(quantity, measured, reference, (measured - reference).abs(), tolerance)
    }

    /// The quantity should be nothing, and must not be more than the limit.
    pub fn at_most(quantity: &str, measured: f64, limit: f64) -> Row {
        Row::new(quantity, measured, 0.0, measured.abs(), limit)
    }

    /// The method is known to be wrong: it must miss the tolerance, or the case shows nothing.
    pub fn expected_to_fail(mut self) -> Row {
        self.verdict = if judge(self.error, self.tolerance) == Verdict::Fail && self.error.is_finite() {
            Verdict::ExpectedFail
        } else {
            Verdict::Fail
        };
        self
    }

    /// The same row with its circumstances.
    pub fn under(mut self, conditions: &Conditions) -> Row {
        self.conditions = conditions.clone();
        self
    }

    /// Tells something without a verdict.
    pub fn reporting(mut self, name: &str, value: impl Into<Value>) -> Row {
        self.report.insert(name.to_owned(), value.into());
        self
    }

    /// Shows curves.
    pub fn plotting(mut self, plot: Plot) -> Row {
        self.plot = Some(plot);
        self
    }
}

/// An error that is not a number passes nothing.
fn judge(error: f64, tolerance: f64) -> Verdict {
    if error <= tolerance { Verdict::Pass } else { Verdict::Fail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doctored_values_fail() {
        assert_eq!(Row::relative("level [m]", 1.019, 1.0, 0.02).verdict, Verdict::Pass);
        assert_eq!(Row::relative("level [m]", 1.021, 1.0, 0.02).verdict, Verdict::Fail);
        assert_eq!(Row::relative("level [m]", -1.0, 1.0, 0.02).verdict, Verdict::Fail);
        assert_eq!(Row::at_most("speed [m/s]", -0.1, 0.02).verdict, Verdict::Fail);
        assert_eq!(Row::absolute("level [m]", f64::NAN, 1.0, 0.02).verdict, Verdict::Fail);
    }

    #[test]
    fn a_wrong_method_must_fail() {
        let row = |measured| Row::relative("density [-]", measured, 1.0, 0.02).expected_to_fail().verdict;
        assert_eq!([0.83, 1.0, f64::NAN].map(row), [Verdict::ExpectedFail, Verdict::Fail, Verdict::Fail]);
    }

    #[test]
    fn words_in_json_are_those_of_the_table() {
        for verdict in [Verdict::Pass, Verdict::Fail, Verdict::ExpectedFail] {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.word());
        }
    }
}
