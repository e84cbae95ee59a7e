//! A TOML document in which every key and value knows where it stands.
//!
//! Overrides from the command line are grafted onto the same tree, each with itself as its source, so that
//! all later checks treat files and overrides alike.

mod overrides;
mod syntax;

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Excerpt, Problem};

/// A text that was read: a file, or an override.
#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
    is_file: bool,
}

/// Bytes of a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    source: usize,
    start: usize,
    end: usize,
}

impl Place {
    fn new(source: usize, span: Range<usize>) -> Place {
        Place { source, start: span.start, end: span.end }
    }
}

/// A value with its places.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Where its key is; where the value is, if it has no key of its own.
    pub(crate) key: Place,
    /// Where its value is.
    pub(crate) place: Place,
    /// What it is.
    pub(crate) value: Value,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Text.
    Text(String),
    /// A number as it was written, its value, and the same as an integer if it is one.
    Number { written: String, value: f64, integer: Option<i64> },
    /// True or false.
    Boolean(bool),
    /// A date or time, of which scenes have none.
    Date,
    /// Values in brackets, or tables with the same header in double brackets.
    List(Vec<Node>),
    /// Keys and values.
    Table(BTreeMap<String, Node>),
}

/// One step on the way from the root to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into a table.
    Key(String),
    /// Into a list.
    Index(usize),
}

/// The way from the root to a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(Vec<Step>);

/// A problem that knows its place in the document, but not yet how that place looks.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    /// The place; none for the whole document.
    pub(crate) place: Option<Place>,
    /// What is wrong.
    pub(crate) message: String,
    /// What helps.
    pub(crate) help: Option<String>,
    /// The place that contradicts it.
    pub(crate) other: Option<Place>,
}

/// Most problems that are told at once: nobody reads more.
const MOST_PROBLEMS: usize = 100;

/// A document with the texts it came from.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    sources: Vec<Source>,
    /// The table of all tables.
    pub(crate) root: Node,
}

impl Document {
    /// Reads a file called `name`. With syntax errors the second value tells them, and the tree is not to be used.
    pub(crate) fn parse(name: &str, text: &str) -> (Document, Vec<Remark>) {
        // Places are counted in lines and characters, which neither of these changes.
        let text = &text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        let (table, errors) = DeTable::parse_recoverable(text);
        let place = Place::new(0, 0..0);
        let root = Node { key: place.clone(), place, value: table_value(table.get_ref(), 0) };
        let source = Source { name: name.into(), text: text.into(), is_file: true };
        (Document { sources: vec![source], root }, syntax::remarks(&errors, text))
    }

    /// Problems in the order of the file, those about the whole first, those of overrides last.
    pub(crate) fn problems(&self, mut remarks: Vec<Remark>) -> Vec<Problem> {
        remarks.sort_by(|a, b| a.place.cmp(&b.place));
        let more = remarks.len().saturating_sub(MOST_PROBLEMS);
        remarks.truncate(MOST_PROBLEMS);
        if more > 0 {
            remarks.push(Remark::new(None, format!("there are {more} more problems"), None));
        }
        remarks.into_iter().map(|remark| self.problem(remark)).collect()
    }

    fn problem(&self, Remark { place, message, help, other }: Remark) -> Problem {
        let source = &self.sources[place.as_ref().map_or(0, |place| place.source)];
        let excerpt = place.map(|place| Excerpt::of(&source.text, place.start..place.end, source.is_file));
        let other = other.map(|place| format!("; the other is in {}", self.line(&place))).unwrap_or_default();
        Problem { message: message + &other, help, source: source.name.clone(), excerpt }
    }

    /// The line in which a place begins: `line 12`.
    fn line(&self, place: &Place) -> String {
        let source = &self.sources[place.source];
        match Excerpt::of(&source.text, place.start..place.end, source.is_file).line {
            Some(line) => format!("line {line}"),
            None => source.name.clone(),
        }
    }

