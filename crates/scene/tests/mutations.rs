//! Whatever is done to a good scene, reading it gives a scene or an explanation, never a panic.

#![allow(clippy::unwrap_used, reason = "a test asserts by unwrapping")]

use std::sync::LazyLock;

use proptest::prelude::*;
use thixo_scene::{Scene, gallery};

/// The scenes of the gallery, as coarse as they can be: what is read is the same, and sampled sooner.
static SCENES: LazyLock<Vec<String>> = LazyLock::new(|| gallery().iter().map(|entry| coarse(entry.text)).collect());

fn coarse(text: &str) -> String {
    let line = text.lines().find(|line| line.starts_with("spacing = ")).unwrap();
    let spacing: f64 = line["spacing = ".len()..].split_whitespace().next().unwrap().parse().unwrap();
    let coarser = [5.0, 4.0, 3.0, 2.0].map(|ratio| text.replace(line, &format!("spacing = {}", ratio * spacing)));
    let valid = coarser.into_iter().find(|text| Scene::read("coarse", text, &[]).is_ok());
    valid.unwrap_or_else(|| text.into())
}

/// A change of a text at a place.
#[derive(Clone, Debug)]
enum Mutation {
    Delete { at: usize, count: usize },
    Insert { at: usize, text: String },
    SwapLines { first: usize, second: usize },
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let words = [
        "[",
        "]",
        "[[",
        "{",
        "}",
        "=",
        ",",
        "\"",
        "'''",
        "\n",
        "\r\n",
        "\u{feff}",
        "é",
        "🫠",
        "0",
        "-",
        ".",
        "e",
        "1e99",
        "-1",
        "nan",
        "inf",
        "1e-300",
        "99999999999999999999",
        "true",
        "#",
        "bodies",
        "[[bodies]]",
        "[world]",
        "name = \"x\"\n",
        "1979-05-27",
        "\u{0}",
        "shape.box",
        "[1,2,3]",
        "{}",
        "[]",
        "0x7fffffffffffffff",
    ];
    let insert = (any::<usize>(), prop::sample::select(words.to_vec()));
    prop_oneof![
        (any::<usize>(), 1_usize..30).prop_map(|(at, count)| Mutation::Delete { at, count }),
        insert.prop_map(|(at, word)| Mutation::Insert { at, text: word.into() }),
        (any::<usize>(), any::<char>()).prop_map(|(at, c)| Mutation::Insert { at, text: c.into() }),
        (any::<usize>(), any::<usize>()).prop_map(|(first, second)| Mutation::SwapLines { first, second }),
    ]
}

fn apply(text: &str, mutation: &Mutation) -> String {
    let characters: Vec<char> = text.chars().collect();
    let place = |at: usize| at % (characters.len() + 1);
    match mutation {
        Mutation::Delete { at, count } => {
            let at = place(*at);
            characters[..at].iter().chain(&characters[(at + count).min(characters.len())..]).collect()
        }
        Mutation::Insert { at, text } => {
            let (before, after) = characters.split_at(place(*at));
            before.iter().copied().chain(text.chars()).chain(after.iter().copied()).collect()
        }
        Mutation::SwapLines { first, second } => {
            let mut lines: Vec<_> = text.split('\n').collect();
            let count = lines.len();
            lines.swap(first % count, second % count);
            lines.join("\n")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn mutated_scenes_never_panic(
        which in any::<usize>(),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let entry = SCENES[which % SCENES.len()].clone();
        let text = mutations.iter().fold(entry, |text, mutation| apply(&text, mutation));
        match Scene::read("mutated.toml", &text, &[]) {
            Ok(scene) => {
                scene.warnings();
                let estimate = scene.estimate();
                // What an emitter brings may come after the end of the scene.
                prop_assert!(estimate.movable() > 0 || !scene.emitters.is_empty());
                let again = Scene::read("again.toml", &scene.to_toml().unwrap(), &[]);
                prop_assert_eq!(again.unwrap(), scene);
            }
            Err(problems) => {
                prop_assert!(problems.iter().next().is_some());
                prop_assert!(problems.to_string().starts_with("error: "));
                problems.coloured();
            }
        }
    }

    #[test]
    fn any_override_never_panics(setting in "[a-z0-9.=\\[\\]{}\" ,\u{e9}\n-]{0,40}") {
        let _ = Scene::read("demo", &SCENES[0], &[setting]);
    }
}

#[test]
fn overrides_of_real_paths_never_panic() {
    let paths = [
        "world.spacing",
        "world.dimension",
        "bodies",
        "bodies.0",
        "bodies.0.shape",
        "bodies.1.shape.sphere.radius",
        "walls.0",
        "time.end",
        "time.fps",
        "materials",
        "probes.0",
        "output.frames",
        "world.kernel.wendland_c2.support_over_spacing",
    ];
    let values = [
        "0", "1", "-1", "1e-6", "1e6", "1e30", "nan", "[]", "{}", "\"\"", "x", "[[]]", "[1,2,3]", "true", "2", "5e-3",
        "1e38",
    ];
    for setting in paths.iter().flat_map(|path| values.map(|value| format!("{path}={value}"))) {
        if let Ok(scene) = Scene::read("demo", &SCENES[0], &[setting]) {
            scene.estimate();
            scene.warnings();
        }
    }
}
