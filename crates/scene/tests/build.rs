//! From a scene to a simulation: numbers arrive unchanged, a lattice at rest is at rest, probes follow particles.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use thixo_scene::{BuiltScene, Scene, gallery};

fn scene(name: &str, settings: &[&str]) -> Scene {
    let entry = gallery().iter().find(|entry| entry.name == name).unwrap();
    let settings: Vec<_> = settings.iter().map(ToString::to_string).collect();
    Scene::read(name, entry.text, &settings).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn the_simulation_has_the_numbers_of_the_scene() {
    let scene = scene("two-drops", &["materials.honey={density=1400}", "bodies.1.material=honey"]);
    let BuiltScene { simulation, ids, .. } = scene.build().unwrap();
    let particles = simulation.particles();
    assert_eq!(simulation.settings().spacing, 0.01);
    let left: Vec<_> = simulation.particles_of(ids["left"]).collect();
    for i in simulation.matter() {
        let is_left = left.contains(&i);
        assert_eq!(particles.velocity[i].x, if is_left { 0.5 } else { -0.5 });
        assert_eq!(particles.rest_density[i], if is_left { 1000.0 } else { 1400.0 });
        assert_eq!(particles.position[i].x < 0.0, is_left);
    }
    let mass: f64 = simulation.matter().map(|i| f64::from(particles.mass(i))).sum();
    let area = std::f64::consts::PI * 0.15 * 0.15;
    assert!((mass / (2400.0 * area) - 1.0).abs() < 0.01, "{mass}");
}

#[test]
fn fluid_in_its_tank_starts_at_its_rest_density() {
    let mut simulation = scene("still-water", &["bodies.0.shape.box.max=[0.5, 0.6, 0.0]"]).build().unwrap().simulation;
    simulation.prepare().unwrap();
    for i in simulation.matter() {
        let phi = simulation.particles().compression(i);
        assert!((phi - 1.0).abs() < 1e-4, "{phi} at {}", simulation.particles().position[i]);
    }
}

/// The same in a round tank, where nothing is on a lattice: no particle at the wall is squeezed much.
#[test]
fn fluid_in_a_round_tank_is_hardly_squeezed() {
    for dimension in [2, 3] {
        let text = format!(
            "[world]\nspacing = 0.05\ndimension = {dimension}\n[time]\nend = 1\n[materials.water]\ndensity = 1000\n\
             [[bodies]]\nname = \"water\"\nmaterial = \"water\"\nshape.sphere = {{ centre = [0, 0, 0], radius = 0.5 }}\n\
             [[walls]]\nname = \"tank\"\nshape.sphere = {{ centre = [0, 0, 0], radius = 0.525 }}\ninside = true\n"
        );
        let mut simulation = Scene::read("round", &text, &[]).unwrap().build().unwrap().simulation;
        simulation.prepare().unwrap();
        let worst = simulation.matter().map(|i| simulation.particles().compression(i)).fold(0.0, thixo_sim::Real::max);
        assert!(worst < 1.15, "{dimension}: {worst}");
    }
}

#[test]
fn probes_measure_what_their_columns_say() {
    let probes = "\n[[probes]]\nname = \"p\"\npressure = { at = [0.25, 0.1, 0], radius = 0.05 }\n\
        [[probes]]\nname = \"f\"\nfront = { direction = [0, 2, 0] }\n\
        [[probes]]\nname = \"x\"\nposition = { body = \"water\", min = [0.4, 0.0, 0.0] }\n\
        [[probes]]\nname = \"all\"\nposition = { body = \"water\" }\n\
        [[probes]]\nname = \"e\"\nenergy = { body = \"water\" }\n\
        [[probes]]\nname = \"m\"\nmomentum = {}\n";
    let entry = gallery().iter().find(|entry| entry.name == "still-water").unwrap();
    let text = entry.text.split("\n# At rest").next().unwrap().to_string() + probes;
    let scene = Scene::read("x", &text, &["bodies.0.velocity=[3, 0, 0]".into()]).unwrap();
    let BuiltScene { mut simulation, probes, .. } = scene.build().unwrap();
    simulation.prepare().unwrap();
    let header = probes.header();
    let mut row = vec![f64::NAN];
    probes.sample(&simulation, &mut row);
    assert_eq!(row.len(), header.len());
    let value = |column: &str| row[header.iter().position(|name| name == column).unwrap_or_else(|| panic!("{column}"))];
    let near = |column: &str, expected: f64| {
        let found = value(column);
        assert!((found - expected).abs() < 1e-4 * expected.abs().max(1.0), "{column}: {found}, not {expected}");
    };
    assert!(value("p.pressure [Pa]").abs() < 1.0, "a lattice at rest has no pressure yet");
    near("f.front [m]", 0.4);
    near("x.position_x [m]", 0.45);
    near("all.position_x [m]", 0.25);
    near("all.position_y [m]", 0.2);
    near("e.kinetic [J]", 0.5 * 200.0 * 9.0);
    near("e.potential [J]", 200.0 * 9.81 * 0.2);
    near("m.momentum_x [kg m/s]", 600.0);
}

/// The probes of a scene that is built again, as a resumed run does, follow the same particles.
#[test]
fn probes_built_again_follow_the_same_particles() {
    let scene = scene("falling-drop", &["world.spacing=0.04"]);
    let BuiltScene { mut simulation, probes: early, .. } = scene.build().unwrap();
    simulation.advance(0.02).unwrap();
    let late = scene.build().unwrap().probes;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    early.sample(&simulation, &mut a);
    late.sample(&simulation, &mut b);
    assert_eq!(a, b);
    let fallen = 0.45 - 2.0 * 0.02 - 0.5 * 9.81 * 0.02 * 0.02;
    assert!((a[1] - fallen).abs() < 1e-3, "{} {fallen}", a[1]);
}

#[test]
fn a_scene_made_senseless_by_a_program_is_refused() {
    let mut description = scene("still-water", &[]).into_description();
    assert!(description.clone().check().is_ok());
    description.bodies[0].material = "wine".into();
    let problems = description.check().unwrap_err();
    let messages: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["there is no material called `wine`"]);
}

