//! Skins that cannot follow their bodies.

use glam::DVec3;

use super::{Finding, finding};
use crate::document::Path;
use crate::near::Near;
use crate::sampling::{BodySample, Fill, Samples};
use crate::skin::{CELLS, FARTHEST, Skin};
use crate::wording::plain;
use crate::{Body, Description, Mesh};

/// There are `samples` if the shapes of the scene are sound.
pub(super) fn findings(scene: &Description, samples: Option<&Samples>, found: &mut Vec<Finding>) {
    for (k, body) in scene.bodies.iter().enumerate() {
        let Some(skin) = &body.skin else { continue };
        let path = Path::default().key("bodies").index(k).key("skin");
        let before = found.len();
        general(scene, body, &path, found);
        match skin {
            Skin::Shape(shape) => {
                let cell = shape.cell.unwrap_or(0.5 * scene.world.spacing);
                let [finest, coarsest] = CELLS.map(|cell| rounded(cell * scene.world.spacing));
                if !(finest..=coarsest).contains(&cell) {
                    let message = format!(
                        "the skin of body `{}` has cells of {} m, which do not suit its particles",
                        body.name,
                        plain(cell)
                    );
                    let help = format!("choose them between {} and {}", plain(finest), plain(coarsest));
                    found.push(finding(path.key("shape").key("cell"), message, help));
                }
                if body.fill != Fill::Volume {
                    let message = format!("the shape of body `{}` is not filled, so it has no skin", body.name);
                    found.push(finding(path.key("shape"), message, "give it a `skin.mesh`"));
                }
            }
            Skin::Mesh(mesh) => {
                let sample = samples.filter(|_| found.len() == before).and_then(|samples| samples.bodies.get(k));
                found.extend(file(scene, body, mesh, &path.key("mesh"), sample));
            }
        }
    }
}

fn general(scene: &Description, body: &Body, path: &Path, found: &mut Vec<Finding>) {
    let name = &body.name;
    if scene.is_fluid(body) {
        let message = format!("body `{name}` has a skin, but its material `{}` is a fluid", body.material);
        found.push(finding(path.clone(), message, "what flows has no shape to follow; leave `skin` out"));
    }
    if scene.world.dimension == 2 {
        let message = format!("body `{name}` has a skin, but lies in a plane");
        found.push(finding(path.clone(), message, "leave `skin` out, or make it a 3D scene"));
    }
    if scene.world.periodic.axes() != [None; 3] {
        let message = format!("body `{name}` has a skin, but space repeats itself, and would cut it");
        found.push(finding(path.clone(), message, "leave `skin` or `periodic` out"));
    }
}

/// As a message can bear it.
fn rounded(length: f64) -> f64 {
    (length * 1e6).round() / 1e6
}

/// A file that can be read, with vertices where the body is.
fn file(scene: &Description, body: &Body, mesh: &Mesh, path: &Path, sample: Option<&BodySample>) -> Option<Finding> {
    if mesh.turn().is_none() {
        let path = path.key("rotation").key("axis");
        return Some(finding(path, "the axis is zero".into(), "`[0, 0, 1]` is along z"));
    }
    let file = match scene.skin_file(body)? {
        Ok(file) => file,
        Err(cause) => {
            let message = format!("the mesh `{}` cannot be used: {cause}", mesh.file);
            return Some(finding(path.key("file"), message, "meshes are looked for in the folder of the scene"));
        }
    };
    let near = Near::of(sample?.at_rest(), FARTHEST * scene.world.spacing);
    let vertices = file.vertices();
    let is_far = |vertex: &[f64; 3]| !near.has_any(DVec3::from_array(*vertex));
    let count = vertices.iter().filter(|vertex| is_far(vertex)).count();
    let [x, y, z] = vertices.iter().find(|vertex| is_far(vertex))?.map(|x| plain(rounded(x)));
    let message = format!(
        "{count} of {} vertices of `{}` are farther than {} m from every particle of `{}`, the first at [{x}, {y}, {z}]",
        vertices.len(),
        mesh.file,
        plain(rounded(FARTHEST * scene.world.spacing)),
        body.name
    );
    Some(finding(
        path.key("file"),
        message,
        "a skin lies around its body: look at `scale`, `rotation` and `translation`",
    ))
}
