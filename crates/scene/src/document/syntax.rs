//! Syntax errors of TOML, in words that help.

use std::ops::Range;

use toml::de::Error;

use super::{Place, Remark};

/// What the parser complains about. Of each line only the first complaint: the others follow from it.
pub(super) fn remarks(errors: &[Error], text: &str) -> Vec<Remark> {
    let mut errors: Vec<_> = errors.iter().map(|error| (error.span().unwrap_or(0..0), error)).collect();
    errors.sort_by_key(|(span, _)| (span.start, span.end));
    let line_ends: Vec<_> = text.match_indices('\n').map(|(at, _)| at).collect();
    errors.dedup_by_key(|(span, _)| line_ends.partition_point(|&end| end < span.start));
    // A list without its end swallows the rest of the file: what is said of that does not help.
    if let Some(open) = errors.iter().position(|(_, error)| error.message().starts_with(OPEN_LIST)) {
        errors.truncate(open + 1);
    }
    errors
        .into_iter()
        .map(|(span, error)| {
            let (message, help) = explain(error.message(), text, &span);
            Remark::new(Some(Place::new(0, span)), message, help)
        })
        .collect()
}

/// How the parser's message begins when a list does not go on as a list.
const OPEN_LIST: &str = "missing comma between array elements";

/// The parser's message about a span of a text in the words of this program, and a remedy.
pub(super) fn explain(message: &str, text: &str, span: &Range<usize>) -> (String, Option<String>) {
    let meant = text.get(span.clone()).unwrap_or_default();
    let is_comma = text.get(span.start..).is_some_and(|rest| rest.starts_with(','));
    let is = |beginning: &str| message.starts_with(beginning);
    let (message, help) = match message {
        _ if is("string values must be quoted") && meant.is_empty() => ("a value is missing".into(), PAIR.into()),
        _ if is("string values must be quoted") => {
            (format!("`{meant}` is not a value"), format!("text stands in quotes: `\"{meant}\"`"))
        }
        _ if is("key with no value") => ("a key without a value".into(), PAIR.into()),
        _ if is("unclosed table") => ("the header of the table does not end".into(), "close it with `]`".into()),
        _ if is("invalid basic string, expected `\"`") => ("the text does not end".into(), "close it with `\"`".into()),
        _ if is(OPEN_LIST) => {
            ("the list before this does not end".into(), "put `,` between its values and `]` behind the last".into())
        }
        _ if is("invalid float") || is("unexpected leading zero") || is("invalid integer") => {
            ("this is not a number".into(), "numbers look like `3`, `0.1` or `1e-3`".into())
        }
        _ if is("unexpected key or value") && is_comma => {
            let help =
                "numbers have a decimal point, as in `0.02`; several values stand in brackets, as in `[0, 1, 0]`";
            ("a comma where the value ends".into(), help.into())
        }
        "duplicate key" if ["bodies", "walls", "probes"].contains(&meant) => {
            (format!("`{meant}` is given twice"), format!("start each of them with `[[{meant}]]`"))
        }
        "duplicate key" => (format!("`{meant}` is given twice"), "keep one of them".into()),
        // The parser's word for a rule without alternatives.
        _ => (message.trim_end_matches(", expected nothing").into(), "see <https://toml.io> for the notation".into()),
    };
    (message, Some(help))
}

const PAIR: &str = "write `key = value`";
