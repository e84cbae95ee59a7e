//! Single values against their schema: words of a list, numbers in a range.

use serde_json::Value as Json;
use thixo_sim::Real;

use super::Walk;
use crate::document::{Node, Path, Value};
use crate::wording::{nearest, plain};

/// The values a schema lists one by one; empty if it describes them otherwise.
pub(super) fn words(schema: &Json) -> Vec<&Json> {
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().collect();
    }
    let alternatives = schema["oneOf"].as_array().into_iter().flatten();
    alternatives.filter_map(|alternative| alternative.get("const")).collect()
}

/// The listed values as a sentence.
pub(super) fn list(words: &[&Json], last: &str) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => words.concat(),
    }
}

impl<'a> Walk<'a> {
    /// One of a list of words or numbers.
    pub(super) fn word(&mut self, node: &Node, words: &[&Json], path: &Path) {
        let (written, known) = match &node.value {
            Value::Text(text) => (format!("\"{text}\""), words.iter().any(|word| word.as_str() == Some(text))),
            Value::Number { written, integer, .. } => {
                (written.clone(), integer.is_some() && words.iter().any(|word| word.as_i64() == *integer))
            }
            Value::Boolean(value) => (value.to_string(), false),
            Value::Date => ("a date".into(), false),
            Value::List(_) => ("a list".into(), false),
            Value::Table(_) => ("a table".into(), false),
        };
        if !known {
            let meant = match &node.value {
                Value::Text(text) => nearest(text, words.iter().filter_map(|word| word.as_str())),
                _ => None,
            };
            let help = meant.map(|meant| format!("did you mean \"{meant}\"?"));
            let message = format!("{} is {written}, but must be {}", path.name(), list(words, "or"));
            self.remark(Some(node.spot()), message, help);
        }
    }

    /// A number, as written and as a value.
    pub(super) fn number(&mut self, node: &Node, (written, value): (&str, f64), schema: &'a Json, path: &Path) {
        if let Some(wanted) = violation(value, schema, written) {
            let description = self.description(schema);
            let help = (!description.is_empty()).then(|| format!("{}: {description}", path.name()));
            let message = format!("{} is {written}, but must be {wanted}", path.name());
            self.remark(Some(&node.place), message, help);
        }
    }
}

/// What a number should have been, if it is out of its range.
fn violation(value: f64, schema: &Json, written: &str) -> Option<String> {
    let limit = |keyword: &str| schema[keyword].as_f64();
    let (low, above, high) = (limit("minimum"), limit("exclusiveMinimum"), limit("maximum"));
    let below = limit("exclusiveMaximum");
    let is_written_finite = !written.contains("inf") && !written.contains("nan");
    let too_large = value.abs() > f64::from(Real::MAX) && is_written_finite;
    // A number that single precision takes for zero is not greater than zero.
    let vanishes = above == Some(0.0) && value > 0.0 && (value as Real) < Real::MIN_POSITIVE;
    let allowed = value.is_finite()
        && low.is_none_or(|low| value >= low)
        && above.is_none_or(|above| value > above)
        && high.is_none_or(|high| value <= high)
        && below.is_none_or(|below| value < below);
    match (low.or(above), high) {
        _ if allowed && vanishes => Some(format!("at least {:e}", Real::MIN_POSITIVE)),
        _ if allowed && !too_large => None,
        (Some(low), None) if below.is_some() => {
            let below = plain(below.unwrap_or_default());
            Some(format!("greater than {} and less than {below}", plain(low)))
        }
        (Some(low), Some(high)) if above.is_some() => {
            Some(format!("greater than {} and at most {}", plain(low), plain(high)))
        }
        (Some(low), Some(high)) => Some(format!("between {} and {}", plain(low), plain(high))),
        _ if too_large => Some(format!("below {:e} in size", Real::MAX)),
        (Some(low), None) if above.is_some() => {
            Some(format!("{}greater than {}", if value.is_finite() { "" } else { "finite and " }, plain(low)))
        }
        (Some(low), None) => Some(format!("at least {}", plain(low))),
        (None, Some(high)) => Some(format!("at most {}", plain(high))),
        (None, None) => Some("a finite number".into()),
    }
}
