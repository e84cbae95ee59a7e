//! Source stays in pieces that a reader can hold: files of at most 400 lines, traits of at most eight methods.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;

/// The most lines of a file.
const MOST_LINES: usize = 400;

/// The most methods of a trait.
const MOST_METHODS: usize = 8;

/// Checks the sources of all crates.
pub(crate) fn check(root: &Path) -> Outcome {
    let mut files = Vec::new();
    for folder in ["crates", "validation", "xtask"] {
        collect(&root.join(folder), &mut files).map_err(|error| format!("sizes: cannot list {folder}: {error}"))?;
    }
    let mut faults = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).map_err(|error| format!("sizes: {}: {error}", file.display()))?;
        let lines = text.lines().count();
        if lines > MOST_LINES {
            faults.push(format!("{} has {lines} lines", file.display()));
        }
        let large = traits(&text).filter(|(_, methods)| *methods > MOST_METHODS);
        faults.extend(large.map(|(name, methods)| format!("{}: trait {name} has {methods} methods", file.display())));
    }
    println!("xtask: sizes of {} source files", files.len());
    if faults.is_empty() { Ok(()) } else { Err(format!("too much in one piece:\n  {}", faults.join("\n  "))) }
}

/// All Rust files below a folder, but for what was built.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true if path.file_name() != Some("target".as_ref()) => collect(&path, files)?,
            false if path.extension() == Some("rs".as_ref()) => files.push(path),
            _ => {}
        }
    }
    Ok(())
}

/// The traits of formatted source, each with its number of methods.
fn traits(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut lines = text.lines();
    std::iter::from_fn(move || {
        loop {
            let line = lines.next()?;
            let words: Vec<_> = line.split([' ', ':', '<', '{']).collect();
            let Some(place) = words.iter().position(|word| *word == "trait") else { continue };
            if line.starts_with(' ') || line.trim_start().starts_with("//") || line.ends_with('}') {
                continue;
            }
            let name = words.get(place + 1).copied().unwrap_or_default();
            let methods = lines.by_ref().take_while(|line| *line != "}").filter(|line| line.starts_with("    fn "));
            return Some((name, methods.count()));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{check, fs, traits};

    #[test]
    fn methods_of_traits_are_counted() {
        let text = "/// A trait of sorts.\npub trait One: Send {\n    fn a(&self);\n\n    fn b() {\n        f()\n    }\n}\n\ntrait Two {\n}\n";
        assert_eq!(traits(text).collect::<Vec<_>>(), [("One", 2), ("Two", 0)]);
    }

    #[test]
    fn what_is_too_large_is_named() {
        let root = std::env::temp_dir().join(format!("thixo-sizes-{}", std::process::id()));
        for folder in ["crates/target", "validation", "xtask"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let write = |name: &str, text: String| fs::write(root.join(name), text).unwrap();
        let methods = |count| format!("trait Large {{\n{}}}\n", "    fn f(&self);\n".repeat(count));
        write("crates/long.rs", "\n".repeat(400));
        write("validation/wide.rs", methods(8));
        write("crates/target/built.rs", "\n".repeat(1000));
        assert!(check(&root).is_ok());
        write("crates/long.rs", "\n".repeat(401));
        write("validation/wide.rs", methods(9));
        let told = check(&root).unwrap_err();
        fs::remove_dir_all(&root).unwrap();
        assert!(told.contains("long.rs has 401 lines") && told.contains("trait Large has 9 methods"), "{told}");
    }
}
