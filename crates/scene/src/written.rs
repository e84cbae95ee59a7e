//! A scene as it is written: a text and what the command line changes in it. Nothing is chosen or resolved yet.

use std::path::Path;

use crate::document::{Document, Node, Remark, Value};
use crate::meaning::{Finding, Meaning};
use crate::mesh::Files;
use crate::problem::{Problem, Problems};
use crate::{Description, Filling, Scene, schema, structure};

/// A scene as it is written. All that can be done with it is to [check](WrittenScene::check) it.
#[derive(Debug)]
pub struct WrittenScene {
    document: Document,
    files: Files,
    tell: fn(&Filling<'_>),
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
        Ok(WrittenScene { document, files: Files::default(), tell: |_| {} })
    }

    /// The same scene in a folder: files that it names are looked for there, and not in the working folder.
    #[must_use]
    pub fn beside(self, folder: &Path) -> WrittenScene {
        WrittenScene { files: Files::beside(folder), ..self }
    }

    /// The same scene for somebody who wants to know of each body before it is filled: large ones take a while.
    #[must_use]
    pub fn telling(self, tell: fn(&Filling<'_>)) -> WrittenScene {
        WrittenScene { tell, ..self }
    }

    /// The scene that is meant. The text is checked as it is written; then the overrides are applied
    /// (`materials.water.density=900`; elements of lists by their name or number: `bodies.pool.velocity=[0, 1, 0]`),
    /// and all is checked again.
    pub fn check(mut self, overrides: &[String]) -> Result<Scene, Problems> {
        let scene = self.checked().map_err(|remarks| self.problems(remarks))?;
        if overrides.is_empty() {
            return Ok(scene);
        }
        drop(scene);
        let mut refused: Vec<_> = overrides.iter().filter_map(|setting| self.document.set(setting).err()).collect();
        refused.extend(self.document.unused());
        match self.checked() {
            Ok(scene) if refused.is_empty() => Ok(scene),
            Ok(_) => Err(self.problems(refused)),
            Err(remarks) => Err(self.problems(refused.into_iter().chain(remarks).collect())),
        }
    }

    /// The scene of the document as it is now, or everything that is wrong with it.
    fn checked(&self) -> Result<Scene, Vec<Remark>> {
        let document = &self.document;
        let remarks = structure::remarks(&document.root, schema::shared());
        if !remarks.is_empty() {
            return Err(remarks.into_iter().chain(self.findings_beyond_keys()).collect());
        }
        // The schema comes from the declarations that read it, so this should not fail.
        let description =
            self.description(&document.root).map_err(|error| vec![Remark::new(None, error.to_string(), None)])?;
        Scene::new(description, self.tell)
            .map_err(|findings| findings.into_iter().map(|finding| remark(document, finding)).collect())
    }

    /// What would still be wrong if keys and values were mended.
    fn findings_beyond_keys(&self) -> Vec<Remark> {
        let mended = structure::mended(&self.document.root, schema::shared());
        let mut document = self.document.clone();
        document.root = mended.root.clone();
        let Ok(description) = self.description(&mended.root) else { return Vec::new() };
        let findings = Meaning::of_mended(&description.with_defaults(), &mended);
        findings.into_iter().map(|finding| remark(&document, finding)).collect()
    }

    fn description(&self, root: &Node) -> serde_json::Result<Description> {
        let description: Description = serde_json::from_value(root.to_json())?;
        Ok(Description { files: self.files.clone(), ..description })
    }

    fn problems(&self, remarks: Vec<Remark>) -> Problems {
        Problems::new(self.document.problems(remarks))
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
