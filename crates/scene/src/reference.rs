//! The scene reference, from the schema.

use serde_json::Value;

use crate::schema;
use crate::wording::plain;

/// Everything a scene may say, as a page of Markdown.
pub fn reference() -> String {
    let mut page = Page { schema: schema::shared(), text: INTRODUCTION.into(), described: Vec::new() };
    for (key, table) in entries(page.schema) {
        page.section(key, table, 2);
    }
    page.text
}

const INTRODUCTION: &str = "# Scene reference

Everything a scene file may say. This page is generated from the declarations in `crates/scene/src/scene.rs` and in
the parameters of `crates/sim`.

A scene is a TOML file. Units are SI throughout, vectors are `[x, y, z]`. A 2D scene lies in the plane z = 0, one
metre deep: z is ignored, masses and forces are those of a slab of one metre. Where there is a choice, its name is a
key: `shape.box = { ... }` or `shape.sphere = { ... }`. Keys that are not listed here are refused.

Particles are the centres of lattice cells. Bodies fill their shape from inside, wall particles lie behind the surface;
bodies and walls may share faces.
";

struct Page {
    schema: &'static Value,
    text: String,
    /// Choices that have their section, and the path of it: shapes are made of shapes, and stand in several places.
    described: Vec<(&'static Value, String)>,
}

impl Page {
    /// A table of keys, and sections for those that are tables themselves.
    fn section(&mut self, path: &str, property: &'static Value, depth: usize) {
        let table = self.table_of(property);
        let (path, header) = match self.resolve(property) {
            list if list["type"] == "array" => (path.to_string(), format!("[[{path}]]")),
            map if map["additionalProperties"].is_object() => (format!("{path}.NAME"), format!("[{path}.NAME]")),
            _ if depth == 2 => (path.to_string(), format!("[{path}]")),
            _ => (path.to_string(), path.to_string()),
        };
        if self.is_choice(table) {
            self.described.push((table, path.clone()));
        }
        let words = description(property).or(description(table)).unwrap_or_default();
        self.text += &format!("\n{} `{header}`\n\n{words}\n", "#".repeat(depth.min(5)));
        let keys = entries(table).map(|(key, property)| (key, property, self.meaning(property)));
        let chosen = table["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|choice| entries(choice).map(|(key, property)| (key, property, line(description(choice)))));
        let (keys, chosen): (Vec<_>, Vec<_>) = (keys.collect(), chosen.collect());
        if !keys.is_empty() {
            self.text += "\n| key | value | default | meaning |\n|---|---|---|---|\n";
            for (key, property, meaning) in &keys {
                let (kind, default) = (self.kind(property), default(table, key, property));
                self.text += &format!("| `{key}` | {kind} | {default} | {meaning} |\n");
            }
        }
        if !chosen.is_empty() {
            self.text += "\nExactly one of:\n\n| choice | value | meaning |\n|---|---|---|\n";
            for (word, choice) in single_words(table) {
                let key = path.rsplit('.').next().unwrap_or_default();
                self.text += &format!("| `{key} = \"{word}\"` | | {} |\n", line(description(choice)));
            }
            for (key, property, meaning) in &chosen {
                self.text += &format!("| `{key}` | {} | {meaning} |\n", self.kind(property));
            }
        }
        for (key, property, _) in keys.into_iter().chain(chosen) {
            let inner = self.table_of(property);
            if self.described(inner).is_none() && (entries(inner).next().is_some() || self.is_choice(inner)) {
                self.section(&format!("{path}.{key}"), property, depth + 1);
            }
        }
    }

    /// What a key means: its own words, or those of what it holds.
    fn meaning(&self, property: &'static Value) -> String {
        line(description(property).or(description(self.resolve(property))))
    }

    fn resolve(&self, schema: &'static Value) -> &'static Value {
        let target = schema["$ref"].as_str().and_then(|path| self.schema.pointer(path.trim_start_matches('#')));
        target.unwrap_or(schema)
    }

    /// The table that a key holds: itself, or one of its list or map.
    fn table_of(&self, property: &'static Value) -> &'static Value {
        let schema = self.resolve(property);
        match (&schema["items"], &schema["additionalProperties"]) {
            (items @ Value::Object(_), _) => self.resolve(items),
            (_, entries @ Value::Object(_)) => self.resolve(entries),
            _ => schema,
        }
    }

    /// Where a choice has its section.
    fn described(&self, table: &Value) -> Option<&str> {
        self.described.iter().find(|(other, _)| std::ptr::eq(*other, table)).map(|(_, path)| path.as_str())
    }

    fn is_choice(&self, schema: &Value) -> bool {
        schema["oneOf"]
            .as_array()
            .is_some_and(|choices| choices.iter().any(|choice| choice.get("properties").is_some()))
    }

    /// What a value looks like.
    fn kind(&self, property: &'static Value) -> String {
        let schema = self.resolve(property);
        let words: Vec<_> = match (schema["enum"].as_array(), schema["oneOf"].as_array()) {
            (Some(words), _) => words.iter().collect(),
            (None, Some(choices)) => choices.iter().filter_map(|choice| choice.get("const")).collect(),
            _ => Vec::new(),
        };
        if !words.is_empty() {
            return words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ");
        }
        match schema["type"].as_str() {
            Some("number") => format!("number{}", limits(schema)),
            Some("integer") => format!("whole number{}", limits(schema)),
            Some("string") => "text".into(),
            Some("boolean") => "`true` or `false`".into(),
            Some("array") if schema["maxItems"] == 3 => "vector".into(),
            Some("array") => format!("list of {}", self.kind(&schema["items"])),
            _ if self.is_choice(schema) && entries(schema).next().is_none() => match self.described(schema) {
                Some(path) => format!("choice, as `{path}`"),
                None => "choice".into(),
            },
            _ => "table".into(),
        }
    }
}

/// The choices of a table that are words alone.
fn single_words(table: &'static Value) -> impl Iterator<Item = (&'static str, &'static Value)> {
    let choices = table["oneOf"].as_array().into_iter().flatten();
    choices.filter_map(|choice| Some((choice["const"].as_str()?, choice)))
}

fn entries(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    schema["properties"].as_object().into_iter().flatten().map(|(key, property)| (key.as_str(), property))
}

/// In one line, as a row of a table must be.
fn line(text: Option<&str>) -> String {
    text.unwrap_or_default().replace('\n', " ")
}

fn description(schema: &Value) -> Option<&str> {
    schema["description"].as_str()
}

fn limits(schema: &Value) -> String {
    let limit = |keyword: &str| schema[keyword].as_f64().map(plain);
    match (limit("minimum"), limit("exclusiveMinimum"), limit("maximum")) {
        (Some(low), _, Some(high)) => format!(", {low} to {high}"),
        (_, Some(low), Some(high)) => format!(", above {low}, at most {high}"),
        (Some(low), ..) => format!(", at least {low}"),
        (_, Some(low), _) => format!(", above {low}"),
        (.., Some(high)) => format!(", at most {high}"),
        _ => String::new(),
    }
}

fn default(table: &Value, key: &str, property: &Value) -> String {
    let required = table["required"].as_array().is_some_and(|keys| keys.iter().any(|required| required == key));
    match property.get("default") {
        _ if required => "required".into(),
        Some(value) if value.as_array().is_some_and(Vec::is_empty) => String::new(),
        Some(value) => format!("`{}`", toml_text(value)),
        None => String::new(),
    }
}

/// A value as it stands in a scene file.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let entries: Vec<_> = table.iter().map(|(key, value)| format!("{key} = {}", toml_text(value))).collect();
            if entries.is_empty() { "{}".into() } else { format!("{{ {} }}", entries.join(", ")) }
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}