    /// Where `path` is, or as much of it as exists.
    pub(crate) fn place(&self, path: &Path) -> Option<Place> {
        let mut node = &self.root;
        for step in &path.0 {
            let next = match (&node.value, step) {
                (Value::Table(table), Step::Key(key)) => table.get(key),
                (Value::List(list), Step::Index(index)) => list.get(*index),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        (!std::ptr::eq(node, &self.root)).then(|| node.spot().clone())
    }
}

impl Remark {
    pub(crate) fn new(place: Option<Place>, message: String, help: Option<String>) -> Remark {
        Remark { place, message, help, other: None }
    }
}

impl Node {
    /// The place to point at: a table is known by its key, all else by its value.
    pub(crate) fn spot(&self) -> &Place {
        if matches!(self.value, Value::Table(_)) { &self.key } else { &self.place }
    }

    /// The same value without places. Numbers must be finite.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Text(text) => text.as_str().into(),
            Value::Number { integer: Some(integer), .. } => (*integer).into(),
            Value::Number { value, .. } => (*value).into(),
            Value::Boolean(value) => (*value).into(),
            Value::Date => serde_json::Value::Null,
            Value::List(nodes) => nodes.iter().map(Node::to_json).collect(),
            Value::Table(table) => table.iter().map(|(key, node)| (key.clone(), node.to_json())).collect(),
        }
    }

    fn new(key: Option<Range<usize>>, value: &Spanned<DeValue<'_>>, source: usize) -> Node {
        let place = Place::new(source, value.span());
        let key = key.map_or_else(|| place.clone(), |span| Place::new(source, span));
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(integer) => integer_value(integer.as_str(), integer.radix()),
            DeValue::Float(float) => {
                let written = float.as_str().to_string();
                Value::Number { value: written.parse().unwrap_or(f64::NAN), written, integer: None }
            }
            DeValue::Boolean(value) => Value::Boolean(*value),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(items) => Value::List(items.iter().map(|item| Node::new(None, item, source)).collect()),
            DeValue::Table(table) => table_value(table, source),
        };
        Node { key, place, value }
    }
}

fn table_value(table: &DeTable<'_>, source: usize) -> Value {
    let node = |(key, value): (&Spanned<_>, &Spanned<_>)| Node::new(Some(key.span()), value, source);
    Value::Table(table.iter().map(|(key, value)| (key.get_ref().to_string(), node((key, value)))).collect())
}

/// An integer; one that does not fit is still a number.
fn integer_value(digits: &str, radix: u32) -> Value {
    let integer = i64::from_str_radix(digits, radix).ok();
    let value = match integer {
        Some(integer) => integer as f64,
        None if radix == 10 => digits.parse().unwrap_or(f64::INFINITY),
        None => f64::INFINITY,
    };
    Value::Number { written: digits.to_string(), value, integer }
}

impl Path {
    /// The path that goes on with a key.
    pub(crate) fn key(&self, key: &str) -> Path {
        self.with(Step::Key(key.into()))
    }

    /// The path that goes on with an element.
    pub(crate) fn index(&self, index: usize) -> Path {
        self.with(Step::Index(index))
    }

    fn with(&self, step: Step) -> Path {
        let mut steps = self.0.clone();
        steps.push(step);
        Path(steps)
    }

    /// How many steps it has.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Does it go through the end of `other`?
    pub(crate) fn starts_with(&self, other: &Path) -> bool {
        self.0.starts_with(&other.0)
    }

    /// Is its first step this key?
    pub(crate) fn is_below(&self, key: &str) -> bool {
        matches!(self.0.first(), Some(Step::Key(first)) if first == key)
    }

    /// Is its last step this key?
    pub(crate) fn ends_with_key(&self, key: &str) -> bool {
        matches!(self.0.last(), Some(Step::Key(last)) if last == key)
    }

    /// The path without its last step.
    pub(crate) fn parent(&self) -> Path {
        Path(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// What to call the node at the end of the path: `` `fluid` ``, `` `bodies[1]` ``, `the scene`.
    pub(crate) fn name(&self) -> String {
        let mut indices = String::new();
        for step in self.0.iter().rev() {
            match step {
                Step::Index(index) => indices = format!("[{index}]{indices}"),
                Step::Key(key) => return format!("`{key}{indices}`"),
            }
        }
        "the scene".into()
    }
}
