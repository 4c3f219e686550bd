//! The `core::panic::Location` statics of a module: rustc's raw ones, and those whose line is hidden.

use std::collections::HashMap;

use crate::contract::panic_table::SourceLocation;
use crate::llvm::{Module, TypeKind, Value};

/// The size of a `core::panic::Location` in bytes: pointer and length of the file, line, column.
pub const LOCATION_BYTES: u64 = 24;

/// The statics in the order of the module, with the location that each contains.
pub fn source_locations<'c>(module: &Module<'c>) -> Vec<(Value<'c>, SourceLocation)> {
    let mut files = HashMap::new();
    let variables = module.variables().into_iter();
    variables.filter_map(|variable| Some((variable, source_location(variable, &mut files)?))).collect()
}

/// A static with the number of its place, which `lower_panics` has made the last field.
pub struct NumberedLocation<'c> {
    /// The static.
    pub variable: Value<'c>,
    /// The number, from 1.
    pub number: u64,
    /// Its place.
    pub place: SourceLocation,
}

/// The statics with numbers, in the order of the module.
pub fn numbered_locations<'c>(module: &Module<'c>) -> Vec<NumberedLocation<'c>> {
    let mut files = HashMap::new();
    let numbered = |variable: Value<'c>| {
        let fields = fields(variable)?;
        let number = fields.element(fields.element_count().checked_sub(1)?).as_u64()?;
        let place = place(fields, fields.element_count() - 1, &mut files)?;
        Some(NumberedLocation { variable, number, place })
    };
    module.variables().into_iter().filter_map(numbered).collect()
}

/// The location in a static `{ ptr file, [16 x i8] length, line, column }` of rustc's, or in one that `hide_lines` has
/// made, `{ ptr file, [8 x i8] length, i32 line, i32 column }`. The file's name must be a constant with at least this
/// length. `files` has the bytes of the files that are known.
fn source_location<'c>(variable: Value<'c>, files: &mut Files<'c>) -> Option<SourceLocation> {
    let fields = fields(variable)?;
    place(fields, fields.element_count(), files)
}

type Files<'c> = HashMap<Value<'c>, Option<Vec<u8>>>;

/// The fields of a static that may be a location.
fn fields(variable: Value<'_>) -> Option<Value<'_>> {
    if variable.is_declaration() || !variable.is_constant_global() || variable.is_thread_local() {
        return None;
    }
    variable.initializer().filter(|fields| fields.ty().kind() == TypeKind::Struct)
}

/// The location in the first `count` fields.
fn place<'c>(fields: Value<'c>, count: u32, files: &mut Files<'c>) -> Option<SourceLocation> {
    let (length, line, column) = numbers(fields, count)?;
    let file = fields.element(0);
    if !file.is_global_variable() || file.is_declaration() || !file.is_constant_global() {
        return None;
    }
    let text = files.entry(file).or_insert_with(|| file.initializer().and_then(Value::constant_bytes));
    let text = text.as_ref()?.get(..usize::try_from(length).ok()?)?;
    let file = std::str::from_utf8(text).ok().filter(|file| !file.is_empty())?.to_owned();
    Some(SourceLocation { file, line, column })
}

/// The length of the file's name, the line and the column.
fn numbers(fields: Value<'_>, count: u32) -> Option<(u64, u32, u32)> {
    if ![2, 4].contains(&count) || !fields.element(0).ty().is_pointer() {
        return None;
    }
    let bytes = fields.element(1).constant_bytes()?;
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let length = u64::from(word(0)?) | u64::from(word(4)?) << 32;
    match (count, bytes.len()) {
        (2, 16) => Some((length, word(8)?, word(12)?)),
        (4, 8) => Some((length, hidden_number(fields.element(2))?, hidden_number(fields.element(3))?)),
        _ => None,
    }
}

/// The number that a field of a static represents: the field is `ptrtoint (ptr @symbol to i32)`, and the initial value
/// of the symbol is the number.
fn hidden_number(field: Value<'_>) -> Option<u32> {
    let symbol = field.strip_constant_casts();
    let number = if symbol.is_global_variable() && symbol != field { symbol.initializer() } else { None }?;
    u32::try_from(number.as_u64()?).ok()
}
