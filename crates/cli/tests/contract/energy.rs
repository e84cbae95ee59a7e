//! Energy from nowhere is told, and stops a run unless the scene says otherwise.

use std::fs;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A column of water that falls apart in steps that are too long for it.
const TOO_LONG: &str = "
world = { spacing = 0.05, dimension = 2 }
time = { end = 0.6, fps = 10, step.fixed = STEP }
pressure.wcsph = {}
materials.water.density = 1000.0
[[bodies]]
name = 'column'
material = 'water'
shape.box = { min = [0, 0, 0], max = [0.5, 1, 0] }
[[walls]]
name = 'tank'
shape.box = { min = [0, 0, 0], max = [1, 2, 0] }
inside = true
";

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn energy_from_nowhere_stops_a_run_unless_it_is_told_not_to() {
    let sandbox = Sandbox::new();
    sandbox.write("scene.toml", TOO_LONG.replace("STEP", "0.004"));
    let stopped = sandbox.thixo(&["run", "scene.toml", "-o", "x"]).expect(1);
    assert!(stopped.stderr.contains("J of energy have come from nowhere"), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("world.energy_gain"), "{}", stopped.stderr);
    let log = rows(&fs::read_to_string(sandbox.path("x/log.jsonl")).unwrap());
    let last = log.iter().rfind(|row| row.get("energy_from_nowhere").is_some()).unwrap();
    let share = last["energy_from_nowhere"].as_f64().unwrap() / last["energy_turned_over"].as_f64().unwrap();
    assert!(share > 0.5, "{share}");
    assert!(fs::read_to_string(sandbox.path("x/report.html")).unwrap().contains("Energy from nowhere"));

    let warned = sandbox.thixo(&["run", "scene.toml", "-o", "w", "--set", "world.energy_gain=\"warn\""]).expect(0);
    assert_eq!(warned.stderr.matches("have come from nowhere").count(), 1, "{}", warned.stderr);
    let silent = sandbox.thixo(&["run", "scene.toml", "-o", "s", "--set", "world.energy_gain=\"ignore\""]).expect(0);
    assert!(!silent.stderr.contains("from nowhere"), "{}", silent.stderr);
    assert!(!fs::read_to_string(sandbox.path("s/log.jsonl")).unwrap().contains("energy_from_nowhere"));

    // What was stopped may go on.
    let text = fs::read_to_string(sandbox.path("x/run.toml")).unwrap();
    sandbox.write("x/run.toml", text.replace("energy_gain = \"stop\"", "energy_gain = \"warn\""));
    sandbox.thixo(&["run", "--resume", "x"]).expect(0);
}

#[test]
fn steps_that_suit_it_gain_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("scene.toml", TOO_LONG.replace(", step.fixed = STEP", ""));
    let run = sandbox.thixo(&["run", "scene.toml", "-o", "x"]).expect(0);
    assert!(!run.stderr.contains("from nowhere"), "{}", run.stderr);
}
