//! Hides the lines and columns of `core::panic::Location` statics from the optimiser, so that device code does not
//! depend on them unless the source reads them.
//!
//! A line that is inserted above a kernel changes the lines of all panics. Panics refer to their location by a number,
//! so the code and its key in the cache remain the same. Only `Location::line` and `Location::column` read the fields
//! themselves. The optimiser would fold these reads, and then nothing would show that the code contains a line. The
//! fields are therefore addresses of symbols until `restore_lines`, which finds the reads that remain.

use crate::analysis::source_locations::source_locations;
use crate::contract::symbols::HIDDEN_NUMBERS;
use crate::llvm::{Linkage, Module, Opcode, Type, Value};

/// Replaces each location by a `static struct { ptr file; u8 length[8]; uint32_t line, column; }` with hidden numbers.
pub fn hide_lines(module: &Module<'_>) {
    let (types, i32) = (module.types(), module.types().i32());
    for (variable, place) in source_locations(module) {
        let Some(location) = variable.initializer().filter(|location| location.element_count() == 2) else { continue };
        let length = location.element(1).constant_bytes().expect("a place was read from it");
        let length: Vec<_> = length[..8].iter().map(|byte| types.i8().constant((*byte).into())).collect();
        let length = types.i8().constant_array(&length);
        let [line, column] = [place.line, place.column].map(|number| hidden(module, i32, number));
        let fields = [location.element(0), length, line, column];
        let _hiding = replace_location(module, variable, &fields);
    }
}

/// Replaces the static of a location by one with these fields. A constant of the user's may look like a location, so
/// the static keeps the properties that code may rely on: its section, its alignment, and whether its address is
/// significant.
pub(super) fn replace_location<'c>(module: &Module<'c>, variable: Value<'c>, fields: &[Value<'c>]) -> Value<'c> {
    let name = variable.name();
    variable.set_name("");
    let new = new_location(module, &name, variable, fields);
    variable.replace_all_uses_with(new);
    variable.erase_global();
    new
}

/// A static like that of a numbered location, with another number.
pub(super) fn copy_location<'c>(module: &Module<'c>, variable: Value<'c>, number: u32) -> Value<'c> {
    let location = variable.initializer().expect("a place was read from it");
    let mut fields: Vec<_> = (0..location.element_count()).map(|at| location.element(at)).collect();
    let last = fields.last_mut().expect("a location has fields");
    *last = last.ty().constant(number.into());
    new_location(module, &variable.name(), variable, &fields)
}

/// A static with these fields and the properties of `old`.
fn new_location<'c>(module: &Module<'c>, name: &str, old: Value<'c>, fields: &[Value<'c>]) -> Value<'c> {
    let types: Vec<_> = fields.iter().map(|field| field.ty()).collect();
    let ty = module.types().structure(&types);
    let new = module.add_variable(name, ty, 0);
    new.set_initializer(Some(ty.structure_constant(fields)));
    new.set_constant_global(true);
    new.set_linkage(Linkage::Internal);
    new.set_alignment(old.alignment().max(8));
    new.set_section(&old.section());
    if old.has_unnamed_address() {
        new.set_unnamed_address();
    }
    new
}

/// The address of a new symbol, as a number. The symbol is not constant, so the optimiser does not use its initial
/// value, which is the number that it represents. Its address has no meaning, so the optimiser assumes nothing about
/// two of them.
fn hidden<'c>(module: &Module<'c>, i32: Type<'c>, number: u32) -> Value<'c> {
    let symbol = module.add_variable("offload.number", i32, 0);
    symbol.set_section(HIDDEN_NUMBERS);
    symbol.set_initializer(Some(i32.constant(number.into())));
    symbol.set_linkage(Linkage::Internal);
    symbol.set_unnamed_address();
    symbol.set_alignment(1);
    symbol.constant_address(i32)
}

/// Puts the numbers back. Returns whether code or data contained one of them.
pub fn restore_lines(module: &Module<'_>) -> bool {
    let mut depends = false;
    for symbol in module.variables().into_iter().filter(|variable| variable.section() == HIDDEN_NUMBERS) {
        symbol.remove_dead_constants();
        if symbol.is_used() {
            depends = true;
            restore(symbol);
        }
        symbol.erase_global();
    }
    depends
}

/// Makes every user of a symbol use its number.
fn restore(symbol: Value<'_>) {
    let number = symbol.initializer().expect("it was made with a number");
    for user in symbol.users() {
        let as_number = user.constant_opcode() == Some(Opcode::PtrToInt);
        if let Some(bits) = user.ty().int_width().filter(|_| as_number) {
            let mask = u64::MAX >> 64_u32.saturating_sub(bits);
            user.replace_all_uses_with(user.ty().constant(number.as_u64().unwrap_or_default() & mask));
        }
    }
    symbol.remove_dead_constants();
    if symbol.is_used() {
        symbol.replace_all_uses_with(number.constant_pointer(symbol.ty()));
    }
}
