//! The JSON schema of a scene file, from the same declarations that read it.

use std::sync::OnceLock;

use serde_json::{Map, Value};
use thixo_sim::Real;

use crate::Description;

/// The JSON schema of a scene file: editors complete and check scenes with it.
pub fn schema() -> Value {
    shared().clone()
}

/// The schema, made once: it is a constant of the program.
pub(crate) fn shared() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = schemars::schema_for!(Description).to_value();
        without_null(&mut schema);
        round_defaults(&mut schema, false);
        schema
    })
}

/// Takes `null` out: TOML has none, a key is left out instead.
fn without_null(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_null),
        Value::Object(object) => {
            object.values_mut().for_each(without_null);
            single_type(object);
            single_alternative(object);
            object.retain(|keyword, value| !(keyword == "default" && value.is_null()));
        }
        _ => {}
    }
}

/// Defaults in single precision are written as 0.4 and not as 0.4000000059604645.
fn round_defaults(value: &mut Value, is_default: bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| round_defaults(item, is_default)),
        Value::Object(object) => {
            object.iter_mut().for_each(|(keyword, value)| round_defaults(value, is_default || keyword == "default"));
        }
        Value::Number(number) if is_default && number.is_f64() => {
            let written = number.as_f64().map(|exact| exact as Real).map(|rounded| rounded.to_string());
            if let Some(rounded) = written.and_then(|written| written.parse::<f64>().ok()) {
                *value = rounded.into();
            }
        }
        _ => {}
    }
}

/// `type: [number, null]` becomes `type: number`.
fn single_type(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [name] = types.as_slice() {
            let name = name.clone();
            object.insert("type".into(), name);
        }
    }
}

/// `anyOf: [X, null]` becomes X.
fn single_alternative(object: &mut Map<String, Value>) {
    let Some(Value::Array(mut alternatives)) = object.remove("anyOf") else { return };
    alternatives.retain(|alternative| alternative.get("type").is_none_or(|name| name != "null"));
    match <[Value; 1]>::try_from(alternatives) {
        Ok([Value::Object(only)]) => only.into_iter().for_each(|(keyword, value)| {
            object.entry(keyword).or_insert(value);
        }),
        Ok([other]) => drop(object.insert("anyOf".into(), Value::Array(vec![other]))),
        Err(several) => drop(object.insert("anyOf".into(), Value::Array(several))),
    }
}
