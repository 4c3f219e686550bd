//! Gives the constants that a program sets (`late_const!` of the `offload` crate) their values in the code.
//!
//! A constant is two statics of a device: the value, and the number that is 1 once a kernel of the crate has written
//! the value. Here both get the values that they have after that kernel, which then writes nothing. The optimiser may
//! have split statics before. If one of the statics of a constant is not whole, the constant stays in memory, where the
//! kernel of the crate writes it.

use crate::analysis::reach::Reach;
use crate::contract::specialization::{LateConstant, LatePlace, SpecializeOptions};
use crate::llvm::{Module, Value};
use crate::rust_std::demangle::demangle;

/// The ends of the statics' paths: of the value, and of the number. Their last names are the device contract's; any
/// crate may define the functions around them.
const ENDS: [&str; 2] = ["::value::__OFFLOAD_LATE", "::is_written::__OFFLOAD_IS_WRITTEN"];
/// A part of the name of each of these statics, also where it is mangled.
const MARK: &str = "__OFFLOAD_";

/// Whether a variable is a static of such a constant, or a part of one.
pub fn is_of_late_constant(variable: Value<'_>) -> bool {
    let name = variable.name();
    name.contains(MARK) && ENDS.iter().any(|end| demangle(whole(&name)).ends_with(end))
}

/// Sets the values.
pub fn fold_late_constants(module: &Module<'_>, options: &SpecializeOptions) {
    let mut in_memory = Vec::new();
    for LateConstant { place, bytes } in &options.constants {
        let variables = statics(module, place);
        // Two blocks of a function, or two versions of a crate, may have constants of the same path. It is unknown
        // which of them is meant.
        let find = |end: &str| {
            let mut found = variables.iter().filter(|(name, _)| name.ends_with(end)).map(|(_, variable)| *variable);
            found.next().filter(|_| found.next().is_none())
        };
        let size = bytes.len() as u64;
        let value = find(ENDS[0]).filter(|value| value.value_type().alloc_size(module) == size);
        let Some((value, number)) = value.zip(find(ENDS[1])) else {
            in_memory.extend(variables.iter().map(|(_, variable)| *variable));
            continue;
        };
        replace(module, value, bytes);
        set_written(module, number);
    }
    if options.others_initial {
        let others = named(module.variables()).into_iter().filter(|(_, variable)| !in_memory.contains(variable));
        for (name, variable) in others {
            if name.ends_with(ENDS[0]) {
                variable.set_constant_global(true);
            } else if name.ends_with(ENDS[1]) {
                set_written(module, variable);
            }
        }
    }
}

/// The statics that the place of a constant may mean, with their paths. Those of a constant that has its value are
/// none.
fn statics<'c>(module: &Module<'c>, place: &LatePlace) -> Vec<(String, Value<'c>)> {
    match place {
        LatePlace::Path(path) => {
            let start = format!("<{path} as ");
            let all = named(module.variables()).into_iter();
            all.filter(|(name, _)| name.starts_with(&start)).collect()
        }
        LatePlace::Writer(kernel) => {
            let function = module.function(kernel);
            named(function.map(|function| Reach::new(&[function]).order).unwrap_or_default())
        }
    }
}

/// The variables among these that are statics of constants without a value, with their paths.
fn named(globals: Vec<Value<'_>>) -> Vec<(String, Value<'_>)> {
    let of = |global: &Value<'_>| global.is_global_variable() && !global.is_constant_global();
    let all = globals.into_iter().filter(of).map(|variable| (variable.name(), variable));
    let all = all.filter(|(symbol, _)| symbol.contains(MARK));
    all.map(|(symbol, variable)| (demangle(whole(&symbol)), variable)).collect()
}

/// Marks a constant as written, so that no kernel writes it.
fn set_written<'c>(module: &Module<'c>, number: Value<'c>) {
    match number.value_type().int_width() {
        // LLVM keeps only whether a number is the one or the other of two.
        Some(1) => set(number, number.value_type().constant(1)),
        _ => replace(module, number, &1u32.to_le_bytes()),
    }
}

/// A symbol without the numbers of parts, which LLVM appends when it splits a static, and a part of it again.
fn whole(symbol: &str) -> &str {
    let part = symbol.rsplit_once('.').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    part.map_or(symbol, |(symbol, _)| whole(symbol))
}

fn set<'c>(variable: Value<'c>, value: Value<'c>) {
    variable.set_initializer(Some(value));
    variable.set_constant_global(true);
}

/// Replaces a variable by a constant of these bytes.
fn replace<'c>(module: &Module<'c>, variable: Value<'c>, bytes: &[u8]) {
    let name = variable.name();
    variable.set_name("");
    let constant = module.add_bytes(&name, bytes);
    constant.set_constant_global(true);
    constant.set_linkage(variable.linkage());
    constant.set_alignment(variable.alignment().max(variable.value_type().alignment(module)));
    variable.replace_all_uses_with(constant);
    variable.erase_global();
}
