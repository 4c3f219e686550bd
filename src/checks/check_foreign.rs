//! Warns where a program promises that a type of another crate has no address (`#[device_copy(unsafe(foreign))]`), and
//! debug information shows one.
//!
//! The derive makes a static for each such field, whose type has the field's type as its parameter. A static cannot use
//! the parameters of a generic type. If the type of the field has one, the static has the names of the struct or enum,
//! of the variant and of the field instead, and debug information has the instances. Without debug information, the
//! instances are unknown.

use crate::contract::builtin::FOREIGN_MARK;
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::llvm::{Module, PointerInType, Value};

/// The end of the name where the static is a text with the names of the type, of an enum's variant, and of the field.
const OF_INSTANCES: &str = "_OF_INSTANCES";

/// Returns a warning for each field, in the order of the module.
pub fn check_foreign(module: &Module<'_>) -> Vec<Diagnostic> {
    let marks = module.variables().into_iter().filter(|variable| variable.name().contains(FOREIGN_MARK));
    marks.filter_map(pointer).map(warning).collect()
}

fn pointer(mark: Value<'_>) -> Option<PointerInType> {
    if !mark.name().contains(OF_INSTANCES) {
        return mark.pointer_in_parameter();
    }
    let text = mark.initializer()?.operands().into_iter().find(|part| part.is_global_variable())?;
    let names = String::from_utf8(text.initializer()?.constant_bytes()?).ok()?;
    let (structure, rest) = names.split_once(' ')?;
    let (variant, field) = rest.split_once(' ').unwrap_or(("", rest));
    mark.pointer_in_field(structure, variant, field)
}

fn warning(found: PointerInType) -> Diagnostic {
    let PointerInType { file, folder, line, name, path } = found;
    let place = if path.is_empty() { "is an address".to_owned() } else { format!("has an address in `{path}`") };
    let message = format!("`{name}` {place}, and the program promises that it has none");
    Diagnostic::coded(Code::ForeignPointer, message)
        .at(Some(Location { file, folder, line, column: 0 }))
        .help("copy the numbers that the kernel needs into fields, and pass memory as a slice")
}
