//! Draws a scene as someone who has read the front page might write it.

/// A scene that was drawn.
pub(super) struct Drawn {
    /// What it is, in a few words.
    pub(super) title: String,
    /// The scene file.
    pub(super) text: String,
    pub(super) check: Check,
}

/// What is known of it before it is run.
pub(super) struct Check {
    /// Does it rest from the start? Then this is the distance between particles [m].
    pub(super) rests: Option<f64>,
    /// A box that holds the tank [m].
    pub(super) min: [f64; 3],
    pub(super) max: [f64; 3],
    /// The highest speed at the start [m/s].
    pub(super) first_speed: f64,
    pub(super) spacing: f64,
    pub(super) dimension: i32,
}

/// Random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Between two numbers, with the digits that a person would write.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        ((low + (high - low) * unit) * 1000.0).round() / 1000.0
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[(self.bits() % choices.len() as u64) as usize]
    }
}

/// A tank, and how its lower part is written.
struct Tank {
    name: &'static str,
    shape: String,
    min: [f64; 3],
    max: [f64; 3],
}

/// Solvers for whatever there is; the empty one is the default of a plain file.
const SOLVERS: [&str; 8] = ["", "", "", "wcsph", "pcisph", "iisph", "dfsph", "cohesion"];
const SAMPLINGS: [&str; 6] = ["", "", "", "", "relaxed", "poisson_disk"];
const ELASTIC: [&str; 5] = ["implicit", "implicit", "corotated", "st_venant_kirchhoff", "mls"];

/// The scene with this number.
pub(super) fn draw(seed: u64, number: u64) -> Drawn {
    let mut random = Random(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ number);
    let dimension = random.one_of(&[2, 2, 3]);
    let spacing = if dimension == 2 { random.one_of(&[0.02, 0.025, 0.03]) } else { random.one_of(&[0.04, 0.05]) };
    if random.bits().is_multiple_of(2) {
        pool(&mut random, dimension, spacing)
    } else {
        fall(&mut random, dimension, spacing)
    }
}

fn vector([x, y, z]: [f64; 3]) -> String {
    format!("[{x:.4}, {y:.4}, {z:.4}]")
}

fn cuboid(min: [f64; 3], max: [f64; 3]) -> String {
    format!("box = {{ min = {}, max = {} }}", vector(min), vector(max))
}

/// A tank of any shape.
fn tank(random: &mut Random, dimension: i32, spacing: f64) -> Tank {
    let cells = |random: &mut Random, low: f64, high: f64| (random.between(low, high) / spacing).round() * spacing;
    let (length, height, depth) =
        (cells(random, 0.5, 0.8), cells(random, 0.4, 0.6), if dimension == 2 { 0.0 } else { cells(random, 0.3, 0.5) });
    let (min, max) = ([0.0, 0.0, 0.0], [length, height, depth]);
    let radius = random.between(0.2, 0.3);
    let round = |name, shape: String| Tank { name, shape, min: [-radius; 3], max: [radius; 3] };
    match random.one_of(&[
        "box",
        "box",
        "box",
        "sphere",
        "cylinder",
        "cone",
        "two boxes",
        "turned box",
        "step",
        "hills",
    ]) {
        "sphere" => round("sphere", format!("sphere = {{ centre = [0, 0, 0], radius = {radius} }}")),
        "cylinder" if dimension == 3 => Tank {
            min: [-radius, 0.0, -radius],
            max: [radius, height, radius],
            ..round(
                "cylinder",
                format!("cylinder = {{ from = [0, 0, 0], to = [0, {height:.4}, 0], radius = {radius} }}"),
            )
        },
        "cone" if dimension == 3 => {
            let shape = format!(
                "cone = {{ from = [0, 0, 0], to = [0, {height:.4}, 0], radius = {radius}, end_radius = {} }}",
                0.5 * radius
            );
            Tank { min: [-radius, 0.0, -radius], max: [radius, height, radius], ..round("cone", shape) }
        }
        "two boxes" => {
            let second = cuboid([0.5 * length, 0.5 * height, 0.0], [1.5 * length, height, depth]);
            let shape = format!("union = [{{ {} }}, {{ {second} }}]", cuboid(min, max));
            Tank { name: "two boxes", shape, min, max: [1.5 * length, height, depth] }
        }
        "turned box" => {
            let angle = random.between(0.1, 0.7);
            let half = [0.5 * length, 0.5 * height, 0.5 * depth];
            let shape =
                format!("transform = {{ shape.{}, rotation = {{ angle = {angle} }} }}", cuboid(half.map(|x| -x), half));
            let far = 0.5 * (length * length + height * height).sqrt();
            Tank { name: "turned box", shape, min: [-far, -far, -half[2]], max: [far, far, half[2]] }
        }
        "step" => {
            let step = cuboid([0.5 * length, -0.1, -0.1], [2.0 * length, 0.3 * height, depth + 0.1]);
            let shape = format!("difference = [{{ {} }}, {{ {step} }}]", cuboid(min, max));
            Tank { name: "step", shape, min, max }
        }
        "hills" => {
            let field = format!(
                "height_field = {{ min = {}, max = {}, height = \"0.1 + 0.05 * sin({} * x)\" }}",
                vector([-0.1, -0.2, -0.1]),
                vector([length + 0.1, height, depth + 0.1]),
                random.between(5.0, 15.0)
            );
            let shape = format!("difference = [{{ {} }}, {{ {field} }}]", cuboid(min, max));
            Tank { name: "hills", shape, min, max }
        }
        _ => Tank { name: "box", shape: cuboid(min, max), min, max },
    }
}

