//! Meshes in scenes: found beside the scene, filled to their volume, kept by a run, refused when damaged.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use std::path::Path;
use std::time::Instant;

use thixo_scene::{KeptScene, Problems, Provenance, Scene, WrittenScene};

fn scene(mesh: &str, spacing: f64) -> String {
    format!(
        "[world]\nspacing = {spacing}\n[time]\nend = 1\n[materials.water]\ndensity = 1000\n\
         [[bodies]]\nname = \"stone\"\nmaterial = \"water\"\nshape.mesh = {mesh}\n"
    )
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes")
}

fn read_beside(folder: &Path, name: &str, text: &str) -> Result<Scene, Problems> {
    WrittenScene::parse(name, text)?.beside(folder).check(&[])
}

fn count(folder: &Path, mesh: &str, spacing: f64) -> f64 {
    let scene = read_beside(folder, "stone.toml", &scene(mesh, spacing));
    scene.unwrap_or_else(|problems| panic!("{problems}")).estimate().movable() as f64
}

/// The volume by the divergence theorem: a sixth of the triple product of each face.
fn volume(text: &str) -> f64 {
    let lines = |kind: &str| -> Vec<Vec<f64>> {
        let of_kind = text.lines().filter_map(|line| line.strip_prefix(kind));
        of_kind.map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect()
    };
    let places: Vec<_> = lines("v ").iter().map(|v| glam::DVec3::new(v[0], v[1], v[2])).collect();
    let faces = lines("f ");
    let corner = |number: f64| places[number as usize - 1];
    faces.iter().map(|f| corner(f[0]).dot(corner(f[1]).cross(corner(f[2]))) / 6.0).sum()
}

#[test]
fn a_mesh_is_filled_to_its_volume_wherever_it_is_moved() {
    let exact = volume(&std::fs::read_to_string(folder().join("stone.obj")).unwrap()) * 1e-3;
    for (mesh, spacing) in [
        ("{ file = \"stone.obj\", scale = 0.1 }", 0.1),
        ("{ file = \"stone.obj\", scale = 0.1, translation = [0.3, 2, 0] }", 0.05),
        ("{ file = \"stone.obj\", scale = 0.1, rotation = { angle = 0.7, axis = [1, 2, 0] } }", 0.05),
    ] {
        let sampled = count(&folder(), mesh, spacing) * spacing.powi(3);
        assert!((sampled / exact - 1.0).abs() < 0.005, "{mesh}: {sampled} {exact}");
    }
}

#[test]
fn a_run_keeps_its_meshes_and_fills_them_with_the_same_particles() {
    let text = scene("{ file = \"stone.obj\", scale = 0.1 }", 0.2);
    let original = read_beside(&folder(), "stone.toml", &text).unwrap();
    let before = original.build().unwrap().simulation;
    let word = String::from;
    let provenance =
        Provenance { version: word("1"), instruction_set: word("avx2"), precision: word("f32"), pressure: None };
    let KeptScene { text, files: kept } = original.keep(provenance, "meshes").unwrap();
    assert_eq!(kept.len(), 1);
    let run = tempfile::tempdir().unwrap();
    std::fs::create_dir(run.path().join("meshes")).unwrap();
    std::fs::write(run.path().join(&kept[0].path), &kept[0].contents).unwrap();
    let read = |text: &str| read_beside(run.path(), "run.toml", text);
    let again = read(&text).unwrap();
    assert_eq!(again.build().unwrap().simulation.particles().position, before.particles().position);
    // What was changed since is refused.
    let mut other = kept[0].contents.clone();
    let last = other.len() - 30;
    other[last] ^= 1;
    std::fs::write(run.path().join(&kept[0].path), other).unwrap();
    let problems = read(&text).unwrap_err().to_string();
    assert!(problems.contains("it was changed: its checksum is"), "{problems}");
}

