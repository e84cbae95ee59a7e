//! What a run says of its energy. That it stops when energy comes from nowhere is tested where it is driven.

use std::fs;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A column of water that breaks down, in 2D.
const DAM: &str = "
world = { spacing = 0.05, dimension = 2 }
time = { end = 0.3, fps = 10 }
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
fn log_and_report_have_balances_of_energy_unless_the_scene_says_no() {
    let sandbox = Sandbox::new();
    sandbox.write("scene.toml", DAM);
    let run = sandbox.thixo(&["run", "scene.toml", "-o", "x"]).expect(0);
    assert!(!run.stderr.contains("from nowhere"), "{}", run.stderr);
    let log = rows(&fs::read_to_string(sandbox.path("x/log.jsonl")).unwrap());
    let balances: Vec<_> = log.iter().filter(|row| row.get("energy_from_nowhere").is_some()).collect();
    assert!(balances.len() > 5 && balances.iter().all(|row| row["step"].as_u64().unwrap() % 20 == 0));
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap_or_else(|| panic!("no {name}"));
    for row in balances {
        assert_eq!((number(row, "work"), number(row, "deformation_energy")), (0.0, 0.0));
        assert!(number(row, "energy_from_nowhere") < 0.02 * number(row, "energy_turned_over"));
    }
    let report = fs::read_to_string(sandbox.path("x/report.html")).unwrap();
    assert!(report.contains("of deformation") && report.contains("Energy from nowhere"));

    sandbox.thixo(&["run", "scene.toml", "-o", "s", "--set", "world.energy_gain=\"ignore\""]).expect(0);
    assert!(!fs::read_to_string(sandbox.path("s/log.jsonl")).unwrap().contains("energy_from_nowhere"));
    let frame = |run: &str| fs::read(sandbox.path(&format!("{run}/frames/000003.thixo"))).unwrap();
    assert_eq!(frame("x"), frame("s"), "who watches changes nothing");
}
