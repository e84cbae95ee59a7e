//! The schema, and the page that is made of it.

use std::path::Path;

use serde_json::Value;
use thixo_scene::{reference, schema};

/// Every schema of a value in the document, with the path to it.
fn properties(value: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    if let Some(object) = value.as_object() {
        for (key, property) in value["properties"].as_object().into_iter().flatten() {
            found.push((format!("{path}.{key}"), property.clone()));
        }
        for (key, inner) in object {
            properties(inner, &format!("{path}/{key}"), found);
        }
    }
    for inner in value.as_array().into_iter().flatten() {
        properties(inner, path, found);
    }
}

#[test]
fn every_key_is_described() {
    let schema = schema();
    let mut found = Vec::new();
    properties(&schema, "", &mut found);
    assert!(found.len() > 60);
    for (path, property) in found {
        let referenced = property["$ref"].as_str().and_then(|target| schema.pointer(&target[1..]));
        let description = property["description"].as_str().or(referenced.and_then(|s| s["description"].as_str()));
        // A choice is described where it is made.
        let is_choice = path.contains("oneOf");
        assert!(is_choice || description.is_some_and(|text| text.len() > 5), "{path}: {property}");
    }
}

#[test]
fn limits_of_the_simulation_are_in_the_schema() {
    let schema = schema();
    let cfl = &schema["$defs"]["Adaptive"]["properties"]["cfl"];
    assert_eq!((cfl["exclusiveMinimum"].as_f64(), cfl["maximum"].as_f64()), (Some(0.0), Some(1.0)));
    assert_eq!(cfl["default"].as_f64(), Some(0.4));
    assert_eq!(schema["$defs"]["Material"]["properties"]["density"]["exclusiveMinimum"].as_f64(), Some(0.0));
}

#[test]
fn the_schema_knows_no_null() {
    assert!(!schema().to_string().contains("null"));
}

#[test]
fn the_reference_in_the_book_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-reference.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, reference()).unwrap();
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    assert!(written == reference(), "docs/scene-reference.md is stale; `BLESS=1 cargo test` writes it anew");
}
