//! Skins: fine meshes that follow bodies, file for file.

use std::fs;

use crate::sandbox::{Sandbox, contents, file_names};

/// A block in free fall.
const FALL: &str = r#"
world.spacing = 0.1
time = { end = 0.1, fps = 20, step.fixed = 0.001 }
materials.jelly = { density = 1000.0, elastic.implicit = {} }
[[bodies]]
name = "block"
material = "jelly"
shape.box = { min = [0, 0, 0], max = [0.4, 0.4, 0.4] }
"#;

/// A roof over the block, with texture coordinates and groups, in centimetres.
const ROOF: &str = "mtllib roof.mtl\nv 0 40 0\nv 40 40 0\nv 40 40 40\nv 0 45 40\nvt 0.5 0.25\nvn 0 1 0\ng left\nusemtl slate\n\
                    f 1/1/1 3/1/1 2/1/1\ng right\nf 1/1 4/1 3/1\n";

fn fallen(skin: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("roof.obj", ROOF);
    sandbox.write("fall.toml", format!("{FALL}{skin}\n"));
    let ended = sandbox.thixo(&["run", "fall.toml", "-o", "x", "--surface"]).expect(0);
    assert!(ended.stderr.contains("3 surfaces"), "{}", ended.stderr);
    sandbox
}

fn text(sandbox: &Sandbox, name: &str) -> String {
    String::from_utf8_lossy(&fs::read(sandbox.path(name)).unwrap()).into_owned()
}

#[test]
fn mesh_files_follow_their_body_and_keep_all_else() {
    let sandbox = fallen("skin.mesh = { file = \"roof.obj\", scale = 0.01 }");
    assert_eq!(file_names(&sandbox.path("x/skins/block")), ["000000.obj", "000001.obj", "000002.obj"]);
    let [first, last] = ["x/skins/block/000000.obj", "x/skins/block/000002.obj"].map(|name| text(&sandbox, name));
    let is_other = |line: &&str| !line.starts_with("v ") && !line.starts_with("vn ");
    let others = |text: &str| text.lines().filter(is_other).map(str::to_owned).collect::<Vec<_>>();
    let expected =
        ["mtllib roof.mtl", "vt 0.5 0.25", "g left", "usemtl slate", "f 1/1/1 3/1/2 2/1/3", "g right", "f 1/1 4/1 3/1"];
    assert_eq!(others(&first), expected);
    assert_eq!(others(&last), expected);
    let places = |text: &str| -> Vec<f64> {
        let vertices = text.lines().filter_map(|line| line.strip_prefix("v "));
        vertices.flat_map(str::split_whitespace).map(|word| word.parse().unwrap()).collect()
    };
    // At rest it is where the file says, in metres; then it falls with the block.
    let expected = [0.0, 0.4, 0.0, 0.4, 0.4, 0.0, 0.4, 0.4, 0.4, 0.0, 0.45, 0.4];
    for (k, (found, expected)) in places(&first).into_iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-6, "{k}: {found} {expected}");
        let fall = if k % 3 == 1 { 0.5 * 9.81 * 0.1 * 0.1 } else { 0.0 };
        let now = places(&last)[k];
        assert!((now - (expected - fall)).abs() < 1e-5, "{k}: {now} {expected}");
    }
    // The surface of the frame is the skin, and the run needs the file no more.
    assert!(text(&sandbox, "x/surface/000002.ply").contains("element vertex 4\n"));
    fs::remove_file(sandbox.path("roof.obj")).unwrap();
    let before = contents(&sandbox.path("x"));
    fs::remove_file(sandbox.path("x/skins/block/000001.obj")).unwrap();
    let ended = sandbox.thixo(&["surface", "x"]).expect(0);
    assert!(ended.stderr.contains("1 surface in") && ended.stderr.contains("2 were there"), "{}", ended.stderr);
    assert!(contents(&sandbox.path("x")) == before);
    sandbox.thixo(&["run", "splash.toml", "-o", "x", "--until", "0.01", "--overwrite"]).expect(0);
    assert!(file_names(&sandbox.path("x/skins/block")).is_empty() && file_names(&sandbox.path("x/meshes")).is_empty());
}

#[test]
fn shapes_are_skins_of_their_own_and_a_scene_asks_for_pictures_of_them() {
    let sandbox = Sandbox::new();
    let images = "output.images = { style = \"matte\", size = [64, 36], film = \"none\" }";
    sandbox.write("fall.toml", format!("{images}\n{FALL}skin.shape = {{ cell = 0.05 }}\n"));
    sandbox.thixo(&["run", "fall.toml", "-o", "x"]).expect(0);
    let [first, last] = ["x/skins/block/000000.ply", "x/skins/block/000002.ply"].map(|name| text(&sandbox, name));
    let vertices = |text: &str| text.lines().find(|line| line.starts_with("element vertex")).map(str::to_owned);
    assert!(vertices(&first).is_some() && vertices(&first) == vertices(&last));
    assert_eq!(file_names(&sandbox.path("x/images")), ["000000.png", "000001.png", "000002.png", "look.json"]);
}
