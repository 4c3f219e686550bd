//! Tests of the table of work-arounds.

use super::*;
use crate::llvm::Without;

#[test]
fn names_are_those_of_rows() {
    let two = Without::parse("keep_null,codegen_level").unwrap();
    assert_eq!(two.text(), "codegen_level,keep_null");
    assert!(two.lacks("keep_null") && !two.lacks("keep_zero_signs") && !two.lacks("mark_convergent"));
    assert_eq!(Without::from_bytes(two.to_bytes()), two);
    assert_eq!(Without::parse("all").unwrap().names().count(), WORKAROUNDS.len());
    for wrong in ["", "keep_nul", "keep_null,", "none"] {
        assert!(Without::parse(wrong).is_err(), "{wrong}");
    }
    assert!(!Without::default().lacks("keep_null"));
}

#[test]
fn passes_on_machine_code_are_rows() {
    let rows = WORKAROUNDS.iter().filter(|row| row.remedy == MachinePass).map(|row| row.name);
    assert_eq!(rows.collect::<Vec<_>>(), MACHINE_PASSES);
}

#[test]
fn code_between_passes_has_rows() {
    let rows = WORKAROUNDS.iter().filter(|row| matches!(row.remedy, Pipeline(_))).map(|row| row.name);
    let [mut rows, mut listed] = [rows.collect::<Vec<_>>(), PIPELINE_WORKAROUNDS.to_vec()];
    rows.sort_unstable();
    listed.sort_unstable();
    assert_eq!(rows, listed);
}

#[test]
fn each_row_has_a_name_of_its_own() {
    for (at, row) in WORKAROUNDS.iter().enumerate() {
        assert!(WORKAROUNDS[..at].iter().all(|other| other.name != row.name), "{}", row.name);
    }
}
