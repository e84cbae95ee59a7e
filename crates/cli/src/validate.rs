//! `thixo validate`: physics against theory and experiment.

use std::fs;
use std::path::{Path, PathBuf};

use thixo_validation::{Case, Row, Verdict, page, select};

use crate::console;
use crate::failure::{Failure, plain};

/// What `thixo validate` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The cases to run, `F1` or one part of it, `F1.3d`; without any, all
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// Run the small set of the tests: coarser, in a minute
    #[arg(long)]
    coarse: bool,
    /// Print JSON Lines, for programs
    #[arg(long)]
    json: bool,
    /// Write a page with the table and plots of measured curves beside their references
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Runs cases, prints each result as it comes, and fails if any of them did.
pub(crate) fn validate(arguments: &Arguments) -> Result<(), Failure> {
    let cases = select(&arguments.cases, arguments.coarse).map_err(|error| Failure::BadInput(error.to_string()))?;
    // Nobody wants to learn after ten minutes that the page cannot be written.
    arguments.report.iter().try_for_each(|path| write(path, &page(&[])))?;
    if !arguments.json {
        console::print(&format!("{}\n", Line::HEADER))?;
    }
    let mut rows = Vec::new();
    for (k, case) in cases.iter().enumerate() {
        let Case { id, title, .. } = case;
        console::tell(format_args!("[{}/{}] {id}: {title}", k + 1, cases.len()));
        let found = case.run();
        for row in &found {
            console::print(&if arguments.json { json(row)? } else { format!("{}\n", Line(row)) })?;
        }
        rows.extend(found);
    }
    arguments.report.iter().try_for_each(|path| write(path, &page(&rows)))?;
    summary(&rows)
}

fn json(row: &Row) -> Result<String, Failure> {
    let text = serde_json::to_string(row).map_err(|error| Failure::Failed(format!("{}: {error}", row.id)))?;
    Ok(text + "\n")
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text)
        .map_err(|cause| Failure::BadInput(format!("cannot write {}: {}", path.display(), plain(&cause))))
}

fn summary(rows: &[Row]) -> Result<(), Failure> {
    let failed: Vec<_> = rows.iter().filter(|row| row.verdict == Verdict::Fail).collect();
    if failed.is_empty() {
        let expected = rows.iter().filter(|row| row.verdict == Verdict::ExpectedFail).count();
        console::tell(format_args!("{} passed, {expected} failed as expected", rows.len() - expected));
        return Ok(());
    }
    let list: Vec<_> = failed.iter().map(|row| format!("  {}: {}", row.id, row.quantity)).collect();
    Err(Failure::Failed(format!("{} of {} failed:\n{}", failed.len(), rows.len(), list.join("\n"))))
}

/// A row of the table that people read.
struct Line<'a>(&'a Row);

impl Line<'_> {
    const HEADER: &'static str = "case          measured     reference    error     tolerance  verdict        quantity";
}

impl std::fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Row { id, quantity, measured, reference, error, tolerance, verdict, report, .. } = self.0;
        let word = verdict.word();
        write!(
            f,
            "{id:12}  {measured:11.4e}  {reference:11.4e}  {error:8.2e}  {tolerance:9.2e}  {word:13}  {quantity}"
        )?;
        match report.get("problem").and_then(|problem| problem.as_str()) {
            Some(problem) => write!(f, ": {problem}"),
            None => Ok(()),
        }
    }
}