/// A sheet of `size` with its corner at the origin, in squares of one unit.
fn sheet(size: [usize; 2]) -> String {
    let [columns, rows] = size;
    let places = (0..=rows).flat_map(|y| (0..=columns).map(move |x| format!("v {x} {y} 0\n")));
    let number = |x: usize, y: usize| y * (columns + 1) + x + 1;
    let faces = (0..rows).flat_map(|y| {
        (0..columns).map(move |x| [number(x, y), number(x + 1, y), number(x + 1, y + 1), number(x, y + 1)])
    });
    places.chain(faces.map(|[a, b, c, d]| format!("f {a} {b} {c} {d}\n"))).collect()
}

#[test]
fn an_open_mesh_is_a_membrane_but_no_body() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("sheet.obj"), sheet([20, 12])).unwrap();
    let text = scene("{ file = \"sheet.obj\", scale = 0.1, translation = [0, 0, 5] }", 0.05);
    let read = |text: &str| read_beside(place.path(), "sheet.toml", text);
    let refused = read(&text).unwrap_err().to_string();
    assert!(refused.contains("it has 64 open edges") && refused.contains("fill = \"surface\""), "{refused}");
    for sampling in ["", "sampling.poisson_disk = {}\n"] {
        let text = format!("{text}fill = \"surface\"\n{sampling}");
        let simulation = read(&text).unwrap_or_else(|problems| panic!("{problems}")).build().unwrap().simulation;
        let particles = simulation.particles();
        let count = particles.position.len() as f64;
        assert!((count * 0.05 * 0.05 / 2.4 - 1.0).abs() < 0.05, "{count}");
        let volume: f64 = particles.rest_volume.iter().map(|volume| f64::from(*volume)).sum();
        assert!((volume / (2.4 * 0.05) - 1.0).abs() < 1e-3, "{volume}");
        let reach = |value: f64, low: f64, high: f64| (low - 1e-3..high + 1e-3).contains(&value);
        for position in particles.position.iter().map(|place| place.to_array().map(f64::from)) {
            let [x, y, z] = position;
            assert!(reach(x, 0.025, 1.975) && reach(y, 0.025, 1.175) && reach(z, 5.0, 5.0), "{position:?}");
        }
    }
    // As a shape with a name it is told of who needs its inside.
    let named = |fill: &str| {
        let text = text
            .replace("shape.mesh = ", "shape.named = \"cloth\"\n#")
            .replace("end = 1\n", "end = 1\n[shapes.cloth]\nmesh = { file = \"sheet.obj\", scale = 0.1 }\n");
        read(&format!("{text}{fill}")).map_err(|problems| problems.to_string())
    };
    assert!(named("fill = \"surface\"\n").is_ok());
    assert!(named("").unwrap_err().contains("close its holes"));
}

/// A number that depends on what was drawn before, always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

/// The stone with some of its faces removed, doubled, turned over, or with a vertex or a byte changed.
fn mutated(stone: &str, dice: &mut Dice) -> Vec<u8> {
    let mut lines: Vec<String> = stone.lines().map(String::from).collect();
    let faces = lines.iter().position(|line| line.starts_with('f')).unwrap();
    let mut times = [1, 1, 3, 20, 100][dice.below(5)];
    let kind = dice.below(6);
    while times > 0 && lines.len() > faces + 1 {
        times -= 1;
        let face = faces + dice.below(lines.len() - faces);
        match kind {
            0 => drop(lines.remove(face)),
            1 => lines.push(lines[face].clone()),
            2 => {
                let words: Vec<_> = lines[face].split(' ').collect();
                lines[face] = format!("f {} {} {}", words[2], words[1], words[3]);
            }
            3 => lines[1 + dice.below(faces - 1)] = format!("v {} 3 nan", dice.below(20)),
            4 => lines[1 + dice.below(faces - 1)] = format!("v {} {} 3", dice.below(20), dice.below(9)),
            _ => lines[face] = lines[face].replace('1', ["9", "-", "", "1e9"][dice.below(4)]),
        }
    }
    let mut bytes = lines.join("\n").into_bytes();
    if dice.below(8) == 0 {
        bytes.truncate(dice.below(bytes.len()));
    }
    bytes
}