#[test]
fn elastic_boxes_that_are_rows_of_particles_are_told() {
    let warnings = |max: &str| scene("cantilever", &[&format!("bodies.0.shape.box.max={max}")]).warnings().to_vec();
    let scene = scene("cantilever", &[]);
    let spacing = scene.world.spacing;
    assert!(scene.warnings().is_empty());
    let row = warnings(&format!("[0.6, {spacing}, {spacing}]"));
    assert!(row[0].starts_with("body `beam` is a row of particles"), "{row:?}");
    assert!(warnings(&format!("[0.6, {spacing}, 0.08]")).is_empty());
}

#[test]
fn sizes_that_are_no_multiples_of_the_spacing_are_told() {
    let scene = scene("still-water", &["bodies.0.shape.box.max=[0.5, 0.391, 0]"]);
    let warning =
        "body `water` is 0.391 m in y, which is no multiple of the spacing 0.02 m; it becomes 0.5 x 0.4 x 0 m";
    assert_eq!(scene.warnings(), [warning]);
    assert_eq!(scene.estimate().movable(), 25 * 20);
}

/// The elliptical patch of Monaghan 1994, and a disc that turns.
#[test]
fn velocity_fields_give_every_particle_its_velocity() {
    let text = "[world]\nspacing = 0.1\ndimension = 2\n[time]\nend = 1\n[materials.water]\ndensity = 1000\n\
                [[bodies]]\nname = \"patch\"\nmaterial = \"water\"\nvelocity = [0, 1, 0]\n\
                shape.sphere = { centre = [0, 0, 0], radius = 1 }\n\
                velocity_field.linear = { gradient = [[-100, 2, 0], [0, 100, 0], [0, 0, 5]] }\n\
                [[bodies]]\nname = \"disc\"\nmaterial = \"water\"\n\
                shape.sphere = { centre = [4, 0, 0], radius = 1 }\n\
                velocity_field.rotation = { angular_velocity = 3, centre = [4, 0, 0] }\n";
    let scene = Scene::read("fields", text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let BuiltScene { simulation, ids, .. } = scene.build().unwrap();
    let particles = simulation.particles();
    let patch: Vec<_> = simulation.particles_of(ids["patch"]).collect();
    for i in simulation.matter() {
        let (x, v) = (particles.position[i], particles.velocity[i]);
        let expected = match patch.contains(&i) {
            true => [-100.0 * x.x + 2.0 * x.y, 1.0 + 100.0 * x.y, 0.0],
            false => [-3.0 * x.y, 3.0 * (x.x - 4.0), 0.0],
        };
        assert!(v.to_array().iter().zip(expected).all(|(v, e)| (v - e).abs() < 1e-4), "{x}: {v} {expected:?}");
    }
}

/// A drum that turns drags its syrup along until all of it turns like a rigid body.
#[test]
fn a_turning_drum_carries_its_fluid_with_it() {
    let text = "[world]\nspacing = 0.05\ndimension = 2\ngravity = [0, 0, 0]\n[time]\nend = 1.5\n\
                [materials.syrup]\ndensity = 1000\nfluid.viscosity.morris = { dynamic_viscosity = 200 }\n\
                [[bodies]]\nname = \"syrup\"\nmaterial = \"syrup\"\nshape.sphere = { centre = [0, 0, 0], radius = 0.5 }\n\
                [[walls]]\nname = \"drum\"\nshape.sphere = { centre = [0, 0, 0], radius = 0.525 }\ninside = true\n\
                path = [{ time = 0 }, { time = 3, rotation = { angle = 3.0, centre = [0, 0, 0] } }]\n\
                [[probes]]\nname = \"syrup\"\nmomentum = {}\n";
    let scene = Scene::read("drum", text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let mut simulation = scene.build().unwrap().simulation;
    simulation.advance(scene.time.end).unwrap();
    let particles = simulation.particles();
    for i in simulation.matter() {
        let (x, v) = (particles.position[i], particles.velocity[i]);
        // One radian per second.
        let off = (v.x + x.y).hypot(v.y - x.x);
        assert!(off < 0.05, "{v} at {x}");
    }
}

#[test]
fn a_body_that_gives_way_leaves_room_for_the_other() {
    let scene = |pool: &str, drop: &str| {
        format!(
            "[world]\nspacing = 0.05\n[time]\nend = 1\n[materials.water]\ndensity = 1000\n\
             [[bodies]]\nname = \"pool\"\nmaterial = \"water\"\nshape.box = {{ min = [0, 0, 0], max = [1, 0.5, 1] }}\n{pool}\n\
             [[bodies]]\nname = \"drop\"\nmaterial = \"water\"\nshape.sphere = {{ centre = [0.5, 0.4, 0.5], radius = 0.3 }}\n{drop}\n"
        )
    };
    let counts = |pool: &str, drop: &str| -> Vec<u64> {
        let scene = Scene::read("pool", &scene(pool, drop), &[]).unwrap_or_else(|problems| panic!("{problems}"));
        scene.estimate().bodies.into_iter().map(|(_, count)| count).collect()
    };
    let way = "overlap = \"give_way\"";
    let (pool, drop) = (4000, counts("", way)[1]);
    // Without the other, the drop has 905 particles.
    assert_eq!(counts("", way)[0], pool);
    assert!(drop < 350, "{drop}");
    let [pool, drop] = counts(way, "")[..] else { panic!() };
    assert!(drop > 880 && (3200..3450).contains(&pool), "{pool} {drop}");
    assert_eq!(counts(way, way)[0], 4000, "of two that give way, the later one does");
    assert!(Scene::read("pool", &scene("", ""), &[]).is_err());
    let simulation = Scene::read("pool", &scene(way, ""), &[]).unwrap().build().unwrap().simulation;
    let places = &simulation.particles().position;
    let nearest = places.iter().enumerate().flat_map(|(i, a)| places[..i].iter().map(move |b| a.distance(*b)));
    assert!(nearest.fold(f32::INFINITY as thixo_sim::Real, thixo_sim::Real::min) > 0.74 * 0.05);
}

#[test]
fn of_several_bodies_in_one_place_the_one_of_highest_priority_is_whole() {
    let scene = |priorities: [i32; 3]| {
        let mut text = "[world]\nspacing = 0.05\n[time]\nend = 1\n[materials.water]\ndensity = 1000\n".to_string();
        for (k, priority) in priorities.into_iter().enumerate() {
            let x = 0.3 * k as f64;
            text += &format!(
                "[[bodies]]\nname = \"body {k}\"\nmaterial = \"water\"\npriority = {priority}\n\
                 shape.box = {{ min = [{x}, 0, 0], max = [{}, 0.5, 0.5] }}\n",
                x + 0.5
            );
        }
        Scene::read("boxes", &text, &[])
    };
    let counts = |priorities| -> Vec<u64> {
        let scene = scene(priorities).unwrap_or_else(|problems| panic!("{problems}"));
        scene.estimate().bodies.into_iter().map(|(_, count)| count).collect()
    };
    // Ten layers of a hundred particles each; neighbours share four.
    assert_eq!(counts([0, 1, 2]), [600, 600, 1000]);
    assert_eq!(counts([2, 0, 1]), [1000, 200, 1000]);
    assert_eq!(counts([-1, 3, -1]), [600, 1000, 600]);
    let refused = scene([1, 0, 0]).unwrap_err().to_string();
    assert!(refused.contains("bodies `body 1` and `body 2` overlap"), "{refused}");
    assert!(!refused.contains("`body 0`"), "{refused}");
}

/// A block between two plates: one stands still, the other rises and takes what is clamped to it along, while a force pulls
/// at the side.
#[test]
fn clamps_follow_their_wall_and_loads_are_borne() {
    let text = r#"
        world = { spacing = 0.1, gravity = [0, 0, 0] }
        time = { end = 0.2, step.fixed = 0.005 }
        materials.rubber = { density = 1000.0, elastic.implicit = { young_modulus = 1e6 } }
        [[bodies]]
        name = "block"
        material = "rubber"
        shape.box = { min = [0, 0, 0], max = [0.5, 1, 0.5] }
        clamps = [{ region.box = { min = [0, 0, 0], max = [1, 0.2, 1] }, wall = "foot" },
                  { region.box = { min = [0, 0.8, 0], max = [1, 1, 1] }, wall = "head" }]
        loads = [{ point = [0.5, 0.5, 0.25], force = [40, 0, 0] },
                 { region.box = { min = [0.4, 0.3, 0], max = [0.5, 0.7, 0.5] }, force = [0, 0, -10], ramp = 0.1 }]
        [[walls]]
        name = "foot"
        shape.box = { min = [-0.2, -0.2, -0.2], max = [0.7, 0, 0.7] }
        [[walls]]
        name = "head"
        shape.box = { min = [-0.2, 1, -0.2], max = [0.7, 1.2, 0.7] }
        path = [{ time = 0 }, { time = 0.1, translation = [0, 0.1, 0] }]
    "#;
    let scene = Scene::read("plates.toml", text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let BuiltScene { mut simulation, ids, .. } = scene.build().unwrap();
    let block = simulation.body(ids["block"]).unwrap();
    for load in &block.loads {
        let sum: f64 = load.shares.iter().map(|&(_, share)| f64::from(share)).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    }
    assert_eq!(block.loads[1].shares.len(), 20);
    simulation.advance(scene.time.end).unwrap();
    let particles = simulation.particles();
    let mut middle = thixo_sim::Vec3::ZERO;
    for i in simulation.matter() {
        let moved = particles.position[i] - particles.anchor[i];
        match particles.clamp[i] {
            1 => assert_eq!(moved, thixo_sim::Vec3::ZERO),
            2 => assert!((moved - thixo_sim::Vec3::new(0.0, 0.1, 0.0)).length() < 1e-6, "{moved}"),
            _ => middle += moved / 150.0,
        }
    }
    assert!(middle.x > 1e-5 && middle.z < -1e-6 && (middle.y - 0.05).abs() < 0.01, "{middle}");
}
