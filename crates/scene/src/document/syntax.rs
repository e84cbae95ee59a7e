//! Syntax errors of TOML, in words that help.

use std::collections::BTreeSet;

use toml::de::Error;

use super::{Place, Remark};

/// What the parser complains about. Of each line only the first complaint: the others follow from it.
pub(super) fn remarks(errors: &[Error], text: &str) -> Vec<Remark> {
    let mut errors: Vec<_> = errors.iter().map(|error| (error.span().unwrap_or(0..0), error)).collect();
    errors.sort_by_key(|(span, _)| (span.start, span.end));
    let mut seen = BTreeSet::new();
    errors.retain(|(span, _)| seen.insert(text.bytes().take(span.start).filter(|&byte| byte == b'\n').count()));
    errors
        .into_iter()
        .map(|(span, error)| {
            let (message, help) = explain(error.message(), text.get(span.clone()).unwrap_or_default());
            Remark { place: Some(Place::new(0, span)), message, help }
        })
        .collect()
}

/// The parser's message in the words of this program, and a remedy.
pub(super) fn explain(message: &str, meant: &str) -> (String, Option<String>) {
    let help = |text: String| Some(text);
    // The parser's word for a rule without alternatives.
    let message = message.trim_end_matches(", expected nothing");
    match message {
        _ if message.starts_with("string values must be quoted") && meant.is_empty() => {
            ("a value is missing".into(), help("write `key = value`".into()))
        }
        _ if message.starts_with("string values must be quoted") => {
            (format!("`{meant}` is not a value"), help(format!("text stands in quotes: `\"{meant}\"`")))
        }
        "duplicate key" => (
            format!("`{meant}` is given twice"),
            help("keep one of them; tables of a list have double brackets, as in `[[bodies]]`".into()),
        ),
        _ => (message.into(), None),
    }
}
