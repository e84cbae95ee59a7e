//! The report: one page with the table and the plots, complete in itself.

use std::fmt::Write;

use crate::registry::cases;
use crate::row::{Row, Verdict};
use serde_json::Value;
use thixo_render::plot::{STYLE, escape};

/// The rows as a page of HTML that needs no other file.
pub fn page(rows: &[Row]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let (version, precision) = rows.first().map_or(("", ""), |row| (row.version, row.conditions.precision));
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>thixo: validation</title>\n\
         <style>{STYLE}</style></head><body>\n<h1>Validation</h1>\n\
         <p>thixo {version}, {precision}: {} passed, {} failed as expected, {} failed.</p>\n<table>\n\
         <tr><th>case</th><th>quantity</th><th>measured</th><th>reference</th><th>error</th><th>tolerance</th>\
         <th>verdict</th><th>particles</th><th>steps</th><th>seconds</th></tr>\n",
        count(Verdict::Pass),
        count(Verdict::ExpectedFail),
        count(Verdict::Fail),
    );
    rows.iter().for_each(|row| html += &table_row(row));
    html += "</table>\n";
    for row in rows.iter().filter(|row| row.plot.is_some() || !row.report.is_empty()) {
        let title = cases().iter().find(|case| case.id == row.id).map_or("", |case| case.title);
        let heading = format!("{}: {title}", row.id);
        // Writing into a string cannot fail.
        let _ = writeln!(html, "<h2>{}</h2>\n<p>{}</p>", escape(&heading), escape(&row.quantity));
        if let Some(plot) = &row.plot {
            html += &plot.svg();
        }
        if !row.report.is_empty() {
            let told = format!("{:#}", Value::Object(row.report.clone()));
            let _ = writeln!(html, "<pre>{}</pre>", escape(&told));
        }
    }
    html + "</body></html>\n"
}

fn table_row(row: &Row) -> String {
    let Row { id, quantity, measured, reference, error, tolerance, seconds, .. } = row;
    let (word, conditions) = (row.verdict.word(), &row.conditions);
    format!(
        "<tr><td>{}</td><td>{}</td><td class=\"n\">{measured:.5e}</td><td class=\"n\">{reference:.5e}</td>\
         <td class=\"n\">{error:.2e}</td><td class=\"n\">{tolerance:.2e}</td><td class=\"{word}\">{word}</td>\
         <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{seconds:.1}</td></tr>\n",
        escape(id),
        escape(quantity),
        conditions.particles,
        conditions.steps,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo_render::plot::Plot;

    #[test]
    fn the_page_is_complete_in_itself() {
        let plot = Plot::new("curve", "t [s]", "p [Pa]").line("measured", vec![(0.0, 0.0), (1.0, 1.0)]);
        let row = Row::at_most("p < 1 [Pa]", 2.0, 1.0).reporting("peak", 3.0).plotting(plot);
        let html = page(&[row]);
        assert!(html.contains("p &lt; 1 [Pa]") && html.contains("<svg") && html.contains("peak&quot;: 3.0"));
        assert!(html.contains("0 passed, 0 failed as expected, 1 failed"));
        assert!(!html.contains("http") && !html.contains("src="));
    }
}
