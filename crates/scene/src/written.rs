//! A scene as it is written: a text and what the command line changes in it. Nothing is chosen or resolved yet.

use std::path::Path;

use crate::document::{Document, Remark, Value};
use crate::meaning::Finding;
use crate::mesh::Files;
use crate::problem::{Problem, Problems};
use crate::{Description, Scene, schema, structure};

/// A scene as it is written. All that can be done with it is to [check](WrittenScene::check) it.
#[derive(Debug)]
pub struct WrittenScene {
    document: Document,
    files: Files,
}

impl WrittenScene {
    /// Reads a text that is TOML, and not empty. `name` is what messages call it.
    pub fn parse(name: &str, text: &str) -> Result<WrittenScene, Problems> {
        let (document, syntax) = Document::parse(name, text);
        fail_on(document.problems(syntax))?;
        if is_empty(&document) {
            let message = "the scene is empty".into();
            return Err(problem(&document, Remark::new(None, message, Some(SMALLEST.into()))));
        }
        Ok(WrittenScene { document, files: Files::default() })
    }

    /// The same scene in a folder: files that it names are looked for there, and not in the working folder.
    #[must_use]
    pub fn beside(self, folder: &Path) -> WrittenScene {
        WrittenScene { files: Files::beside(folder), ..self }
    }

    /// The scene that is meant. The text is checked as it is written; then the overrides are applied
    /// (`materials.water.density=900`; elements of lists by their number: `bodies.0.velocity=[0, 1, 0]`), and all
    /// is checked again.
    pub fn check(mut self, overrides: &[String]) -> Result<Scene, Problems> {
        let scene = self.checked()?;
        if overrides.is_empty() {
            return Ok(scene);
        }
        drop(scene);
        let refused: Vec<_> = overrides.iter().filter_map(|setting| self.document.set(setting).err()).collect();
        fail_on(self.document.problems(refused))?;
        self.checked()
    }

    /// The scene of the document as it is now, if nothing is wrong with it.
    fn checked(&self) -> Result<Scene, Problems> {
        let document = &self.document;
        fail_on(document.problems(structure::remarks(&document.root, schema::shared())))?;
        let description: Description = serde_json::from_value(document.root.to_json()).map_err(|error| {
            // The schema comes from the declarations that failed here, so this should not happen.
            problem(document, Remark::new(None, error.to_string(), None))
        })?;
        let files = self.files.clone();
        Scene::new(Description { files, ..description }).map_err(|findings| {
            let remarks = findings.into_iter().map(|finding| remark(document, finding));
            Problems::new(document.problems(remarks.collect()))
        })
    }
}

/// What an empty file is told.
const SMALLEST: &str = "the smallest scene has `[world]` with `spacing`, `[time]` with `end`, a `[materials.NAME]` with \
                        `density` and a `[[bodies]]` with `name`, `material` and `shape`; `thixo scenes demo` prints one";

fn is_empty(document: &Document) -> bool {
    matches!(&document.root.value, Value::Table(table) if table.is_empty())
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
