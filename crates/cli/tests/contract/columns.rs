//! Columns of frames that a scene asks for.

use thixo_frames::{Format, frame_path, list_frames, read_native};

use crate::sandbox::Sandbox;

#[test]
fn frames_have_stress_and_deformation_if_a_scene_asks() {
    let sandbox = Sandbox::new();
    let scene = sandbox.thixo(&["scenes", "jelly-cube"]).expect(0).stdout;
    sandbox.write("scene.toml", scene);
    let set = "output={ frames = [\"native\", \"vtk\"], columns = [\"stress\", \"deformation\"] }";
    sandbox.thixo(&["run", "scene.toml", "-o", "x", "--until", "0.05", "--set", set]).expect(0);
    let frames = list_frames(&sandbox.path("x/frames"), Format::Native).unwrap();
    let frame = read_native(&frames.last().unwrap().1).unwrap();
    for (name, unit, components) in [("stress", "Pa", 1), ("normal_stress", "Pa", 3), ("deformation_z", "-", 3)] {
        let column = frame.column(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!((column.unit.as_str(), column.components, column.rows()), (unit, components, frame.particles()));
    }
    let vtk = std::fs::read(frame_path(&sandbox.path("x/frames"), frames.last().unwrap().0, Format::Vtk)).unwrap();
    assert!(String::from_utf8_lossy(&vtk).contains("Name=\"shear_stress\""));
    sandbox.thixo(&["render", "x", "--color", "stress"]).expect(0);

    let twice = "output.columns=[\"stress\", \"stress\"]";
    let refused = sandbox.thixo(&["run", "scene.toml", "-o", "y", "--set", twice]).expect(2);
    assert!(refused.stderr.contains("listed twice"), "{}", refused.stderr);
}
