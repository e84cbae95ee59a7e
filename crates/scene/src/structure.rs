//! Holds a document against the JSON schema of a scene: keys, types, choices, ranges. Finds everything at once.
//!
//! It knows the part of JSON schema that the declarations of [`crate::Description`] use: `$ref`, `properties`,
//! `required`, `additionalProperties`, `oneOf` (a choice), `items`, `minItems`, `maxItems`, `enum`, `const`,
//! `type` and the limits of numbers.

mod mend;
mod scalar;

use std::collections::BTreeMap;

pub(crate) use mend::{Mended, mended};
use serde_json::Value as Json;

use crate::document::{Node, Path, Remark, Value};
use crate::wording::{nearest, quoted};

/// Everything in `root` that `schema` does not allow.
pub(crate) fn remarks(root: &Node, schema: &Json) -> Vec<Remark> {
    let mut walk = Walk { schema, remarks: Vec::new() };
    walk.node(root, schema, &Path::default());
    walk.remarks
}

struct Walk<'a> {
    schema: &'a Json,
    remarks: Vec<Remark>,
}

/// What a table may hold.
#[derive(Default)]
struct Keys<'a> {
    /// Keys that may stand beside each other.
    plain: Vec<(&'a str, &'a Json)>,
    /// Keys of which exactly one must be there.
    choice: Vec<(&'a str, &'a Json)>,
    /// What any other key holds.
    other: Option<&'a Json>,
    /// Keys that must be there.
    required: Vec<&'a str>,
}

impl<'a> Keys<'a> {
    fn of(schema: &'a Json) -> Keys<'a> {
        let properties = |schema: &'a Json| schema["properties"].as_object().into_iter().flatten();
        let choice = schema["oneOf"].as_array().into_iter().flatten();
        Keys {
            plain: properties(schema).map(|(key, schema)| (key.as_str(), schema)).collect(),
            choice: choice.flat_map(properties).map(|(key, schema)| (key.as_str(), schema)).collect(),
            other: schema.get("additionalProperties").filter(|other| other.is_object()),
            required: schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect(),
        }
    }

    /// Is it no table at all?
    fn is_nothing(&self) -> bool {
        self.plain.is_empty() && self.choice.is_empty() && self.other.is_none()
    }

    fn is_pure_choice(&self) -> bool {
        self.plain.is_empty() && !self.choice.is_empty()
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.plain.iter().chain(&self.choice).map(|(key, _)| *key)
    }

    fn choices(&self) -> impl Iterator<Item = &'a str> {
        self.choice.iter().map(|(key, _)| *key)
    }
}

fn find<'a>(keys: &[(&str, &'a Json)], wanted: &str) -> Option<&'a Json> {
    keys.iter().find(|(key, _)| *key == wanted).map(|(_, schema)| *schema)
}

impl<'a> Walk<'a> {
    fn remark(&mut self, place: Option<&crate::document::Place>, message: String, help: Option<String>) {
        self.remarks.push(Remark::new(place.cloned(), message, help));
    }

