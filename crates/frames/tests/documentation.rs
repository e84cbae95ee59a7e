//! What `docs/frame-format.md` says is what the program does.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thixo_sim::{Particles, Whose};

fn repository_file(path: &str) -> io::Result<String> {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Ok(fs::read_to_string(root.join(path))?.replace("\r\n", "\n"))
}

#[test]
fn documented_reader_is_the_tested_one() {
    let documentation = repository_file("docs/frame-format.md").unwrap();
    let reader = repository_file("crates/frames/python/read_frame.py").unwrap();
    assert!(
        documentation.contains(&format!("```python\n{reader}```\n")),
        "copy read_frame.py into docs/frame-format.md"
    );
}

#[test]
fn reader_is_at_most_twenty_lines_of_code() {
    let reader = repository_file("crates/frames/python/read_frame.py").unwrap();
    let code = reader.split("\"\"\"").nth(2).unwrap();
    let lines = code.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#')).count();
    assert!(lines <= 20, "{lines} lines");
}

#[test]
fn every_column_is_documented_with_its_unit() {
    let documentation = repository_file("docs/frame-format.md").unwrap();
    for column in Particles::COLUMNS.iter().filter(|column| column.whose == Whose::All) {
        let row = documentation.lines().find(|line| line.starts_with(&format!("| `{}` |", column.name)));
        let row = row.unwrap_or_else(|| panic!("column `{}` is missing in docs/frame-format.md", column.name));
        assert_eq!(row.split('|').nth(3).map(str::trim), Some(column.unit), "unit of `{}`", column.name);
    }
}
