//! Figures made of shapes at random: each becomes particles, or is refused with a reason. None hangs or takes memory
//! without bound.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use thixo_scene::Scene;

/// A number that may be anything a person types, and some that nobody should.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        150 => (-1.0..1.0_f64).prop_map(|x| format!("{x:.3}")),
        1 => prop::sample::select(vec!["0", "1e-9", "-3.0", "1e7", "1e12", "1e300", "-1e-300"]).prop_map(String::from),
    ]
}

fn vector() -> impl Strategy<Value = String> {
    [number(), number(), number()].prop_map(|[x, y, z]| format!("[{x}, {y}, {z}]"))
}

/// A length, nearly always positive.
fn length() -> impl Strategy<Value = String> {
    prop_oneof![
        150 => (0.05..0.6_f64).prop_map(|x| format!("{x:.3}")),
        1 => prop::sample::select(vec!["0", "-0.2", "1e-12", "1e-3", "1e7", "1e20"]).prop_map(String::from),
    ]
}

fn primitive() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (vector(), length(), length(), length()).prop_map(|(c, x, y, z)| {
            format!("transform = {{ shape.box = {{ min = [0, 0, 0], max = [{x}, {y}, {z}], rounding = 0.02 }}, translation = {c} }}")
        }),
        8 => (vector(), length(), length(), length()).prop_map(|(c, x, y, z)| {
            format!("transform = {{ shape.box = {{ min = [0, 0, 0], max = [{x}, {y}, {z}] }}, translation = {c} }}")
        }),
        8 => (vector(), length()).prop_map(|(c, r)| format!("sphere = {{ centre = {c}, radius = {r} }}")),
        8 => (vector(), length(), length(), length())
            .prop_map(|(c, x, y, z)| format!("ellipsoid = {{ centre = {c}, radii = [{x}, {y}, {z}] }}")),
        8 => (vector(), vector(), length()).prop_map(|(a, b, r)| format!("cylinder = {{ from = {a}, to = {b}, radius = {r} }}")),
        8 => (vector(), vector(), length()).prop_map(|(a, b, r)| format!("capsule = {{ from = {a}, to = {b}, radius = {r} }}")),
        8 => (vector(), vector(), length(), length())
            .prop_map(|(a, b, r, s)| format!("cone = {{ from = {a}, to = {b}, radius = {r}, end_radius = {s} }}")),
        8 => (vector(), vector(), length(), length()).prop_map(|(c, n, r, t)| {
            format!("torus = {{ centre = {c}, axis = {n}, radius = {r}, tube_radius = {t} }}")
        }),
        8 => (prop::collection::vec(vector(), 2..5), length(), any::<bool>()).prop_map(|(points, radius, smooth)| {
            format!("curve = {{ points = [{}], radii = [{radius}], smooth = {smooth} }}", points.join(", "))
        }),
        1 => (vector(), vector()).prop_map(|(p, n)| format!("plane = {{ point = {p}, normal = {n} }}")),
        1 => Just("named = \"other\"".to_string()),
        1 => Just("named = \"nobody\"".to_string()),
    ]
}

fn figure() -> impl Strategy<Value = String> {
    primitive().prop_recursive(5, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(|shapes| {
            format!("[{}]", shapes.iter().map(|s| format!("{{ {s} }}")).collect::<Vec<_>>().join(", "))
        });
        prop_oneof![
            list.clone().prop_map(|list| format!("union = {list}")),
            list.clone().prop_map(|list| format!("intersection = {list}")),
            list.clone().prop_map(|list| format!("difference = {list}")),
            (list, length()).prop_map(|(list, r)| format!("smooth_union = {{ shapes = {list}, radius = {r} }}")),
            (inner.clone(), length()).prop_map(|(s, t)| format!("shell = {{ shape = {{ {s} }}, thickness = {t} }}")),
            (inner.clone(), vector(), vector(), number(), vector()).prop_map(|(s, stretch, axis, angle, t)| {
                format!(
                    "transform = {{ shape = {{ {s} }}, stretch = {stretch}, \
                     rotation = {{ axis = {axis}, angle = {angle} }}, translation = {t} }}"
                )
            }),
            (inner.clone(), [1_u32..4, 1..4, 1..9], vector()).prop_map(|(s, [x, y, z], step)| {
                format!("repeat.grid = {{ shape = {{ {s} }}, count = [{x}, {y}, {z}], step = {step} }}")
            }),
            (inner.clone(), inner, 1_u32..60, length(), any::<bool>()).prop_map(|(s, ground, count, apart, on)| {
                let key = if on { "on" } else { "within" };
                format!(
                    "repeat.scatter = {{ shape = {{ {s} }}, {key} = {{ {ground} }}, count = {count}, apart = {apart} }}"
                )
            }),
        ]
    })
}

