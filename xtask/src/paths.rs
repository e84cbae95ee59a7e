//! Prose that names paths rots: every path that the documents name must exist.

use std::fs;
use std::path::Path;

use crate::Outcome;

const DOCUMENTS: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// Folders a path in a document may start with.
const ROOTS: [&str; 7] = ["crates/", "scenes/", "docs/", "xtask/", "validation/", ".ci/", ".cargo/"];

/// Checks the documents at the top and in `docs/`.
pub(crate) fn check(root: &Path) -> Outcome {
    let mut documents: Vec<_> = DOCUMENTS.iter().map(|name| root.join(name)).collect();
    let entries = fs::read_dir(root.join("docs")).map_err(|error| format!("paths: cannot list docs/: {error}"))?;
    documents
        .extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some("md".as_ref())));
    let mut missing = Vec::new();
    for document in &documents {
        let text = fs::read_to_string(document).map_err(|error| format!("paths: {}: {error}", document.display()))?;
        for path in named_paths(&text) {
            if !root.join(path).exists() {
                missing.push(format!("{} names `{path}`", document.display()));
            }
        }
    }
    println!("xtask: paths named in {} documents", documents.len());
    if missing.is_empty() { Ok(()) } else { Err(format!("paths that do not exist:\n  {}", missing.join("\n  "))) }
}

/// Paths between backticks or in links, without those that hold placeholders.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(['`', '(', ')', ' ', '\n', '"'])
        .filter(|word| ROOTS.iter().any(|root| word.starts_with(root)))
        .map(|word| word.trim_end_matches(['.', ',', ':', ';']))
        .map(|word| word.split('#').next().unwrap_or(word))
        .filter(|word| !word.contains(['*', '<', '{']))
}

#[cfg(test)]
mod tests {
    use super::named_paths;

    #[test]
    fn paths_are_found_in_prose_and_links() {
        let text = "See `crates/sim/src/step.rs`, [the book](docs/step.md#top) and scenes/*.toml.";
        assert_eq!(named_paths(text).collect::<Vec<_>>(), ["crates/sim/src/step.rs", "docs/step.md"]);
    }
}
