//! `thixo validate`: its words, its exit codes, what it writes where. That the physics holds is tested elsewhere.

use std::fs;

use serde_json::Value;

use crate::sandbox::Sandbox;

const KEYS: [&str; 15] = [
    "id",
    "quantity",
    "measured",
    "reference",
    "error",
    "tolerance",
    "verdict",
    "particles",
    "steps",
    "dt",
    "support_over_spacing",
    "precision",
    "solver",
    "seconds",
    "version",
];

#[test]
fn rows_are_json_lines_with_the_promised_keys_and_words() {
    let sandbox = Sandbox::new();
    let ended = sandbox.thixo(&["validate", "--json", "--coarse", "K1", "C1", "F13"]).expect(0);
    assert!(ended.stderr.contains("K1"), "progress: {}", ended.stderr);
    let rows: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() > 5);
    for row in &rows {
        let object = row.as_object().unwrap();
        let keys: Vec<_> = object.keys().map(String::as_str).filter(|key| *key != "report").collect();
        assert_eq!(
            {
                let mut sorted = keys;
                sorted.sort_unstable();
                sorted
            },
            {
                let mut sorted = KEYS;
                sorted.sort_unstable();
                sorted
            }
        );
        assert!(["pass", "expected-fail"].contains(&row["verdict"].as_str().unwrap()), "{row}");
        assert_eq!(row["version"], env!("CARGO_PKG_VERSION"));
        assert!(object.get("report").is_none_or(Value::is_object));
    }
    let steps = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap()["steps"].as_u64().unwrap();
    assert_eq!(steps("C1.drop_2d"), 1000);
    assert!(rows.iter().any(|row| row["verdict"] == "expected-fail"));
}

#[test]
fn a_table_and_a_page_are_for_people() {
    let sandbox = Sandbox::new();
    let ended = sandbox.thixo(&["validate", "K1", "--report", "report.html"]).expect(0);
    assert!(ended.stdout.starts_with("case ") && ended.stdout.contains(" pass "), "{}", ended.stdout);
    let html = fs::read_to_string(sandbox.path("report.html")).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.contains("K1"));
}

#[test]
fn unknown_cases_and_impossible_reports_are_refused_at_once() {
    let sandbox = Sandbox::new();
    sandbox.thixo(&["validate", "F1", "F999"]).refused(&["no case `F999`", "F1, F2"]);
    sandbox.thixo(&["validate", "--json", "K"]).refused(&["no case `K`"]);
    sandbox.thixo(&["validate", "--report", "no/such/folder.html"]).refused(&["no/such/folder.html"]);
}