/// What became of a figure.
#[derive(Debug, Default)]
struct Tally {
    built: usize,
    refused: usize,
}

#[test]
fn three_hundred_random_figures_are_built_or_refused_with_a_reason() {
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), seed);
    let strategy = (figure(), figure(), any::<bool>(), any::<bool>());
    let mut tally = Tally::default();
    for _ in 0..300 {
        let (shape, other, flat, is_wall) = strategy.new_tree(&mut runner).unwrap().current();
        let (dimension, spacing) = if flat { (2, 0.05) } else { (3, 0.1) };
        let wall = match is_wall {
            false => format!("[[bodies]]\nname = \"figure\"\nmaterial = \"water\"\nshape = {{ {shape} }}\n"),
            true => format!(
                "[[bodies]]\nname = \"drop\"\nmaterial = \"water\"\nshape.sphere = {{ centre = [9, 9, 9], radius = 0.2 }}\n\
                 [[walls]]\nname = \"figure\"\nshape = {{ {shape} }}\n"
            ),
        };
        let text = format!(
            "[world]\nspacing = {spacing}\ndimension = {dimension}\n[time]\nend = 1\n[materials.water]\ndensity = 1000\n\
             [shapes.other]\nunion = [{{ {other} }}]\n{wall}"
        );
        match Scene::read("figure.toml", &text, &[]) {
            Ok(scene) => {
                tally.built += 1;
                let counts = scene.estimate();
                assert!(counts.bodies.iter().chain(&counts.walls).all(|(_, count)| *count > 0), "{text}");
                let simulation = scene.build().unwrap_or_else(|error| panic!("{error}\n{text}")).simulation;
                assert_eq!(simulation.matter().len() as u64, counts.movable());
                assert!(simulation.particles().position.iter().all(|place| place.is_finite()), "{text}");
                assert_eq!(Scene::read("again", &scene.to_toml().unwrap(), &[]).unwrap(), scene);
            }
            Err(problems) => {
                tally.refused += 1;
                for problem in &problems {
                    assert!(problem.excerpt.is_some(), "{problem}\n{text}");
                }
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.built > 60 && tally.refused > 60, "{tally:?}");
}

#[test]
fn shapes_in_shapes_without_end_are_refused() {
    let deep = |levels: usize| {
        format!(
            "{}{}{}",
            "{ union = [".repeat(levels),
            "{ sphere = { centre = [0, 0, 0], radius = 1 } }",
            "] }".repeat(levels)
        )
    };
    let scene = |shape: &str| {
        format!(
            "[world]\nspacing = 0.1\n[time]\nend = 1\n[materials.water]\ndensity = 1000\n\
             [[bodies]]\nname = \"b\"\nmaterial = \"water\"\nshape = {shape}\n"
        )
    };
    assert!(Scene::read("flat", &scene(&deep(20)), &[]).is_ok());
    for levels in [35, 60, 1000, 100_000] {
        let refused = Scene::read("deep", &scene(&deep(levels)), &[]).unwrap_err().to_string();
        assert!(refused.starts_with("error: "), "{levels}: {refused}");
    }
    // Each is made of four of the next: sixteen million balls.
    let mut text = scene("{ named = \"a0\" }");
    for k in 0..12 {
        let next = format!("{{ named = \"a{}\" }}", k + 1);
        text += &format!("[shapes.a{k}]\nunion = [{next}, {next}, {next}, {next}]\n");
    }
    text += "[shapes.a12]\nsphere = { centre = [0, 0, 0], radius = 1 }\n";
    let refused = Scene::read("many", &text, &[]).unwrap_err().to_string();
    assert!(refused.contains("parts"), "{refused}");
}
