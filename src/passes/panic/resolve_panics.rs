//! Determines the text and the location of each reported panic, and replaces them by numbers.
//!
//! Before: inlining is done, so a text is a constant, or a phi of constants. After: there is no `__offload_panic_text`
//! and no text on the device. Of the locations, only those remain that are passed to functions which are not inlined.

use std::collections::HashSet;

use super::lower_panics::{PIECES_SHIFT, TextForm};
use super::number_panics::Numbering;
use crate::analysis::source_locations::LOCATION_BYTES;
use crate::contract::builtin::{PANIC, PANIC_TEXT};
use crate::contract::panic_table::PanicTable;
use crate::llvm::{Builder, Module, Opcode, Type, TypeKind, Value};
use crate::rust_std::format_template::literal_pieces;

/// Resolves every reported panic. Texts are added to `table`.
pub fn resolve_panics(module: &Module<'_>, table: &mut PanicTable, numbering: Numbering) {
    if let Some(function) = module.function(PANIC_TEXT) {
        for call in function.calls().into_iter().rev() {
            resolve_text(module, call, table, numbering);
        }
        function.erase_global();
    }
    let Some(panic) = module.function(PANIC) else { return };
    for call in panic.calls().into_iter().rev() {
        let place = call.arguments()[1];
        if let Some(number) = number_of_place(place, &mut HashSet::new()).filter(|number| *number != place) {
            call.set_operand(1, number);
            erase_if_unused(place);
        }
    }
    erase_unused_constants(module);
}

/// The number of a location, without the load from one of several `Location`s.
fn number_of_place<'c>(value: Value<'c>, seen: &mut HashSet<Value<'c>>) -> Option<Value<'c>> {
    if value.is_constant() {
        return Some(value);
    }
    if !value.is_instruction() || !seen.insert(value) {
        return None;
    }
    match value.opcode() {
        Opcode::Load => {
            let field = value.operand(0);
            let is_field = field.is(Opcode::GetElementPtr) && field.operand(1).as_u64() == Some(LOCATION_BYTES);
            location_number(if is_field { field.operand(0) } else { field }, value.ty(), seen)
        }
        Opcode::Phi => merge(value, value.ty(), |incoming| number_of_place(incoming, seen)),
        _ => None,
    }
}

/// The number that is stored in a `Location`.
fn location_number<'c>(location: Value<'c>, number: Type<'c>, seen: &mut HashSet<Value<'c>>) -> Option<Value<'c>> {
    if location.is_constant() {
        let place = location.strip_constant_casts();
        let fields = if place.is_global_variable() { place.initializer() } else { None }?;
        // The number is the last field, after those of a raw location or of one with hidden lines.
        let count = fields.element_count();
        return [3, 5].contains(&count).then(|| fields.element(count - 1));
    }
    if location.is(Opcode::GetElementPtr) && location.operand(1).as_u64() == Some(LOCATION_BYTES) {
        return location_number(location.operand(0), number, seen);
    }
    if !location.is_instruction() || !seen.insert(location) {
        return None;
    }
    if location.is(Opcode::Select) {
        let [then, or_else] = [1, 2].map(|at| location_number(location.operand(at), number, seen));
        return Some(Builder::before(location).select(location.operand(0), then?, or_else?, ""));
    }
    location.is(Opcode::Phi).then(|| merge(location, number, |incoming| location_number(incoming, number, seen)))?
}

/// A phi with the same incoming blocks as `phi`, of the results of `give` for its values.
fn merge<'c>(phi: Value<'c>, ty: Type<'c>, mut give: impl FnMut(Value<'c>) -> Option<Value<'c>>) -> Option<Value<'c>> {
    let mut numbers = Vec::new();
    for (value, block) in phi.incoming() {
        numbers.push((give(value)?, block));
    }
    let merged = Builder::before(phi).phi(ty, "");
    numbers.into_iter().for_each(|(number, block)| merged.add_incoming(number, block));
    Some(merged)
}

/// Erases an unused instruction, and then its operands if they become unused.
fn erase_if_unused(value: Value<'_>) {
    let pure = [Opcode::Load, Opcode::Phi, Opcode::GetElementPtr, Opcode::Select];
    if !value.is_instruction() || value.is_used() || !pure.contains(&value.opcode()) {
        return;
    }
    let operands = value.operands();
    value.erase();
    operands.into_iter().collect::<HashSet<_>>().into_iter().for_each(erase_if_unused);
}

/// Erases the constants that only panics used: first locations, then their files.
fn erase_unused_constants(module: &Module<'_>) {
    let unused = |v: &Value<'_>| v.is_constant_global() && !v.is_used() && v.has_local_linkage();
    for _ in 0..2 {
        module.variables().into_iter().filter(unused).for_each(Value::erase_global);
    }
}

