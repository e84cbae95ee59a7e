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

/// A motor that swings a beam into a block on the floor, and a slider with a limit.
const MOTOR: &str = "
    world.spacing = 0.05
    time = { end = 0.3, fps = 100 }
    materials.oak = { density = 700, rigid = { friction = 0.4 } }
    [[bodies]]
    name = 'beam'
    material = 'oak'
    shape.box = { min = [0, 0.1, 0], max = [0.6, 0.2, 0.1] }
    [[bodies]]
    name = 'block'
    material = 'oak'
    shape.box = { min = [0.3, 0, 0.15], max = [0.5, 0.3, 0.35] }
    [[bodies]]
    name = 'lift'
    material = 'oak'
    shape.box = { min = [-0.4, 0.2, 0], max = [-0.2, 0.4, 0.2] }
    [[walls]]
    name = 'floor'
    shape.box = { min = [-1, -0.1, -1], max = [1, 0, 1] }
    [[joints]]
    name = 'motor'
    between = ['beam', 'floor']
    hinge = { at = [0, 0.15, 0.05], axis = [0, -1, 0], motor = { speed = 4, torque = 20 } }
    [[joints]]
    name = 'rail'
    between = ['lift']
    slider = { at = [-0.3, 0.3, 0.1], axis = [0, 1, 0], limits = [-0.05, 1], motor = { speed = 0, force = 10 } }
    [[probes]]
    name = 'motor'
    joint.name = 'motor'
    [[probes]]
    name = 'rail'
    joint.name = 'rail'
";

/// A motor starts each step with the impulse of the last, and the angle goes beyond what two poses tell.
#[test]
fn a_run_goes_on_from_the_middle_of_what_a_motor_does() {
    let sandbox = Sandbox::new();
    sandbox.write("motor.toml", MOTOR);
    sandbox.thixo(&["run", "motor.toml", "-o", "unbroken"]).expect(0);
    let expected = sandbox.results("unbroken");
    let last = |column: usize| expected.probes.last().and_then(|row| row.split(',').nth(column)?.parse::<f64>().ok());
    let [angle, travel] = [last(2).unwrap(), last(4).unwrap()];
    assert!(angle > 0.3 && (travel + 0.05).abs() < 1e-3, "{angle} {travel}");

    sandbox.thixo(&["run", "motor.toml", "-o", "x", "--until", "0.055"]).expect(0);
    for until in ["0.06", "0.17", "0.3"] {
        sandbox.thixo(&["run", "--resume", "x", "--until", until]).expect(0);
    }
    sandbox.results("x").assert_same(&expected);
}
