//! Pools in tanks of their shape start uncompressed, whatever the shape, and come to rest.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::Scene;

/// The distance between particles [m].
const SPACING: f64 = 0.02;

/// A tank, and what of it is filled.
struct Pool {
    name: &'static str,
    dimension: u8,
    water: &'static str,
    tank: &'static str,
}

const POOLS: [Pool; 10] = [
    Pool {
        name: "a height field between box walls",
        dimension: 2,
        water: "height_field = { min = [0, 0, 0], max = [0.6, 0.5, 0], height = \"0.209\" }",
        tank: "box = { min = [0, 0, 0], max = [0.6, 0.5, 0] }",
    },
    Pool {
        name: "two boxes as one",
        dimension: 2,
        water: "union = [{ box = { min = [0, 0, 0], max = [0.4, 0.209, 0] } }, { box = { min = [0.2, 0, 0], max = [0.6, 0.209, 0] } }]",
        tank: "box = { min = [0, 0, 0], max = [0.6, 0.5, 0] }",
    },
    Pool {
        name: "half a disc",
        dimension: 2,
        water: "intersection = [{ sphere = { centre = [0, 0.3, 0], radius = 0.3 } }, { plane = { point = [0, 0.25, 0], normal = [0, 1, 0] } }]",
        tank: "sphere = { centre = [0, 0.3, 0], radius = 0.3 }",
    },
    Pool {
        name: "a tilted box",
        dimension: 2,
        water: "intersection = [{ transform = { shape.box = { min = [0, 0, 0], max = [0.6, 0.5, 1] }, rotation.angle = 0.3 } }, { plane = { point = [0, 0.35, 0], normal = [0, 1, 0] } }]",
        tank: "transform = { shape.box = { min = [0, 0, -1], max = [0.6, 0.5, 1] }, rotation.angle = 0.3 }",
    },
    Pool {
        name: "a funnel",
        dimension: 2,
        water: "intersection = [{ cone = { from = [0, 0.6, 0], to = [0, 0, 0], radius = 0.5, end_radius = 0.1 } }, { plane = { point = [0, 0.33, 0], normal = [0, 1, 0] } }]",
        tank: "cone = { from = [0, 0.6, 0], to = [0, 0, 0], radius = 0.5, end_radius = 0.1 }",
    },
    Pool {
        name: "around a block that is no multiple of the spacing",
        dimension: 2,
        water: "difference = [{ box = { min = [0, 0, 0], max = [0.6, 0.3, 1] } }, { box = { min = [0.31, 0, 0], max = [0.42, 0.111, 1] } }]",
        tank: "difference = [{ box = { min = [0, 0, -1], max = [0.6, 0.6, 1] } }, { box = { min = [0.31, 0, -1], max = [0.42, 0.111, 1] } }]",
    },
    Pool {
        name: "a standing cylinder",
        dimension: 3,
        water: "cylinder = { from = [0, 0, 0], to = [0, 0.21, 0], radius = 0.2 }",
        tank: "cylinder = { from = [0, 0, 0], to = [0, 0.5, 0], radius = 0.2 }",
    },
    Pool {
        name: "a bowl",
        dimension: 3,
        water: "intersection = [{ sphere = { centre = [0, 0.22, 0], radius = 0.22 } }, { plane = { point = [0, 0.2, 0], normal = [0, 1, 0] } }]",
        tank: "sphere = { centre = [0, 0.22, 0], radius = 0.22 }",
    },
    Pool {
        name: "a lying cylinder",
        dimension: 3,
        water: "intersection = [{ cylinder = { from = [0, 0.2, 0], to = [0.41, 0.2, 0], radius = 0.2 } }, { plane = { point = [0, 0.19, 0], normal = [0, 1, 0] } }]",
        tank: "cylinder = { from = [0, 0.2, 0], to = [0.41, 0.2, 0], radius = 0.2 }",
    },
    Pool {
        name: "a box tilted about two axes",
        dimension: 3,
        water: "intersection = [{ transform = { shape.box = { min = [0, 0, 0], max = [0.4, 0.4, 0.3] }, rotation = { angle = 0.3, axis = [1, 0, 1] } } }, { plane = { point = [0, 0.25, 0], normal = [0, 1, 0] } }]",
        tank: "transform = { shape.box = { min = [0, 0, 0], max = [0.4, 0.4, 0.3] }, rotation = { angle = 0.3, axis = [1, 0, 1] } }",
    },
];

const SAMPLINGS: [&str; 4] =
    ["", "sampling.lattice.arrangement = \"hexagonal\"", "sampling.relaxed = {}", "sampling.poisson_disk = {}"];

fn scene(pool: &Pool, sampling: &str, solver: &str) -> Scene {
    let Pool { name, dimension, water, tank } = pool;
    let text = format!(
        "[world]\nspacing = {SPACING}\ndimension = {dimension}\n[time]\nend = 1\n[pressure.{solver}]\n\
         [materials.water]\ndensity = 1000\n\
         [[bodies]]\nname = \"water\"\nmaterial = \"water\"\nshape.{water}\n{sampling}\n\
         [[walls]]\nname = \"tank\"\nshape.{tank}\ninside = true\n"
    );
    Scene::read(name, &text, &[]).unwrap_or_else(|problems| panic!("{name}: {problems}"))
}

/// The highest speed of a particle after a while, in units of √(g d).
fn speed(scene: &Scene, seconds: f64) -> f64 {
    let mut simulation = scene.build().unwrap().simulation;
    simulation.advance(seconds).unwrap();
    let velocity = &simulation.particles().velocity[simulation.matter()];
    velocity.iter().map(|v| f64::from(v.length())).fold(0.0, f64::max) / (9.81 * SPACING).sqrt()
}

#[test]
fn pools_of_any_shape_and_sampling_start_uncompressed_between_their_walls() {
    for (pool, sampling) in POOLS.iter().flat_map(|pool| SAMPLINGS.map(|sampling| (pool, sampling))) {
        let scene = scene(pool, sampling, "iisph");
        assert_eq!(scene.warnings(), Vec::<String>::new(), "{} {sampling}", pool.name);
        let mut simulation = scene.build().unwrap().simulation;
        simulation.prepare().unwrap();
        let particles = simulation.particles();
        let densities = simulation.matter().map(|i| f64::from(particles.density[i] / particles.rest_density[i]));
        let highest = densities.fold(0.0, f64::max);
        assert!(highest < 1.02, "{} {sampling}: {highest}", pool.name);
    }
}

/// From a compressed start particles reach 3 to 30 √(g d), and jump as high as the pool is deep.
#[test]
fn pools_of_any_shape_do_not_spring_up() {
    for pool in &POOLS {
        let fastest = speed(&scene(pool, "", "iisph"), 0.05);
        println!("{}: {fastest:.2}", pool.name);
        assert!(fastest < 1.5, "{}: {fastest}", pool.name);
    }
}

#[test]
#[ignore = "takes minutes; prints how quiet pools are after a second"]
fn pools_come_to_rest() {
    for (pool, sampling) in POOLS.iter().flat_map(|pool| SAMPLINGS.map(|sampling| (pool, sampling))) {
        for solver in ["wcsph", "pcisph", "iisph", "dfsph"] {
            let fastest = speed(&scene(pool, sampling, solver), 1.0);
            println!("{:.3}  {} {solver} {sampling}", fastest, pool.name);
            assert!(fastest < 0.5, "{} {solver} {sampling}: {fastest}", pool.name);
        }
    }
}