#[test]
fn mutated_meshes_are_filled_or_refused() {
    let stone = std::fs::read_to_string(folder().join("pebble.obj")).unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut dice = Dice(4);
    let (mut filled, mut refused) = (0, 0);
    let whole = count(&folder(), "{ file = \"pebble.obj\", scale = 0.1 }", 0.5);
    let slowest = (0..300).map(|_| {
        std::fs::write(place.path().join("pebble.obj"), mutated(&stone, &mut dice)).unwrap();
        let text = scene("{ file = \"pebble.obj\", scale = 0.1 }", 0.5);
        let start = Instant::now();
        match read_beside(place.path(), "stone.toml", &text) {
            Ok(scene) => {
                filled += 1;
                // Whatever is left of the surface, the solid is within the box around the vertices.
                assert!(scene.estimate().movable() as f64 <= 3.0 * whole);
            }
            Err(problems) => {
                refused += 1;
                let text = problems.to_string();
                let known = ["cannot be used: ", "has no room for a particle"];
                assert!(known.iter().any(|cause| text.contains(cause)), "{text}");
            }
        }
        start.elapsed().as_secs_f64()
    });
    let slowest = slowest.fold(0.0, f64::max);
    assert!(filled > 50 && refused > 50, "{filled} {refused}");
    assert!(slowest < 30.0, "{slowest} s");
}

/// A ball of about `faces` triangles between circles of latitude, with waves on it, as OBJ.
fn wavy_ball(faces: usize) -> String {
    let rows = ((faces as f64 / 4.0).sqrt() as usize).max(3);
    let columns = 2 * rows;
    let mut text = String::new();
    let mut vertex = |row: usize, column: usize| {
        let (theta, phi) = (
            std::f64::consts::PI * row as f64 / rows as f64,
            2.0 * std::f64::consts::PI * column as f64 / columns as f64,
        );
        let radius = 1.0 + 0.1 * (5.0 * theta).sin() * (7.0 * phi).cos() * theta.sin();
        let (x, y, z) = (theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos());
        text += &format!("v {} {} {}\n", radius * x, radius * y, radius * z);
    };
    vertex(0, 0);
    vertex(rows, 0);
    (1..rows).for_each(|row| (0..columns).for_each(|column| vertex(row, column)));
    let number = |row: usize, column: usize| match row {
        0 => 1,
        row if row == rows => 2,
        row => 3 + (row - 1) * columns + column % columns,
    };
    for row in 0..rows {
        for column in 0..columns {
            let [a, b] = [number(row, column), number(row, column + 1)];
            let [c, d] = [number(row + 1, column), number(row + 1, column + 1)];
            // At the poles one of the two triangles has no area, and is left out by the reader.
            text += &format!("f {a} {c} {d}\nf {a} {d} {b}\n");
        }
    }
    text
}

/// Peak memory of this process so far [MB].
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1000.0
}

/// Time that all processors together have spent on this process so far [s].
fn processor_time() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = status.rsplit(')').next().unwrap_or_default().split_whitespace();
    // In the user's and in the system's name, in hundredths of a second.
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

#[test]
#[ignore = "a measurement: run it alone, with --nocapture"]
fn a_million_particles_of_a_large_mesh() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("ball.obj"), wavy_ball(100_000)).unwrap();
    for sampling in ["lattice", "poisson_disk", "relaxed"] {
        for spacing in [0.064, 0.032, 0.016] {
            let text = scene("{ file = \"ball.obj\" }", spacing) + &format!("sampling.{sampling} = {{}}\n");
            let (start, before) = (Instant::now(), processor_time());
            let scene = read_beside(place.path(), "ball.toml", &text).unwrap_or_else(|p| panic!("{p}"));
            let (read, spent) = (start.elapsed().as_secs_f64(), processor_time() - before);
            let count = scene.build().unwrap().simulation.particles().position.len();
            println!(
                "{sampling} {count} particles: read and sampled in {read:.2} s, {spent:.2} s of processors; {:.0} MB",
                peak_memory()
            );
        }
    }
}
