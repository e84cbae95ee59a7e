//! Values given on the command line: `materials.water.density=900`.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::wording::{nearest, quoted};

use super::{Document, Node, Place, Remark, Source, Value, syntax};

/// A key of an override, and where it stands.
type Key = (String, std::ops::Range<usize>);

impl Document {
    /// Puts a value at a dotted path; tables that are missing are made, elements of lists go by their name or
    /// number.
    pub(crate) fn set(&mut self, setting: &str) -> Result<(), Remark> {
        let source = self.sources.len();
        self.sources.push(Source { name: format!("--set {setting}"), text: setting.into(), is_file: false });
        let remark = |span, message, help| Remark::new(Some(Place::new(source, span)), message, help);
        if setting.contains(['\n', '\r']) {
            return Err(remark(0..setting.len(), "an override is a single line".into(), None));
        }
        let Some(equals) = setting.find('=') else {
            let help = Some("write `--set path=value`, as in `--set materials.water.density=900`".into());
            return Err(remark(0..setting.len(), "an override needs `=`".into(), help));
        };
        let keys = keys(&setting[..equals]).map_err(|message| {
            let help = Some("a path is keys with dots between, as in `materials.water.density`".into());
            remark(0..equals, message, help)
        })?;
        let value = value(setting, equals + 1, source)?;
        graft(&mut self.root, &keys, value, source)
    }

    /// Materials and shapes that overrides have made and nobody uses: a slip, most likely.
    pub(crate) fn unused(&self) -> Vec<Remark> {
        let kinds = [("materials", "material"), ("shapes", "named")];
        kinds.into_iter().flat_map(|(kind, user)| self.unused_of(kind, user)).collect()
    }

    /// Those of a kind whose names stand at keys called `user`.
    fn unused_of(&self, kind: &str, user: &str) -> Vec<Remark> {
        let Value::Table(root) = &self.root.value else { return Vec::new() };
        let Some(Value::Table(table)) = root.get(kind).map(|node| &node.value) else { return Vec::new() };
        let written = || table.iter().filter(|(_, node)| self.sources[node.key.source].is_file);
        let made = table.iter().filter(|(_, node)| !self.sources[node.key.source].is_file);
        let unused = made.filter(|(name, _)| !self.root.mentions(user, name));
        let remark = |(name, node): (&String, &Node)| {
            let names = || written().map(|(name, _)| name.as_str());
            let help = match nearest(name, names()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if names().next().is_none() => format!("`--set {kind}` cannot be meant: the scene has none"),
                None => format!("the {kind} of the scene: {}", quoted(names(), "and")),
            };
            let message = format!("there is no `{name}` among the {kind}, and nobody uses one of that name");
            Remark::new(Some(node.key.clone()), message, Some(help))
        };
        unused.map(remark).collect()
    }
}

impl Node {
    /// Is this text a value of a key so called, at any depth?
    fn mentions(&self, key: &str, text: &str) -> bool {
        match &self.value {
            Value::List(nodes) => nodes.iter().any(|node| node.mentions(key, text)),
            Value::Table(table) => table.iter().any(|(name, node)| match &node.value {
                Value::Text(value) => name == key && value == text,
                _ => node.mentions(key, text),
            }),
            _ => false,
        }
    }

    /// The name of an element of a list.
    fn name(&self) -> Option<&str> {
        let Value::Table(table) = &self.value else { return None };
        match &table.get("name")?.value {
            Value::Text(name) => Some(name),
            _ => None,
        }
    }
}

/// The keys of a dotted path.
fn keys(path: &str) -> Result<Vec<Key>, String> {
    let text = format!("{path}=0");
    let table = DeTable::parse(&text).map_err(|error| error.message().to_string())?;
    let mut keys = Vec::new();
    let mut table = table.get_ref();
    while let Some((key, value)) = table.iter().next() {
        keys.push((key.get_ref().to_string(), key.span()));
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    Ok(keys)
}

/// The value that begins at `start`; a bare word is text.
fn value(setting: &str, start: usize, source: usize) -> Result<Node, Remark> {
    // A short key and spaces keep the spans of the value those of the whole setting.
    let text = format!("{:width$}={}", "x", &setting[start..], width = start - 1);
    match DeTable::parse(&text).map(|table| table.get_ref().get("x").map(|value| Node::new(None, value, source))) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(Remark::new(None, "an override needs a value".into(), None)),
        Err(error) => {
            let word = setting[start..].trim();
            let is_bare = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_. ".contains(c));
            if is_bare && !word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.') {
                let span = start..setting.len();
                return Ok(Node::new(None, &Spanned::new(span, DeValue::String(word.into())), source));
            }
            let span = error.span().unwrap_or(start..setting.len());
            let (message, help) = syntax::explain(error.message(), setting, &span);
            Err(Remark::new(Some(Place::new(source, span)), message, help))
        }
    }
}

/// Puts `value` at the end of `keys`, below `node`.
fn graft(node: &mut Node, keys: &[Key], value: Node, source: usize) -> Result<(), Remark> {
    let Some(((key, span), rest)) = keys.split_first() else {
        *node = Node { key: node.key.clone(), ..value };
        return Ok(());
    };
    let place = Place::new(source, span.clone());
    let next = match &mut node.value {
        Value::Table(table) => {
            let empty = Node { key: place.clone(), place: place.clone(), value: Value::Table(Default::default()) };
            let next = table.entry(key.clone()).or_insert(empty);
            if rest.is_empty() {
                next.key = place;
            }
            next
        }
        Value::List(list) => {
            let numbered = || key.parse::<usize>().ok().filter(|&index| index < list.len());
            let index = list.iter().position(|node| node.name() == Some(key)).or_else(numbered);
            match index {
                Some(index) => &mut list[index],
                None => {
                    let message = format!("`{key}` is not an element of the list");
                    return Err(Remark::new(Some(place), message, Some(elements(key, list))));
                }
            }
        }
        _ => {
            let message = format!("`{key}` cannot be set: what it would be part of is a single value");
            return Err(Remark::new(Some(place), message, None));
        }
    };
    graft(next, rest, value, source)
}

/// What there is instead of the element `key`.
fn elements(key: &str, list: &[Node]) -> String {
    let names = || list.iter().filter_map(Node::name);
    let is_number = key.parse::<usize>().is_ok();
    match (nearest(key, names()).filter(|_| !is_number), list) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, []) => "the list is empty".into(),
        (None, [_]) if names().next().is_some() => format!("it has only {}, which is number 0", quoted(names(), "and")),
        (None, [_]) => "its only element is number 0".into(),
        (None, _) if names().next().is_some() => {
            format!("its elements are {}, or 0 to {}", quoted(names(), "and"), list.len() - 1)
        }
        (None, _) => format!("its elements are 0 to {}", list.len() - 1),
    }
}