/// The parts of all scenes.
fn head(dimension: i32, spacing: f64, solver: &str) -> String {
    let pressure = if solver.is_empty() { String::new() } else { format!("pressure.{solver} = {{}}\n") };
    format!(
        "{pressure}world = {{ spacing = {spacing}, dimension = {dimension} }}\ntime = {{ end = 1.0 }}\n\n\
         [materials.water]\ndensity = 1000.0\n\n[[probes]]\nname = \"all\"\nenergy = {{}}\n\n"
    )
}

fn walls(shape: &str) -> String {
    format!("[[walls]]\nname = \"tank\"\nshape.{shape}\ninside = true\n")
}

fn body(name: &str, material: &str, shape: &str, sampling: &str, velocity: [f64; 3]) -> String {
    let sampling = if sampling.is_empty() { String::new() } else { format!("sampling.{sampling} = {{}}\n") };
    let velocity = vector(velocity);
    format!(
        "[[bodies]]\nname = \"{name}\"\nmaterial = \"{material}\"\nshape.{shape}\n{sampling}velocity = {velocity}\n\n"
    )
}

/// The lower part of a tank is full of water.
fn pool(random: &mut Random, dimension: i32, spacing: f64) -> Drawn {
    let Tank { name, shape, min, max } = tank(random, dimension, spacing);
    let (solver, sampling) = (random.one_of(&SOLVERS), random.one_of(&SAMPLINGS));
    let level = min[1] + random.between(0.5, 0.9) * (max[1] - min[1]);
    let top = [max[0], level, max[2]];
    let water = match name {
        "box" => cuboid(min, [max[0], (level / spacing).round() * spacing, max[2]]),
        _ => format!("intersection = [{{ {shape} }}, {{ {} }}]", cuboid(min, top)),
    };
    let text = head(dimension, spacing, solver) + &body("pool", "water", &water, sampling, [0.0; 3]) + &walls(&shape);
    let title = format!("pool in {name}, {dimension}D, d {spacing}, {}, {}", named(solver), named(sampling));
    Drawn { title, text, check: Check { rests: Some(spacing), min, max, first_speed: 0.0, spacing, dimension } }
}

/// What is chosen if a scene says nothing has no name.
fn named(choice: &str) -> &str {
    if choice.is_empty() { "default" } else { choice }
}

