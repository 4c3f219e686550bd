//! Lowers panics: a panic becomes a call with numbers, a trap, or nothing.
//!
//! The bodies of panic functions (`panics.rs`) are replaced by new ones that are always inlined. If panics are
//! reported, a body is one of
//!
//! ```text
//! __offload_panic(u32 message, u32 place, u64 operand[3])                        the message is the function's own
//! __offload_panic_text(u32 before, ptr text, u64 length, u8 form, u32 place)     the caller gives the message
//! ```
//!
//! Neither function has a body here. `resolve_panics.rs` replaces texts and locations by numbers after inlining, and
//! `report_panics.rs` defines the calls. A location is a value at run time: each `Location` static receives a further
//! field with its number, so that a location from `#[track_caller]` has one, too. If the location is known, LLVM folds
//! the load. The arguments of formatting are removed from the calls, so that no `Display::fmt` remains reachable.

use std::collections::HashSet;

use super::hide_lines::replace_location;
use super::inline_panic_texts::inline_panic_texts;
use crate::analysis::source_locations::{LOCATION_BYTES, source_locations};
use crate::contract::builtin::{PANIC, PANIC_TEXT};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{DevicePanic, MORE, OPERANDS, PanicTable};
use crate::llvm::{Attribute, Builder, Function, Linkage, Module, Opcode, Place, Type, Value};
use crate::rust_std::demangle::demangle;
use crate::rust_std::owner::path_in_rusts_library;
use crate::rust_std::panic_messages::{ABORTED, ASSERTIONS, Message, message_of};
use crate::rust_std::panics::{is_panic, is_panic_argument, makes_arguments};

/// Lowers the panics of `module`. Returns the table of the panics that are reported.
pub fn lower_panics(module: &Module<'_>, kernels: &KernelSet, mode: DevicePanic) -> PanicTable {
    let functions = panic_functions(module);
    inline_what_makes_arguments(module);
    let mut table = PanicTable::default();
    match mode {
        DevicePanic::Trap => end_with(module, &functions, true),
        DevicePanic::Unreachable => end_with(module, &functions, false),
        DevicePanic::Report => Cut::new(module, &mut table).report(&functions, kernels),
    }
    table
}

/// Replaces the panics of functions that were linked late by traps. No such function is called in order to panic.
pub fn trap_panics(module: &Module<'_>) {
    end_with(module, &panic_functions(module), true);
}

fn panic_functions<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    module.functions().into_iter().filter(|f| is_panic(*f) || is_panic_argument(*f)).collect()
}

/// Inlines the functions that create `fmt::Arguments`, so that the optimiser sees that nothing reads the arguments.
fn inline_what_makes_arguments(module: &Module<'_>) {
    let of_rust = |f: &Function<'_>| path_in_rusts_library(&f.name()).is_some_and(|path| makes_arguments(&path));
    let makes = |f: &Function<'_>| !f.is_declaration() && f.name().contains("fmt") && of_rust(f);
    module.functions().into_iter().filter(makes).for_each(Function::inline_calls);
}

/// Replaces the body of each function by `trap; unreachable`, or by `unreachable` only.
fn end_with(module: &Module<'_>, functions: &[Function<'_>], traps: bool) {
    let trap = module.intrinsic("llvm.trap", &[]);
    for function in functions {
        let builder = new_body(*function);
        if traps {
            builder.call(trap, &[], "");
        }
        builder.unreachable();
    }
    if !trap.is_used() {
        trap.erase_global();
    }
}

fn new_body<'c>(function: Function<'c>) -> Builder<'c> {
    if !function.is_declaration() {
        function.delete_body();
    }
    let builder = Builder::at_end(function.append_block("entry"));
    function.inline_calls();
    function.set_linkage(Linkage::Internal);
    builder
}

/// The form of a panic's text, as a call of [`PANIC_TEXT`] specifies it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextForm {
    /// A `&str`.
    Plain,
    /// The two words of a `fmt::Arguments`.
    Template,
    /// The literal pieces of a `fmt::Arguments` before Rust 1.93. The upper half of the length is the number of pieces,
    /// the lower half the number of values.
    Pieces,
}

impl TextForm {
    /// The form with this number.
    pub(super) fn from_number(number: u64) -> Option<Self> {
        [Self::Plain, Self::Template, Self::Pieces].into_iter().find(|form| *form as u64 == number)
    }
}

/// The position of the number of pieces, in bits.
pub(super) const PIECES_SHIFT: u32 = 32;

/// `read` of the memory of arguments, `errno`, all other memory and the two kinds of a target, and `readwrite` of
/// inaccessible memory.
const READS_ALL: u64 = 0b01_01_01_01_11_01;

/// A module whose panics are reported.
struct Cut<'m, 'c> {
    module: &'m Module<'c>,
    table: &'m mut PanicTable,
    panic: Function<'c>,
    panic_text: Function<'c>,
    /// The `Location` statics, which contain their numbers.
    places: HashSet<Value<'c>>,
}

