//! Warns where a program promises that a type of another crate has no address (`#[device_copy(unsafe(foreign))]`), and
//! debug information shows one.
//!
//! The derive makes a static for each such field, whose type has the field's type as its parameter. Without debug
//! information, and for fields of generic structs whose types have a parameter of the struct, nothing is known.

use crate::diagnostics::{Code, Diagnostic, Location};
use crate::llvm::{Module, PointerInType};

/// The name of each of these statics, which is a part of its symbol.
const MARK: &str = "__OFFLOAD_FOREIGN";

/// Returns a warning for each field, in the order of the module.
pub fn check_foreign(module: &Module<'_>) -> Vec<Diagnostic> {
    let marks = module.variables().into_iter().filter(|variable| variable.name().contains(MARK));
    marks.filter_map(|mark| mark.pointer_in_parameter()).map(warning).collect()
}

fn warning(found: PointerInType) -> Diagnostic {
    let PointerInType { file, folder, line, name, path } = found;
    let place = if path.is_empty() { "is an address".to_owned() } else { format!("has an address in `{path}`") };
    let message = format!("`{name}` {place}, and the program promises that it has none");
    Diagnostic::coded(Code::ForeignPointer, message)
        .at(Some(Location { file, folder, line, column: 0 }))
        .help("copy the numbers that the kernel needs into fields, and pass memory as a slice")
}