/// Replaces the text of a panic by a number.
fn resolve_text<'c>(module: &Module<'c>, call: Value<'c>, table: &mut PanicTable, numbering: Numbering) {
    let arguments = call.arguments();
    let [before, text, length, form, place] = arguments[..] else { return };
    let form = form.as_u64().and_then(TextForm::from_number).unwrap_or(TextForm::Plain);
    let mut texts = Texts { table, number: before.ty(), form };
    let number = texts.number_of(text, length, &mut HashSet::new()).unwrap_or(before.ty().zero());
    let builder = Builder::before(call);
    let i64 = length.ty();
    let (message, operand) = match before.as_u64() {
        Some(0) => (number, i64.zero()),
        _ => (before, builder.cast(Opcode::ZExt, numbering.message(module, &builder, number), i64, "")),
    };
    let parameters = [before.ty(), before.ty(), i64, i64, i64];
    let panic = module.declare(PANIC, module.types().void().function(&parameters));
    builder.call(panic, &[message, place, operand, i64.zero(), i64.zero()], "");
    call.erase();
}

/// Assigns numbers to texts.
struct Texts<'t, 'c> {
    table: &'t mut PanicTable,
    /// The type of a number.
    number: Type<'c>,
    form: TextForm,
}

impl<'c> Texts<'_, 'c> {
    /// The number of a text; none if the text is unknown at compile time.
    fn number_of(&mut self, text: Value<'c>, length: Value<'c>, seen: &mut HashSet<Value<'c>>) -> Option<Value<'c>> {
        let length = if length.is(Opcode::PtrToInt) { length.operand(0) } else { length };
        if text.is_constant() {
            let text = self.read(text, number_in(length))?;
            return Some(self.number.constant(self.table.message(&text).into()));
        }
        if !text.is_instruction() || !seen.insert(text) {
            return None;
        }
        if text.is(Opcode::Select) {
            let same = length.is(Opcode::Select) && length.operand(0) == text.operand(0);
            let length_of = |at| if same { length.operand(at) } else { length };
            let [then, or_else] = [1, 2].map(|at| self.number_of(text.operand(at), length_of(at), seen));
            return Some(Builder::before(text).select(text.operand(0), then?, or_else?, ""));
        }
        if !text.is(Opcode::Phi) {
            return None;
        }
        let same = length.is(Opcode::Phi) && length.block() == text.block();
        let lengths = if same { length.incoming() } else { Vec::new() };
        let mut numbers = Vec::new();
        for (text, block) in text.incoming() {
            let length = lengths.iter().find(|(_, from)| *from == block).map_or(length, |(length, _)| *length);
            numbers.push((self.number_of(text, length, seen)?, block));
        }
        let phi = Builder::before(text).phi(self.number, "");
        numbers.into_iter().for_each(|(number, block)| phi.add_incoming(number, block));
        Some(phi)
    }

    /// The text in a constant.
    fn read(&self, text: Value<'c>, length: Option<u64>) -> Option<String> {
        if !text.is_global_variable() || text.is_declaration() || !text.is_constant_global() {
            return None;
        }
        let (length, initializer) = (length?, text.initializer()?);
        if self.form == TextForm::Pieces {
            return joined_pieces(initializer, length >> PIECES_SHIFT, length & ((1 << PIECES_SHIFT) - 1));
        }
        let bytes = initializer.constant_bytes()?;
        let plain =
            |length: u64| Some(std::str::from_utf8(bytes.get(..usize::try_from(length).ok()?)?).ok()?.to_owned());
        match length {
            length if self.form == TextForm::Plain => plain(length),
            length if length & 1 == 1 => plain(length >> 1),
            _ => literal_pieces(&bytes).or_else(|| plain(bytes.len() as u64)),
        }
    }
}

/// The text of a `[&str]`, which rustc writes as `{ ptr, [8 x i8], ptr, [8 x i8], ... }`. `{}` is inserted between the
/// pieces, and after the last one if there are as many values as pieces.
fn joined_pieces(strings: Value<'_>, pieces: u64, values: u64) -> Option<String> {
    let mut text = String::new();
    for piece in 0..u32::try_from(pieces).ok()? {
        let length = field(strings, 2 * piece + 1)?.constant_bytes()?;
        let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
        if length > 0 {
            let literal = field(strings, 2 * piece).filter(|literal| literal.is_global_variable())?;
            let bytes = literal.initializer()?.constant_bytes()?;
            text += std::str::from_utf8(bytes.get(..length)?).ok()?;
        }
        if piece + 1 < u32::try_from(pieces).ok()? || values >= pieces {
            text += "{}";
        }
    }
    Some(text)
}

/// A field of a constant struct.
fn field(fields: Value<'_>, index: u32) -> Option<Value<'_>> {
    let is_struct = fields.ty().kind() == TypeKind::Struct;
    (is_struct && index < fields.element_count()).then(|| fields.element(index))
}

/// The number in an integer, or in a pointer made from one.
fn number_in(constant: Value<'_>) -> Option<u64> {
    let from_number = constant.constant_opcode() == Some(Opcode::IntToPtr);
    let number = if from_number { constant.operand(0) } else { constant };
    number.as_u64().or_else(|| (number.is_constant() && number.is_null()).then_some(0))
}
