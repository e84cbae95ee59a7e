//! The coarse set, as `thixo validate --coarse` runs it.

#![allow(clippy::unwrap_used, reason = "what helps the tests may fail them")]

use thixo_validation::{Row, Verdict, page, select};

#[test]
fn the_coarse_set_passes() {
    let rows: Vec<Row> = select(&[], true).unwrap().iter().flat_map(|case| case.run()).collect();
    for row in &rows {
        let Row { id, quantity, measured, reference, error, tolerance, verdict, seconds, .. } = row;
        println!("{id} {quantity}: {measured} {reference}, {error:.2e} {tolerance:.2e} {verdict:?} {seconds:.1} s");
    }
    let failed: Vec<_> = rows.iter().filter(|row| row.verdict == Verdict::Fail).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(page(&rows).contains("<svg"));
}
