//! From the text of a scene file to a checked scene, and back.

use std::path::Path;

use crate::document::{Document, Remark, Value};
use crate::meaning::{Finding, findings};
use crate::mesh::Files;
use crate::problem::{Problem, Problems};
use crate::sampling::Lattice;
use crate::wording::plain;
use crate::{Body, BoxShape, Scene, Shape, schema, structure};

impl Scene {
    /// Reads a scene. The text is checked as it is written; then the overrides are applied
    /// (`materials.water.density=900`; elements of lists by their number: `bodies.0.velocity=[0, 1, 0]`), and all
    /// is checked again. `name` is what messages call the text.
    ///
    /// ```
    /// let text = "
    /// [world]
    /// spacing = 0.1
    /// [time]
    /// end = 1.0
    /// [materials.water]
    /// density = 1000.0
    /// [[bodies]]
    /// name = \"drop\"
    /// material = \"water\"
    /// shape.box = { min = [0, 0, 0], max = [1, 1, 1] }
    /// ";
    /// let scene = thixo_scene::Scene::read("drop.toml", text, &["time.end=2.0".into()])?;
    /// assert_eq!(scene.time.end, 2.0);
    /// assert_eq!(scene.estimate().movable(), 1000);
    /// # Ok::<(), thixo_scene::Problems>(())
    /// ```
    pub fn read(name: &str, text: &str, overrides: &[String]) -> Result<Scene, Problems> {
        Scene::read_beside(Path::new(""), name, text, overrides)
    }

    /// The same for a scene that lies in a folder: files that it names are looked for there, and not in the working
    /// folder.
    pub fn read_beside(folder: &Path, name: &str, text: &str, overrides: &[String]) -> Result<Scene, Problems> {
        let files = Files::beside(folder);
        let (mut document, syntax) = Document::parse(name, text);
        fail_on(document.problems(syntax))?;
        if is_empty(&document) {
            let message = "the scene is empty".into();
            return Err(problem(&document, Remark::new(None, message, Some(SMALLEST.into()))));
        }
        let scene = checked(&document, &files)?;
        if overrides.is_empty() {
            return Ok(scene);
        }
        let refused: Vec<_> = overrides.iter().filter_map(|setting| document.set(setting).err()).collect();
        fail_on(document.problems(refused))?;
        checked(&document, &files)
    }

    /// The scene as a file, every default written out: reading it gives the same scene.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    /// What is legal but perhaps not meant, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let bodies = self.bodies.iter().map(|body| (format!("body `{}`", body.name), &body.shape));
        let walls = self.walls.iter().map(|wall| (format!("wall `{}`", wall.name), &wall.shape));
        let roundings = bodies.chain(walls).filter_map(|(owner, shape)| self.rounding(&owner, shape));
        roundings.chain(self.bodies.iter().filter_map(|body| self.thinness(body))).collect()
    }

    /// An elastic box that is but a row of particles.
    fn thinness(&self, body: &Body) -> Option<String> {
        let Shape::Box(shape) = &body.shape else { return None };
        self.materials.get(&body.material)?.elastic.as_ref()?;
        let Lattice { cells, axes, .. } = Lattice::of_box(shape, &self.world);
        let is_row = cells[..axes].iter().filter(|&&cells| cells <= 1).count() + 1 >= axes;
        is_row.then(|| {
            format!(
                "body `{}` is a row of particles: it resists being pulled, but not being bent; with a smaller spacing it \
                 has a volume",
                body.name
            )
        })
    }

    /// A box whose edges are no multiples of the spacing.
    fn rounding(&self, owner: &str, shape: &Shape) -> Option<String> {
        let Shape::Box(shape @ BoxShape { min, max, rounding: 0.0 }) = shape else { return None };
        let size = (self.world.flat(*max) - self.world.flat(*min)).to_array();
        let lattice = Lattice::of_box(shape, &self.world);
        let effective = (lattice.far_corner() - lattice.corner).to_array();
        let axis = (0..3).find(|&axis| (size[axis] - effective[axis]).abs() > 1e-3 * self.world.spacing)?;
        let [x, y, z] = effective.map(|edge| plain((edge * 1e6).round() / 1e6));
        let size = plain((size[axis] * 1e6).round() / 1e6);
        let spacing = plain(self.world.spacing);
        let axis = ["x", "y", "z"][axis];
        Some(format!(
            "{owner} is {size} m in {axis}, which is no multiple of the spacing {spacing} m; it becomes {x} x {y} x {z} m"
        ))
    }
}

/// What an empty file is told.
const SMALLEST: &str = "the smallest scene has `[world]` with `spacing`, `[time]` with `end`, a `[materials.NAME]` with \
                        `density` and a `[[bodies]]` with `name`, `material` and `shape`; `thixo scenes demo` prints one";

fn is_empty(document: &Document) -> bool {
    matches!(&document.root.value, Value::Table(table) if table.is_empty())
}

/// The scene of a document, if nothing is wrong with it.
fn checked(document: &Document, files: &Files) -> Result<Scene, Problems> {
    fail_on(document.problems(structure::remarks(&document.root, schema::shared())))?;
    let scene: Scene = serde_json::from_value(document.root.to_json()).map_err(|error| {
        // The schema comes from the declarations that failed here, so this should not happen.
        problem(document, Remark::new(None, error.to_string(), None))
    })?;
    let scene = Scene { files: files.clone(), ..scene.resolved() };
    let remarks = findings(&scene).into_iter().map(|finding| remark(document, finding));
    fail_on(document.problems(remarks.collect()))?;
    Ok(scene.choose_pressure())
}

/// A finding with its place, and that of what it contradicts.
fn remark(document: &Document, Finding { path, message, help, other }: Finding) -> Remark {
    let help = Some(help).filter(|help| !help.is_empty());
    let other = other.and_then(|path| document.place(&path));
    Remark { other, ..Remark::new(document.place(&path), message, help) }
}

fn problem(document: &Document, remark: Remark) -> Problems {
    Problems::new(document.problems(vec![remark]))
}

fn fail_on(problems: Vec<Problem>) -> Result<(), Problems> {
    if problems.is_empty() { Ok(()) } else { Err(Problems::new(problems)) }
}