/// Something is thrown into a tank, with water in it or without.
fn fall(random: &mut Random, dimension: i32, spacing: f64) -> Drawn {
    let (min, max) = ([0.0; 3], [0.8, 0.8, if dimension == 2 { 0.0 } else { 0.4 }]);
    let max = max.map(|x: f64| (x / spacing).round() * spacing);
    let middle = [random.between(0.3, 0.5), random.between(0.5, 0.6), 0.5 * max[2]];
    let size = random.between(0.08, 0.12);
    let beside = |way: f64| [middle[0] + way * size, middle[1], middle[2]];
    let (what, shape) = match random.one_of(&["sphere", "box", "capsule", "ellipsoid", "turned box", "ring"]) {
        "sphere" => ("sphere", format!("sphere = {{ centre = {}, radius = {size} }}", vector(middle))),
        "capsule" => {
            let (from, to) = (vector(beside(-1.0)), vector(beside(1.0)));
            ("capsule", format!("capsule = {{ from = {from}, to = {to}, radius = {} }}", 0.7 * size))
        }
        "ellipsoid" => {
            let radii = vector([1.2 * size, size, 1.2 * size]);
            ("ellipsoid", format!("ellipsoid = {{ centre = {}, radii = {radii} }}", vector(middle)))
        }
        "turned box" => {
            let half = cuboid([-size; 3], [size; 3]);
            let (angle, place) = (random.between(0.1, 1.4), vector(middle));
            let turned = format!("shape.{half}, rotation = {{ angle = {angle} }}, translation = {place}");
            ("turned box", format!("transform = {{ {turned} }}"))
        }
        "ring" if dimension == 3 => {
            let ring = format!("radius = {size}, tube_radius = {}", 0.5 * size);
            ("ring", format!("torus = {{ centre = {}, {ring} }}", vector(middle)))
        }
        _ => ("box", cuboid(middle.map(|x| x - size), middle.map(|x| x + size))),
    };
    let (elastic, has_pool) = (random.one_of(&["water", "elastic", "elastic"]), random.bits().is_multiple_of(2));
    let velocity = [random.between(-1.0, 1.0), random.between(-2.0, 0.0), 0.0];
    let model = random.one_of(&ELASTIC);
    let solvers: &[&str] = match (elastic, has_pool) {
        ("elastic", false) => &["", "", "penalty", "predictor_corrector", "wcsph", "pcisph", "iisph", "dfsph"],
        _ => &SOLVERS,
    };
    let (solver, sampling) = (random.one_of(solvers), random.one_of(&SAMPLINGS));
    let (stiffness, poisson) = (random.one_of(&["2e4", "1e5", "1e6"]), random.one_of(&[0.0, 0.2, 0.3, 0.4]));
    let density = random.one_of(&[500.0, 1000.0, 2000.0]);
    let material = match elastic {
        "elastic" => format!(
            "[materials.thing]\ndensity = {density}\nelastic.{model} = {{ young_modulus = {stiffness}, poisson_ratio = {poisson} }}\n\n"
        ),
        _ => format!("[materials.thing]\ndensity = {density}\n\n"),
    };
    let water = cuboid(min, [max[0], (0.25 / spacing).round() * spacing, max[2]]);
    let water = if has_pool { body("pool", "water", &water, "", [0.0; 3]) } else { String::new() };
    let parts = [material, water, body("thing", "thing", &shape, sampling, velocity), walls(&cuboid(min, max))];
    let matter = match elastic {
        "elastic" => format!("{model} {stiffness} Pa, {poisson}"),
        _ => "fluid".to_owned(),
    };
    let onto = if has_pool { "into water" } else { "on a floor" };
    let choices = format!("{}, {}", named(solver), named(sampling));
    let title = format!("{what} {onto}, {dimension}D, d {spacing}, {matter}, {density} kg/m^3, {choices}");
    let first_speed = velocity[0].hypot(velocity[1]);
    let unused = if has_pool || elastic == "water" { "" } else { "[materials.water]\ndensity = 1000.0\n\n" };
    let text = (head(dimension, spacing, solver) + &parts.concat()).replace(unused, "");
    Drawn { title, text, check: Check { rests: None, min, max, first_speed, spacing, dimension } }
}
