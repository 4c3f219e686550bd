//! Gives the constants that a program sets (`late_const!` of the `offload` crate) their values in the code.
//!
//! A constant is two statics of a device: the value, and the number that is 1 once a kernel of the crate has written
//! the value. Here both get the values that they have after that kernel, which then writes nothing. The optimiser may
//! have taken statics apart before. A constant whose statics are not both whole keeps its initial value, and the kernel
//! of the crate writes it.

use crate::contract::specialization::LateConstant;
use crate::llvm::{Module, Value};
use crate::rust_std::demangle::demangle;

/// The ends of the statics' paths: of the value, and of the number.
const ENDS: [&str; 2] = ["::value::__OFFLOAD_LATE", "::is_written::__OFFLOAD_IS_WRITTEN"];

/// Sets the values.
pub fn fold_late_constants(module: &Module<'_>, constants: &[LateConstant]) {
    if constants.is_empty() {
        return;
    }
    let variables: Vec<(String, Value<'_>)> =
        module.variables().into_iter().map(|variable| (demangle(whole(&variable.name())), variable)).collect();
    for (place, LateConstant { path, bytes }) in constants.iter().enumerate() {
        // The statics of a constant that has its value are gone.
        if constants[..place].iter().any(|before| before.path == *path) {
            continue;
        }
        // Two blocks of a function, or two versions of a crate, may have constants of the same path. Neither is known
        // to be meant.
        let find = |end: &str| {
            let is = |name: &str| name.starts_with(&format!("<{path} as ")) && name.ends_with(end);
            let mut found = variables.iter().filter(|(name, _)| is(name)).map(|(_, variable)| *variable);
            found.next().filter(|_| found.next().is_none())
        };
        let size = bytes.len() as u64;
        let value = find(ENDS[0]).filter(|value| value.value_type().alloc_size(module) == size);
        let Some((value, number)) = value.zip(find(ENDS[1])) else { continue };
        replace(module, value, bytes);
        match number.value_type().int_width() {
            // LLVM keeps only whether a number is the one or the other of two.
            Some(1) => set(number, number.value_type().constant(1)),
            _ => replace(module, number, &1u32.to_le_bytes()),
        }
    }
}

/// A symbol without the number of a part, which LLVM appends when it takes a static apart.
fn whole(symbol: &str) -> &str {
    let part = symbol.rsplit_once('.').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    part.map_or(symbol, |(symbol, _)| symbol)
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
