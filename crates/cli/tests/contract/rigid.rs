//! Rigid bodies in what a run writes.

use std::fs;

use crate::sandbox::Sandbox;

/// A stone that spins above the ground.
const STONE: &str = "
    world.spacing = 0.05
    world.gravity = [0, 0, 0]
    time = { end = 0.2, fps = 10 }
    materials.stone = { density = 2500, rigid = {} }
    [[bodies]]
    name = 'a <stone>'
    material = 'stone'
    velocity = [1, 0, 0]
    spin = [0, 0, 5]
    shape.box = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }
    [[probes]]
    name = 'stone'
    motion.body = 'a <stone>'
";

#[test]
fn log_and_report_tell_how_rigid_bodies_are_at_frames() {
    let sandbox = Sandbox::new();
    sandbox.write("stone.toml", STONE);
    sandbox.thixo(&["run", "stone.toml", "-o", "x"]).expect(0);
    let log = fs::read_to_string(sandbox.path("x/log.jsonl")).unwrap();
    let rows: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> = rows.iter().filter(|row| row.get("rigid_bodies").is_some()).collect();
    assert_eq!(told.len(), 2);
    let stone = &told[1]["rigid_bodies"][0];
    assert_eq!(stone["name"], "a <stone>");
    let is = |value: &serde_json::Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value - expected).abs() < 1e-4, "{value} {expected}");
    };
    is(&stone["centre"][0], 0.1 + 0.2);
    is(&stone["turn"][2], 0.5_f64.sin());
    is(&stone["velocity"][0], 1.0);
    is(&stone["spin"][2], 5.0);
    let report = fs::read_to_string(sandbox.path("x/report.html")).unwrap();
    let row = "<tr><td>a &lt;stone&gt;</td><td>0.3000, 0.1000, 0.1000</td><td>57.3</td><td>1.0000</td>";
    assert!(report.contains("Rigid bodies at 0.2000 s") && report.contains(row));
    assert!(fs::read_to_string(sandbox.path("x/probes.csv")).unwrap().contains("stone.spin_z [rad/s]"));
}

/// A box is drawn by its own six sides, each with its own corners, where the body is.
#[test]
fn a_rigid_body_shows_its_own_shape() {
    let sandbox = Sandbox::new();
    sandbox.write("stone.toml", STONE);
    sandbox.thixo(&["run", "stone.toml", "-o", "x", "--surface"]).expect(0);
    assert!(!sandbox.path("x/skins").exists());
    let ply = fs::read(sandbox.path("x/surface/000002.ply")).unwrap();
    let text = String::from_utf8_lossy(&ply);
    assert!(text.contains("element vertex 24\n") && text.contains("element face 12\n"), "{text}");
    let end = text.find("end_header\n").unwrap() + "end_header\n".len();
    let number = |k: usize| f64::from(f32::from_le_bytes(ply[end + 4 * k..][..4].try_into().unwrap()));
    let (sine, cosine) = 1.0_f64.sin_cos();
    // The first corner was (0, 0, 0), of a box around (0.1, 0.1, 0.1) that has moved by 0.2 and turned by 1.
    let expected = [0.3 + 0.1 * (sine - cosine), 0.1 - 0.1 * (sine + cosine), 0.0];
    for (axis, expected) in expected.into_iter().enumerate() {
        assert!((number(axis) - expected).abs() < 1e-5, "{axis}: {} {expected}", number(axis));
    }
}
