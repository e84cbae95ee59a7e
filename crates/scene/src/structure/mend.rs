//! A document with mistakes as it was probably meant, so that what else is wrong with it can be told at once.
//!
//! Misspelt keys take the names they stand for, other unknown keys go; values that are unusable give way to defaults,
//! or to any value that is allowed where one is needed. Whoever reads the result must not believe what was put in:
//! [`Mended::is_doubtful`] knows.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{Keys, Walk, find, scalar};
use crate::document::{Node, Path, Place, Value};
use crate::wording::nearest;

/// A document that its schema allows.
pub(crate) struct Mended {
    /// The table of all tables.
    pub(crate) root: Node,
    /// Where something was put in or left out.
    faults: Vec<Path>,
}

impl Mended {
    /// Was something at this path made up, or beside it, deep inside a body or a material?
    pub(crate) fn is_doubtful(&self, path: &Path) -> bool {
        // Below this depth neighbours are judged together: the corners of a box.
        const SHALLOW: usize = 3;
        self.faults.iter().any(|fault| {
            let deep = fault.len() > SHALLOW;
            path.starts_with(fault) || (deep && path.starts_with(&fault.parent()))
        })
    }

    /// Was this very value made up?
    pub(crate) fn is_made_up(&self, path: &Path) -> bool {
        self.faults.contains(path)
    }

    /// May names of bodies and walls be missing?
    pub(crate) fn lacks_names(&self) -> bool {
        let is_name = |path: &Path| path.ends_with_key("name") && path.len() == 3;
        let is_list =
            |path: &Path| path.len() <= 2 && ["bodies", "walls", "emitters"].iter().any(|list| path.is_below(list));
        self.faults.iter().any(|path| is_list(path) || is_name(path))
    }
}

/// Mends `root`.
pub(crate) fn mended(root: &Node, schema: &Json) -> Mended {
    let mut mender = Mender { walk: Walk { schema, remarks: Vec::new() }, faults: Vec::new() };
    let path = Path::default();
    let root = mender.node(root, schema, &path).unwrap_or_else(|| mender.any(schema, &root.place));
    Mended { root, faults: mender.faults }
}

struct Mender<'a> {
    walk: Walk<'a>,
    faults: Vec<Path>,
}

impl<'a> Mender<'a> {
    /// The node as it may be; none if it cannot be used.
    fn node(&mut self, node: &Node, schema: &'a Json, path: &Path) -> Option<Node> {
        let schema = self.walk.resolve(schema);
        let value = match &node.value {
            Value::Table(table) if !Keys::of(schema).is_nothing() => {
                Value::Table(self.table(table, node, schema, path))
            }
            Value::List(list) if schema["type"] == "array" => Value::List(self.list(list, schema, path)?),
            _ => {
                self.walk.remarks.clear();
                self.walk.node(node, schema, path);
                return self.walk.remarks.is_empty().then(|| node.clone());
            }
        };
        Some(Node { value, ..node.clone() })
    }

    fn list(&mut self, list: &[Node], schema: &'a Json, path: &Path) -> Option<Vec<Node>> {
        let (least, most) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64());
        let count = list.len() as u64;
        if least.is_some_and(|least| count < least) || most.is_some_and(|most| count > most) {
            return None;
        }
        let items = &schema["items"];
        let are_tables = !Keys::of(self.walk.resolve(items)).is_nothing();
        let mut mended = Vec::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            let inner = path.index(index);
            match self.node(item, items, &inner) {
                Some(item) => mended.push(item),
                None if are_tables => {
                    mended.push(self.any(items, &item.place));
                    self.faults.push(inner);
                }
                None => return None,
            }
        }
        Some(mended)
    }

    fn table(
        &mut self,
        table: &BTreeMap<String, Node>,
        node: &Node,
        schema: &'a Json,
        path: &Path,
    ) -> BTreeMap<String, Node> {
        let keys = Keys::of(schema);
        let mut mended = BTreeMap::new();
        for (key, value) in table {
            let is_known = keys.names().any(|name| name == key) || keys.other.is_some();
            let free = keys.names().filter(|name| !table.contains_key(*name) && !mended.contains_key(*name));
            let Some(key) = (if is_known { Some(key.as_str()) } else { nearest(key, free) }) else { continue };
            let Some(schema) = find(&keys.plain, key).or(keys.other).or(find(&keys.choice, key)) else { continue };
            let inner = path.key(key);
            match self.node(value, schema, &inner) {
                Some(value) => drop(mended.insert(key.to_owned(), value)),
                None => {
                    if keys.required.contains(&key) || find(&keys.choice, key).is_some() || keys.other.is_some() {
                        mended.insert(key.to_owned(), self.any(schema, &value.place));
                    }
                    self.faults.push(inner);
                }
            }
        }
        for &key in keys.required.iter().filter(|&&key| !mended.contains_key(key)).collect::<Vec<_>>() {
            let schema = find(&keys.plain, key).unwrap_or(&Json::Null);
            mended.insert(key.into(), self.any(schema, &node.key));
            self.faults.push(path.key(key));
        }
        self.choose(&keys, &mut mended, node, path);
        mended
    }

    /// Leaves one of the choices of a table.
    fn choose(&mut self, keys: &Keys<'a>, table: &mut BTreeMap<String, Node>, node: &Node, path: &Path) {
        let Some(&(first, schema)) = keys.choice.first() else { return };
        let chosen: Vec<_> = keys.choices().filter(|key| table.contains_key(*key)).collect();
        match chosen.as_slice() {
            [] => {
                table.insert(first.into(), self.any(schema, &node.key));
                self.faults.push(path.key(first));
            }
            [_] => {}
            [kept, others @ ..] => {
                others.iter().for_each(|key| drop(table.remove(*key)));
                self.faults.push(path.key(kept));
            }
        }
    }

    /// Any value that the schema allows.
    fn any(&self, schema: &'a Json, place: &Place) -> Node {
        let schema = self.walk.resolve(schema);
        let keys = Keys::of(schema);
        let limit = |keyword: &str| schema[keyword].as_f64();
        let value = match (scalar::words(schema).first(), schema["type"].as_str()) {
            (Some(word), _) => match word.as_i64() {
                Some(integer) => number(integer as f64),
                None => Value::Text(word.as_str().unwrap_or_default().into()),
            },
            (None, Some("number" | "integer")) => {
                let least = limit("minimum").or(limit("exclusiveMinimum")).unwrap_or(0.0);
                let most = limit("maximum").or(limit("exclusiveMaximum")).unwrap_or(least + 2.0);
                let middle = 0.5 * (least + most.min(least + 2.0));
                number(if schema["type"] == "integer" { middle.round() } else { middle })
            }
            (None, Some("string")) => Value::Text("?".into()),
            (None, Some("boolean")) => Value::Boolean(false),
            (None, Some("array")) => {
                let count = schema["minItems"].as_u64().unwrap_or(0);
                Value::List((0..count).map(|_| self.any(&schema["items"], place)).collect())
            }
            _ => {
                let required = keys.required.iter().filter_map(|key| Some((*key, find(&keys.plain, key)?)));
                let entries = required.chain(keys.choice.first().copied());
                Value::Table(entries.map(|(key, schema)| (key.to_owned(), self.any(schema, place))).collect())
            }
        };
        Node { key: place.clone(), place: place.clone(), value }
    }
}

fn number(value: f64) -> Value {
    let integer = (value.fract() == 0.0).then_some(value as i64);
    Value::Number { written: value.to_string(), value, integer }
}
