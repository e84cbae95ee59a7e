//! Cases have names, and are found by them.

use super::*;

fn ids(names: &[&str], coarse: bool) -> Vec<&'static str> {
    let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
    select(&names, coarse).unwrap().iter().map(|case| case.id).collect()
}

#[test]
fn a_case_is_selected_with_its_parts_and_no_other() {
    assert_eq!(ids(&["F1"], true), ["F1.2d_coarse", "F1.3d_coarse", "F1.2d_iisph_coarse"]);
    assert_eq!(ids(&["F2"], false), ["F2", "F2.coarse", "F2.pcisph", "F2.iisph", "F2.dfsph"]);
    assert_eq!(ids(&["F2"], true), ["F2.coarse", "F2.iisph_coarse"]);
    assert_eq!(ids(&["F1.2d_coarse", "K1"], false), ["K1", "F1.2d_coarse"]);
    assert!(ids(&["F1"], false).iter().all(|id| id.starts_with("F1.")));
}

#[test]
fn unknown_cases_are_refused() {
    for name in ["F", "f1", "F99", "", "F1.", "F1.4d"] {
        let refusal = select(&[name.to_owned()], false).unwrap_err().to_string();
        assert!(refusal.contains("K1, K2") && !refusal.contains("F1, F1"), "{refusal}");
    }
}

#[test]
fn every_case_has_a_name_of_its_own_and_both_sets_have_every_family() {
    let mut all: Vec<_> = cases().iter().map(|case| case.id).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), cases().len());
    for case in cases() {
        let family = [case.family()];
        assert!(!ids(&family, true).is_empty() && !ids(&family, false).is_empty(), "{family:?}");
    }
}

#[test]
fn a_case_without_result_fails() {
    let case = Case { id: "X1", when: When::Always, title: "", measure: || Err(CaseError::Nothing("no wave came")) };
    let rows = case.run();
    assert_eq!(rows[0].verdict, crate::Verdict::Fail);
    assert_eq!(rows[0].report["problem"], "no wave came");
    assert!(serde_json::to_string(&rows[0]).unwrap().contains("\"measured\":null"));
}
