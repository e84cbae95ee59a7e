//! Values given on the command line: `materials.water.density=900`.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Document, Node, Place, Remark, Source, Value, syntax};

/// A key of an override, and where it stands.
type Key = (String, std::ops::Range<usize>);

impl Document {
    /// Puts a value at a dotted path; tables that are missing are made, elements of lists go by their number.
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
            let meant = setting.get(span.clone()).unwrap_or_default();
            let (message, help) = syntax::explain(error.message(), meant);
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
            let count = list.len();
            let index = key.parse::<usize>().ok().filter(|&index| index < count);
            match index.and_then(|index| list.get_mut(index)) {
                Some(next) => next,
                None => {
                    let help = match count {
                        0 => "the list is empty".into(),
                        _ => format!("its elements are 0 to {}", count - 1),
                    };
                    let message = format!("`{key}` is not an element of the list");
                    return Err(Remark::new(Some(place), message, Some(help)));
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
