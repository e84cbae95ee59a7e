//! A body that is solved implicitly remembers how heavy it seems to a pressure on it: runs go on from the midst of contact.

use crate::sandbox::Sandbox;

/// A block of jelly falls on the floor, askew.
const JELLY: &str = r#"
[world]
spacing = 0.05
dimension = 2

[pressure.PRESSURE]

[time]
end = 0.3
fps = 100

[materials.jelly]
density = 1000.0
elastic.implicit = { young_modulus = 1e5 }

[[bodies]]
name = "block"
material = "jelly"
velocity = [0.3, -1.0, 0.0]
shape.box = { min = [0.0, 0.1, 0.0], max = [0.4, 0.4, 0.0] }

[[walls]]
name = "floor"
shape.box = { min = [-1.0, -0.2, 0.0], max = [2.0, 0.0, 0.0] }
friction = 0.3

[[probes]]
name = "block"
position = { body = "block" }
"#;

#[test]
fn an_implicit_body_on_the_floor_goes_on_to_the_same_bits() {
    for pressure in ["wcsph", "pcisph", "dfsph"] {
        let sandbox = Sandbox::new();
        sandbox.write("jelly.toml", JELLY.replace("PRESSURE", pressure));
        sandbox.thixo(&["run", "jelly.toml", "-o", "unbroken"]).expect(0);
        let expected = sandbox.results("unbroken");
        assert_eq!(expected.frames.len(), 31);

        sandbox.thixo(&["run", "jelly.toml", "-o", "x", "--until", "0.12"]).expect(0);
        let height = sandbox.results("x").probes.last().and_then(|row| row.split(',').nth(3)?.parse::<f64>().ok());
        assert!(height.unwrap() < 0.15, "{pressure}: the floor presses on it: {height:?}");
        for until in ["0.125", "0.2", "0.3"] {
            sandbox.thixo(&["run", "--resume", "x", "--until", until]).expect(0);
        }
        sandbox.results("x").assert_same(&expected);
    }
}

/// The same block on water, which pushes it by pressures that are solved for.
#[test]
fn an_implicit_body_on_water_goes_on_to_the_same_bits() {
    let water = "\n[materials.water]\ndensity = 2000.0\n\n[[bodies]]\nname = \"water\"\nmaterial = \"water\"\n\
        shape.box = { min = [-0.3, -0.3, 0.0], max = [0.7, 0.1, 0.0] }\n";
    let floor = "min = [-1.0, -0.2, 0.0], max = [2.0, 0.0, 0.0] }";
    let tank = "min = [-0.3, -0.3, 0.0], max = [0.7, 0.8, 0.0] }\ninside = true";
    let text = JELLY.replace(floor, tank).replace("\n[[probes]]", &format!("{water}\n[[probes]]"));
    for pressure in ["pcisph", "iisph", "dfsph"] {
        let sandbox = Sandbox::new();
        sandbox.write("jelly.toml", text.replace("PRESSURE", pressure));
        sandbox.thixo(&["run", "jelly.toml", "-o", "unbroken"]).expect(0);
        sandbox.thixo(&["run", "jelly.toml", "-o", "x", "--until", "0.15"]).expect(0);
        sandbox.thixo(&["run", "--resume", "x"]).expect(0);
        sandbox.results("x").assert_same(&sandbox.results("unbroken"));
    }
}