impl<'m, 'c> Cut<'m, 'c> {
    fn new(module: &'m Module<'c>, table: &'m mut PanicTable) -> Self {
        let types = module.types();
        let (i32, i64) = (types.i32(), types.i64());
        let declare = |name: &str, parameters: &[Type<'c>]| {
            let function = module.declare(name, module.types().void().function(parameters));
            ["cold", "noreturn", "nounwind"].into_iter().for_each(|name| function.mark(name));
            // memory(read, inaccessiblemem: readwrite): after a panic, the host reads all that the thread has stored.
            // Otherwise, LLVM would remove a store before a panic if another store to the same address follows.
            function.add_attribute(Place::Function, &Attribute::Enum("memory", READS_ALL));
            function
        };
        let panic = declare(PANIC, &[i32, i32, i64, i64, i64]);
        let panic_text = declare(PANIC_TEXT, &[i32, module.types().ptr(0), i64, module.types().i8(), i32]);
        Cut { module, table, panic, panic_text, places: HashSet::new() }
    }

    fn report(&mut self, functions: &[Function<'c>], kernels: &KernelSet) {
        self.number_places();
        self.report_traps();
        let mut with_texts = Vec::new();
        // Functions without a call need no message: arguments of messages, and the personality.
        let is_called = |f: &Function<'c>| !is_panic_argument(*f) && !f.function_type().is_vararg();
        let (called, others): (Vec<_>, Vec<_>) = functions.iter().partition(|f| is_called(f));
        end_with(self.module, &others, true);
        for function in &called {
            with_texts.extend(self.rewrite(*function).map(|text| (*function, text)));
        }
        inline_panic_texts(self.module, kernels, with_texts);
        for function in [self.panic, self.panic_text].into_iter().filter(|f| !f.is_used()) {
            function.erase_global();
        }
    }

    /// Adds a field with its number to each `Location`.
    fn number_places(&mut self) {
        for (variable, place) in source_locations(self.module) {
            let number = self.table.add_place(place);
            let number = self.i32(number);
            let location = variable.initializer().expect("a place was read from it");
            let fields = (0..location.element_count()).map(|at| location.element(at)).chain([number]);
            let numbered = replace_location(self.module, variable, &fields.collect::<Vec<_>>());
            self.places.insert(numbered);
        }
    }

    /// Reports an abort without a panic, too.
    fn report_traps(&mut self) {
        for name in ["llvm.trap", "llvm.ubsantrap"] {
            let Some(trap) = self.module.function(name) else { continue };
            for call in trap.calls() {
                let message = self.table.message(ABORTED);
                let builder = Builder::before(call);
                self.call_panic(&builder, self.i32(message), self.i32(0), &[]);
                call.erase();
            }
            if !trap.is_used() {
                trap.erase_global();
            }
        }
    }

    /// Replaces the body of a panic function. Returns the index of the text parameter, if there is one.
    fn rewrite(&mut self, function: Function<'c>) -> Option<usize> {
        let (message, has_place) = message_of(demangle(&function.name()).trim_start_matches('<'), function);
        // Attributes of the parameters no longer hold, and the function must no longer be recognised as a panic
        // function.
        function.set_name(&format!("offload.{}", function.name()));
        self.drop_arguments(function, &message);
        let builder = new_body(function);
        let place = self.place(&builder, function, has_place);
        let parameters = function.parameters();
        let text = match &message {
            Message::Fixed(text, operands) => {
                let operands: Vec<_> = operands.iter().filter_map(|at| parameters.get(*at).copied()).collect();
                let message = self.table.message(text);
                let message = self.i32(message);
                self.call_panic(&builder, message, place, &operands);
                None
            }
            Message::Text => Some((0, self.i32(0), (parameters[0], parameters[1]), TextForm::Plain)),
            Message::Template => {
                Some((0, self.i32(0), (parameters[0], self.as_number(&builder, parameters[1])), TextForm::Template))
            }
            Message::Pieces => Some((0, self.i32(0), self.pieces(&builder, parameters[0]), TextForm::Pieces)),
            &Message::Assertion(at) => {
                let before = self.assertion(&builder, parameters[0]);
                let text = (parameters[at], self.as_number(&builder, parameters[at + 1]));
                Some((at, before, text, TextForm::Template))
            }
            &Message::AssertionPieces(at) => {
                let before = self.assertion(&builder, parameters[0]);
                Some((at, before, self.pieces(&builder, parameters[at]), TextForm::Pieces))
            }
        };
        if let Some((_, before, (text, length), form)) = text {
            let form = self.module.types().i8().constant(form as u64);
            let call = builder.call(self.panic_text, &[before, text, length, form, place], "");
            // Calls with different texts must not be merged.
            call.mark("nomerge");
        }
        builder.unreachable();
        // The address of the pieces is in memory that the caller has written, so it is never a constant argument.
        text.filter(|_| message != Message::Pieces).map(|(at, ..)| at)
    }

    /// The address of the pieces in a `fmt::Arguments`, and one number with the counts of pieces and values.
    ///
    /// ```text
    /// struct Arguments<'a> { pieces: &'a [&'static str], args: &'a [Argument<'a>], fmt: Option<&'a [Placeholder]> } // before 1.93
    /// ```
    fn pieces(&self, builder: &Builder<'c>, arguments: Value<'c>) -> (Value<'c>, Value<'c>) {
        let i64 = self.module.types().i64();
        let load = |ty, at| builder.load(ty, builder.byte_offset(arguments, at, ""), 8, "");
        let pieces = load(arguments.ty(), 0);
        let shifted = builder.binary(Opcode::Shl, load(i64, 8), i64.constant(PIECES_SHIFT.into()), "");
        (pieces, builder.binary(Opcode::Or, shifted, load(i64, 24), ""))
    }

    /// The number of the message of an assertion of this kind.
    fn assertion(&mut self, builder: &Builder<'c>, kind: Value<'c>) -> Value<'c> {
        let texts = ASSERTIONS.map(|operator| format!("assertion `left {operator} right` failed{MORE}"));
        let numbers = texts.map(|text| self.table.message(&text));
        let kind = self.extend(builder, kind, 32);
        // The messages have consecutive numbers.
        builder.add(kind, self.i32(numbers[0]), "")
    }

