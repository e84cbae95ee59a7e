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
        console::print(HEADER)?;
    }
    let mut rows = Vec::new();
    for (k, case) in cases.iter().enumerate() {
        let Case { id, title, .. } = case;
        console::tell(format_args!("[{}/{}] {id}: {title}", k + 1, cases.len()));
        let found = case.run();
        for row in &found {
            console::print(&if arguments.json { json(row)? } else { line(row) })?;
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

const HEADER: &str = "case                    measured   reference  error     tolerance  verdict        quantity\n";

/// A row of the table that people read.
fn line(row: &Row) -> String {
    let Row { id, quantity, error, tolerance, verdict, report, .. } = row;
    let (measured, reference, word) = (number(row.measured), number(row.reference), verdict.word());
    let problem = report.get("problem").and_then(|problem| problem.as_str());
    let problem = problem.map(|text| format!(": {text}")).unwrap_or_default();
    format!(
        "{id:20}  {measured:>10}  {reference:>10}  {error:<8.2e}  {tolerance:<9.2e}  {word:13}  {quantity}{problem}\n"
    )
}

/// Six digits, as one would write them.
fn number(value: f64) -> String {
    let size = value.abs().log10().floor();
    match value {
        0.0 => "0".to_owned(),
        _ if (-4.0..6.0).contains(&size) => format!("{value:.*}", (5.0 - size) as usize),
        _ => format!("{value:.4e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_failure_is_exit_code_one() {
        let rows = [1.0, 1.5].map(|measured| Row::relative("level [m]", measured, 1.0, 0.02));
        assert!(summary(&rows[..1]).is_ok());
        let failure = summary(&rows).unwrap_err();
        assert_eq!(failure.exit_code(), 1);
        assert!(failure.to_string().starts_with("1 of 2 failed"));
    }

    #[test]
    fn numbers_can_be_read() {
        let written = [0.0, 9810.25, 1.0, 0.00123, -2e-9, f64::NAN].map(number);
        assert_eq!(written, ["0", "9810.25", "1.00000", "0.00123000", "-2.0000e-9", "NaN"]);
    }
}