    /// The schema that is meant, with references followed.
    fn resolve(&self, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        while let Some(reference) = schema["$ref"].as_str() {
            match self.schema.pointer(reference.trim_start_matches('#')) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }

    fn node(&mut self, node: &Node, schema: &'a Json, path: &Path) {
        let schema = self.resolve(schema);
        let words = scalar::words(schema);
        let keys = Keys::of(schema);
        match (&node.value, schema["type"].as_str()) {
            // A choice between words and tables.
            (Value::Table(table), None) if keys.is_pure_choice() => self.table(node, table, schema, path),
            (Value::Text(text), None) if find(&keys.choice, text).is_some() => self.wrong_type(node, schema, path),
            _ if !words.is_empty() => self.word(node, &words, path),
            (Value::Table(table), Some("object")) => self.table(node, table, schema, path),
            (Value::Table(table), None) if schema["oneOf"].is_array() => self.table(node, table, schema, path),
            (Value::List(list), Some("array")) => self.list(node, list, schema, path),
            (Value::Boolean(_), Some("boolean")) | (Value::Text(_), Some("string")) => {}
            (Value::Number { written, value, .. }, Some("number")) => {
                self.number(node, (written, *value), schema, path)
            }
            // An integer that does not fit its type is infinite, or at least out of range.
            (Value::Number { integer, written, value }, Some("integer")) if integer.is_some() || *value > 1e18 => {
                self.number(node, (written, *value), schema, path);
            }
            _ => self.wrong_type(node, schema, path),
        }
    }

    fn table(&mut self, node: &Node, table: &BTreeMap<String, Node>, schema: &'a Json, path: &Path) {
        let keys = Keys::of(schema);
        let mut chosen = Vec::new();
        let mut unknown = Vec::new();
        for (key, value) in table {
            let inner = path.key(key);
            if let Some(schema) = find(&keys.plain, key).or(keys.other) {
                self.node(value, schema, &inner);
            } else if let Some(schema) = find(&keys.choice, key) {
                chosen.push((key.as_str(), value));
                self.node(value, schema, &inner);
            } else {
                unknown.push(key.as_str());
                self.unknown_key(key, value, &keys, path);
            }
        }
        // A slip is told once: the key it stands for is then not missing as well.
        let suggested: Vec<_> = unknown.iter().filter_map(|key| nearest(key, keys.names())).collect();
        let place = (*path != Path::default()).then_some(&node.key);
        for &key in keys.required.iter().filter(|&&key| !table.contains_key(key) && !suggested.contains(&key)) {
            let description = find(&keys.plain, key).map(|schema| self.description(schema)).unwrap_or_default();
            self.remark(
                place,
                format!("`{key}` is missing in {}", path.name()),
                Some(format!("`{key}`: {description}")),
            );
        }
        chosen.sort_by_key(|(_, value)| &value.key);
        let excused =
            keys.choices().any(|key| suggested.contains(&key)) || (keys.is_pure_choice() && !unknown.is_empty());
        match chosen.as_slice() {
            [] if !keys.choice.is_empty() && !excused => {
                let message = format!("{} says nothing of {}", path.name(), quoted(keys.choices(), "or"));
                self.remark(place, message, Some("give one of them".into()));
            }
            [(first, _), (second, value), ..] => {
                let message = format!("{} has both `{first}` and `{second}`, but can only be one", path.name());
                self.remark(Some(&value.key), message, Some("keep one of them".into()));
            }
            _ => {}
        }
    }

    fn unknown_key(&mut self, key: &str, value: &Node, keys: &Keys<'_>, path: &Path) {
        let kind = if keys.is_pure_choice() { "choice" } else { "key" };
        let help = match nearest(key, keys.names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if keys.names().next().is_none() => format!("{} has no {kind}s: write `{{}}`", path.name()),
            None => format!("the {kind}s of {} are {}", path.name(), quoted(keys.names(), "and")),
        };
        self.remark(Some(&value.key), format!("`{key}` is not a {kind} of {}", path.name()), Some(help));
    }

    fn list(&mut self, node: &Node, list: &[Node], schema: &'a Json, path: &Path) {
        let (least, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
        let count = list.len() as u64;
        if least.is_some_and(|least| count < least) || most.is_some_and(|most| count > most) {
            let message = match (least, most) {
                (Some(needed), Some(most)) if needed == most => {
                    format!("{} has {}, but needs {needed}", path.name(), plural(count, "number"))
                }
                (_, Some(most)) if count > most => {
                    format!("{} has {count} values, but at most {most} fit", path.name())
                }
                _ => format!("{} is empty", path.name()),
            };
            let help = match (least, most) {
                (Some(3), Some(3)) => Some("a vector is `[x, y, z]`, also in 2D".into()),
                _ => self.value_help(schema),
            };
            self.remark(Some(&node.place), message, help);
        }
        for (index, item) in list.iter().enumerate() {
            self.node(item, &schema["items"], &path.index(index));
        }
    }

    fn wrong_type(&mut self, node: &Node, schema: &'a Json, path: &Path) {
        let found = match &node.value {
            Value::Text(_) => "text",
            Value::Number { written, .. } if schema["type"] == "integer" => written,
            Value::Number { .. } => "a number",
            Value::Boolean(_) => "true or false",
            Value::Date => "a date",
            Value::List(list) if list.iter().any(|item| matches!(item.value, Value::Table(_))) => "a list of tables",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        };
        let items = self.resolve(&schema["items"]);
        let is_table = |schema: &Json| schema["type"] == "object" || schema["oneOf"].is_array();
        let wanted = match schema["type"].as_str() {
            Some("number") => "a number",
            Some("integer") => "a whole number",
            Some("string") => "text in quotes",
            Some("boolean") => "`true` or `false`",
            Some("array") if is_table(items) => "a list of tables",
            Some("array") if items["type"] == "number" => "a vector",
            Some("array") => "a list",
            _ => "a table",
        };
        let bare = path.name().trim_matches('`').to_string();
        let keys = Keys::of(schema);
        let help = match (wanted, &node.value) {
            ("a list of tables", Value::Table(_)) => Some(format!("write `[[{bare}]]` with double brackets")),
            ("a table", Value::List(_)) => Some(format!("write `[{bare}]` with single brackets")),
            ("a table", Value::Text(text)) if find(&keys.choice, text).is_some() => {
                Some(format!("write `{bare}.{text} = {{}}`"))
            }
            ("a table", _) if keys.is_pure_choice() => {
                Some(format!("the choices of {} are {}", path.name(), quoted(keys.names(), "and")))
            }
            ("a table", _) => Some(format!("the keys of {} are {}", path.name(), quoted(keys.names(), "and"))),
            ("a vector", _) => Some("a vector is `[x, y, z]`, also in 2D".into()),
            ("a number" | "a whole number", Value::Text(text)) if text.parse::<f64>().is_ok() => {
                Some("write the number without quotes".into())
            }
            _ => None,
        };
        self.remark(Some(node.spot()), format!("{} must be {wanted}, but is {found}", path.name()), help);
    }

    /// What a value is, in a sentence.
    fn description(&self, schema: &'a Json) -> String {
        let own = schema["description"].as_str();
        let text = own.or_else(|| self.resolve(schema)["description"].as_str()).unwrap_or_default();
        let mut characters = text.trim_end_matches('.').chars();
        characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
    }

    /// The words a list may hold.
    fn value_help(&self, schema: &'a Json) -> Option<String> {
        let words = scalar::words(self.resolve(&schema["items"]));
        (!words.is_empty()).then(|| format!("it may hold {}", scalar::list(&words, "and")))
    }
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