    /// Removes the arguments that a template formats, because nothing reads them. They become null if the second word
    /// of `fmt::Arguments` is their address, and not a text's length.
    fn drop_arguments(&self, function: Function<'c>, message: &Message) {
        let at = match *message {
            Message::Template => 1,
            Message::Assertion(at) => at + 1,
            _ => return,
        };
        for call in function.calls() {
            let argument = call.arguments()[at];
            if !is_length(argument, &mut HashSet::new()) {
                call.set_operand(at as u32, argument.ty().zero());
            }
        }
    }

    /// The number of the location that a panic function receives.
    fn place(&self, builder: &Builder<'c>, function: Function<'c>, has_place: bool) -> Value<'c> {
        let last = function.parameters().last().copied().filter(|last| last.ty().is_pointer());
        let Some(last) = last else { return self.i32(0) };
        let at = function.parameters().len() - 1;
        let calls = function.calls();
        let is_place = |call: &Value<'c>| self.places.contains(&call.arguments()[at]);
        if !has_place && !calls.iter().all(is_place) {
            return self.i32(0);
        }
        for call in calls {
            let argument = call.arguments()[at];
            if argument.is_constant() && !self.places.contains(&argument) {
                call.set_operand(at as u32, self.no_place());
            }
        }
        let load = builder.load(self.i32(0).ty(), builder.byte_offset(last, LOCATION_BYTES, ""), 4, "");
        load.mark_invariant();
        load
    }

    /// A static with the number for an unknown location.
    fn no_place(&self) -> Value<'c> {
        const NAME: &str = "offload.no_place";
        if let Some(variable) = self.module.variable(NAME) {
            return variable;
        }
        let i64 = self.module.types().i64();
        let variable = self.module.add_variable(NAME, i64.array(LOCATION_BYTES / 8 + 1), 0);
        variable.set_initializer(Some(variable.value_type().zero()));
        variable.set_constant_global(true);
        variable.set_linkage(Linkage::Internal);
        variable
    }

    fn call_panic(&self, builder: &Builder<'c>, message: Value<'c>, place: Value<'c>, operands: &[Value<'c>]) {
        let zero = self.module.types().i64().zero();
        let mut all = [message, place, zero, zero, zero];
        for (slot, operand) in all[5 - OPERANDS..].iter_mut().zip(operands) {
            *slot = self.extend(builder, *operand, 64);
        }
        builder.call(self.panic, &all, "");
    }

    /// An integer with `bits` bits; 0 for a value of another type.
    fn extend(&self, builder: &Builder<'c>, value: Value<'c>, bits: u32) -> Value<'c> {
        let ty = self.module.types().int(bits);
        match value.ty().int_width() {
            Some(width) if width == bits => value,
            Some(width) if width < bits => builder.cast(Opcode::ZExt, value, ty, ""),
            Some(_) => builder.cast(Opcode::Trunc, value, ty, ""),
            None => ty.zero(),
        }
    }

    fn as_number(&self, builder: &Builder<'c>, pointer: Value<'c>) -> Value<'c> {
        builder.cast(Opcode::PtrToInt, pointer, self.module.types().i64(), "")
    }

    fn i32(&self, value: u32) -> Value<'c> {
        self.module.types().i32().constant(value.into())
    }
}

/// Whether the second word of `fmt::Arguments` is `2 * length + 1` of a text, on every control-flow path.
fn is_length<'c>(value: Value<'c>, seen: &mut HashSet<Value<'c>>) -> bool {
    if value.is_constant() {
        return value.is_null() || value.constant_opcode() == Some(Opcode::IntToPtr);
    }
    if !seen.insert(value) {
        return true;
    }
    if value.is(Opcode::Phi) {
        return value.incoming().into_iter().all(|(value, _)| is_length(value, seen));
    }
    value.is(Opcode::Select) && (1..3).all(|at| is_length(value.operand(at), seen))
}
