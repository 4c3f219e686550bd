//! The functions that instrumented code calls, as `--sanitize` requests it. They are defined in `runtime-c/check/`,
//! whose header describes them.

use crate::llvm::{Attribute, Function, Module, Place, Type};

/// The prefix of the functions' names.
pub const PREFIX: &str = "offloadrt_check_";
/// The prefix of the names of the constants that these functions receive.
pub const CONSTANTS: &str = "offload.check.";
/// The variable that represents unwritten contents. It exists only between two passes.
pub const UNWRITTEN: &str = "offload.check.unwritten";
/// The module flag of an instrumented module.
const FLAG: &str = "offload.sanitize";

/// The attribute of the functions, which a function of the input does not have.
const OWN: &str = "offload-check";

/// The sizes of accesses, in bytes, that have a function.
pub const SIZES: [u64; 5] = [1, 2, 4, 8, 16];

/// Bits of the third operand of `offloadrt_check_atomic`, and of the first operand of `offloadrt_check_fence`.
pub mod atomic {
    /// The operation reads.
    pub const READS: u64 = 1;
    /// The operation writes.
    pub const WRITES: u64 = 2;
    /// The lowest bit of the scope's number.
    pub const SCOPE: u64 = 4;
    /// The lowest bit of the ordering's number, which is that of C's `memory_order`.
    pub const ORDERING: u64 = 8;
}

/// The type of a parameter.
#[derive(Clone, Copy)]
enum Parameter {
    Pointer,
    U32,
    U64,
}

/// Marks a module as instrumented.
pub fn mark_instrumented(module: &Module<'_>) {
    module.set_flag(FLAG, 1);
}

/// Whether a module is instrumented.
pub fn is_instrumented(module: &Module<'_>) -> bool {
    module.flag(FLAG).is_some()
}

/// Declares the function with this name after the prefix.
///
/// The functions read and write only memory of the runtime, so the optimiser keeps their calls and may still move other
/// accesses around them. They may end the block, so nothing may be moved in front of a call that the call guards.
pub fn function<'c>(module: &Module<'c>, name: &str) -> Function<'c> {
    let symbol = format!("{PREFIX}{name}");
    if let Some(function) = module.function(&symbol) {
        return function;
    }
    let types = module.types();
    let parameters: Vec<Type<'c>> = parameters(name)
        .iter()
        .map(|parameter| match parameter {
            Parameter::Pointer => types.ptr(0),
            Parameter::U32 => types.i32(),
            Parameter::U64 => types.i64(),
        })
        .collect();
    let result = if name == "unwritten" { types.i64() } else { types.void() };
    let function = module.declare(&symbol, result.function(&parameters));
    function.mark("nounwind");
    function.add_attribute(Place::Function, &Attribute::Text(OWN.to_owned(), String::new()));
    // memory(inaccessiblemem: readwrite); with argmem: readwrite, the optimiser assumes nothing about the contents of
    // memory that was just allocated.
    let memory = if name == "allocated" { 15 } else { 12 };
    function.add_attribute(Place::Function, &Attribute::Enum("memory", memory));
    function
}

/// Whether a function was declared by [`function`].
pub fn is_of_checker(function: Function<'_>) -> bool {
    function.text_attribute(Place::Function, OWN).is_some()
}

fn parameters(name: &str) -> &'static [Parameter] {
    use Parameter::{Pointer, U32, U64};
    match name {
        "read_range" | "write_range" => &[Pointer, U64, U64, Pointer],
        "local" => &[Pointer, Pointer, U64, U64, Pointer],
        "atomic" | "atomic_done" => &[Pointer, U32, U32, Pointer],
        "fence" => &[U32],
        "unwritten" => &[Pointer, U64],
        "decision" => &[U32, U32, Pointer],
        "barrier" | "exit" | "start" | "stop" => &[Pointer],
        "warp" => &[U64, Pointer],
        "shuffle" => &[U32, U32, Pointer],
        "block" => &[Pointer, Pointer],
        "thread" => &[U64],
        "allocated" => &[Pointer, U64, U32],
        "freed" => &[Pointer, U64, Pointer],
        _ => &[Pointer, Pointer],
    }
}
