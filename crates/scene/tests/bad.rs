//! Wrong scenes, each with the exact message that is expected.
//!
//! `BLESS=1 cargo test` writes the messages anew; then read every one of them: is the place exact, the cause true,
//! the remedy useful?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test asserts by unwrapping")]

use std::path::{Path, PathBuf};

use thixo_scene::{Problem, Scene};

const GOOD: &str = include_str!("../../../scenes/demo.toml");

fn bad_scenes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}

#[test]
fn every_wrong_scene_is_refused_with_place_cause_and_remedy() {
    let files = bad_scenes();
    assert!(files.len() > 100);
    let mut wrong = String::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let message = match Scene::read(&name, &text, &[]) {
            Ok(_) => "accepted\n".to_string(),
            Err(problems) => problems.to_string(),
        };
        let expected = file.with_extension("txt");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&expected, &message).unwrap();
        }
        let expected = std::fs::read_to_string(expected).unwrap_or_default();
        if message != expected || message == "accepted\n" {
            wrong += &format!("--- {name}\nfound:\n{message}\nexpected:\n{expected}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn problems_are_listed_in_the_order_of_the_file() {
    for file in bad_scenes() {
        let text = std::fs::read_to_string(&file).unwrap();
        let problems = Scene::read("x", &text, &[]).unwrap_err();
        let places: Vec<_> = problems.iter().map(|problem| (problem.line(), problem.column())).collect();
        assert!(places.is_sorted(), "{}: {places:?}", file.display());
    }
}

#[test]
fn line_ends_and_byte_order_marks_do_not_move_a_place() {
    for file in bad_scenes() {
        let text = std::fs::read_to_string(&file).unwrap().replace(['\r', '\u{feff}'], "");
        let dos = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let messages = |text: &str| Scene::read("x", text, &[]).unwrap_err().to_string();
        assert_eq!(messages(&dos), messages(&text), "{}", file.display());
    }
}

fn refused(setting: &str) -> String {
    let settings = [setting.to_string()];
    Scene::read("demo.toml", GOOD, &settings).unwrap_err().iter().map(Problem::to_string).collect()
}

#[test]
fn wrong_overrides_are_named_as_the_source() {
    let text = "error: `densty` is not a key of `water`\n \
                --> --set materials.water.densty=900\n  |\n  | materials.water.densty=900\n  |                 ^^^^^^\n  \
                = help: did you mean `density`?\n";
    assert_eq!(refused("materials.water.densty=900"), text);
    let text = "error: `density` is -1, but must be greater than 0\n \
                --> --set materials.water.density = -1\n  |\n  | materials.water.density = -1\n  |                           ^^\n  \
                = help: `density`: density at rest [kg/m^3]. Water has 1000\n";
    assert_eq!(refused("materials.water.density = -1"), text);
    for (setting, cause) in [
        ("", "an override needs `=`"),
        ("time.end", "an override needs `=`"),
        ("=3", "unquoted keys cannot be empty"),
        ("time.end=", "a value is missing"),
        ("time.end=1 2", "is not a value"),
        ("bodies.7.velocity=[0,0,0]", "`7` is not an element of the list"),
        ("bodies.x.velocity=[0,0,0]", "`x` is not an element of the list"),
        ("time.end.x=1", "`x` cannot be set"),
        ("time.end=1\n[world]", "an override is a single line"),
        ("bodies.0.material=wine", "there is no material called `wine`"),
        ("world.dimension=4", "`dimension` is 4"),
        ("materials.watr.density=900", "there is no `watr` among the materials, and nobody uses one of that name"),
        ("materials.watr.density=900", "did you mean `water`?"),
        ("shapes.ring.sphere={ centre = [0, 0, 0], radius = 1 }", "there is no `ring` among the shapes"),
        ("bodies.colum.velocity=[0,1,0]", "did you mean `column`?"),
        ("walls.tnak.inside=false", "did you mean `tank`?"),
    ] {
        let message = refused(setting);
        assert!(message.contains(cause) && message.contains("--> --set"), "{setting}: {message}");
    }
}

#[test]
fn overrides_replace_values_elements_and_words() {
    let settings = ["materials.water.density=900", "bodies.0.velocity=[0, 1, 0]", "world.up=y", "time.step.fixed=1e-3"];
    let scene = Scene::read("demo.toml", GOOD, &settings.map(String::from)).unwrap();
    assert_eq!(scene.materials["water"].density, 900.0);
    assert_eq!(scene.bodies[0].velocity, [0.0, 1.0, 0.0]);
    assert_eq!(scene.world.up, thixo_scene::Up::Y);
    assert_eq!(scene.time.step, thixo_sim::StepSize::Fixed(1e-3));
}

#[test]
fn elements_of_lists_go_by_name_or_number() {
    let settings = ["bodies.column.velocity=[0, 1, 0]", "walls.tank.no_slip=false", "walls.0.friction=0.5"];
    let scene = Scene::read("demo.toml", GOOD, &settings.map(String::from)).unwrap();
    assert_eq!(scene.bodies[0].velocity, [0.0, 1.0, 0.0]);
    assert_eq!((scene.walls[0].no_slip, scene.walls[0].friction), (Some(false), 0.5));
}

#[test]
fn an_override_may_make_a_material_that_another_uses() {
    let settings = ["materials.oil.density=900", "bodies.column.material=oil"].map(String::from);
    assert_eq!(Scene::read("demo.toml", GOOD, &settings).unwrap().materials["oil"].density, 900.0);
}

#[test]
fn all_wrong_overrides_are_told_at_once() {
    let settings = ["bodies.x.velocity=[0,0,0]", "time.edn=1", "bodies.0.material=wine"].map(String::from);
    let problems = Scene::read("demo.toml", GOOD, &settings).unwrap_err();
    assert_eq!(problems.iter().count(), 3, "{problems}");
}

#[test]
fn a_wrong_scene_is_refused_even_if_an_override_would_mend_it() {
    let text = GOOD.replace("density = 1000.0", "density = -1.0");
    let problems = Scene::read("demo.toml", &text, &["materials.water.density=1000".into()]).unwrap_err();
    assert_eq!(problems.iter().next().unwrap().source, "demo.toml");
}

#[test]
fn a_flood_of_problems_is_cut_short() {
    let body =
        "[[bodies]]\nname = \"x\"\nmaterial = \"water\"\nshape.box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n";
    for text in [GOOD.to_string() + &body.repeat(3000), "a = 1\n".repeat(3000), "[[bodies]]\n".repeat(3000)] {
        let problems = Scene::read("x", &text, &[]).unwrap_err();
        assert_eq!(problems.iter().count(), 101);
        assert!(problems.iter().last().unwrap().message.ends_with("more problems"));
    }
}
