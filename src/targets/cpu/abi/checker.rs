//! The parts of an instrumented module that depend on how the CPU runs blocks: the calls of each entry to the
//! checker, and the list of the module's variables.
//!
//! ```c
//! struct range { uint64_t begin, size; };                              // of a kernel's shared memory
//! struct shared { uint64_t lanes, count; struct range ranges[]; };     // for offloadrt_check_block()
//! struct variable { void *address; uint64_t size; const char *name; };
//! struct object { uint32_t version, count; struct variable variables[]; }; // for offloadrt_check_start()
//! ```

use crate::contract::checker::{self, CONSTANTS};
use crate::llvm::{Builder, Function, Linkage, Module, Value};
use crate::rust_std::demangle::demangle;

/// The version of these structures and of the functions.
const VERSION: u64 = 1;
/// The section of functions that run before `main`. The priority is below that of registration, because a runtime with
/// a checker decides before it that it serves no other object.
const CONSTRUCTORS: &str = ".init_array.00100";
/// The section of functions that run when the object leaves the program.
pub(in crate::targets::cpu) const DESTRUCTORS: &str = ".fini_array";

/// A constant with the number of lanes of a warp, and the ranges of a kernel's shared statics: for each its offset and
/// its size.
pub(in crate::targets::cpu) fn shared_ranges<'c>(module: &Module<'c>, lanes: u32, ranges: &[(u64, u64)]) -> Value<'c> {
    let i64 = module.types().i64();
    let numbers = ranges.iter().flat_map(|(begin, size)| [*begin, *size]);
    let numbers: Vec<_> =
        [lanes.into(), ranges.len() as u64].into_iter().chain(numbers).map(|number| i64.constant(number)).collect();
    constant(module, "shared", i64.constant_array(&numbers))
}

/// Adds a constructor that announces the module's variables to the checker, and a destructor, if the module is
/// instrumented.
pub(in crate::targets::cpu) fn announce_variables(module: &Module<'_>) {
    if !checker::is_instrumented(module) {
        return;
    }
    let types = module.types();
    let (i32, i64) = (types.i32(), types.i64());
    let variables: Vec<_> = module.variables().into_iter().filter(is_checked).collect();
    let mut fields = vec![i32.constant(VERSION), i32.constant(variables.len() as u64)];
    for variable in variables {
        let size = i64.constant(variable.value_type().alloc_size(module));
        let name = [demangle(&variable.name()).as_bytes(), &[0]].concat();
        fields.extend([variable, size, module.add_bytes(&format!("{CONSTANTS}text"), &name)]);
    }
    let ty = types.structure(&fields.iter().map(|field| field.ty()).collect::<Vec<_>>());
    let object = constant(module, "object", ty.structure_constant(&fields));
    for (name, section) in [("start", CONSTRUCTORS), ("stop", DESTRUCTORS)] {
        call_from(module, section, &format!("{CONSTANTS}{name}"), |module| checker::function(module, name), object);
    }
}

/// Calls a function with an argument when the object comes into a program, or leaves it, as the section says.
pub(in crate::targets::cpu) fn call_from<'c>(
    module: &Module<'c>,
    section: &str,
    symbol: &str,
    callee: impl FnOnce(&Module<'c>) -> Function<'c>,
    argument: Value<'c>,
) {
    let function = module.define(symbol, module.types().void().function(&[]), Linkage::Internal, |_, block| {
        let builder = Builder::at_end(block);
        builder.call(callee(module), &[argument], "");
        builder.ret_void();
    });
    let pointer = constant(module, "constructor", *function);
    pointer.set_section(section);
    module.keep(pointer);
}

/// Whether an access to a variable may be checked at run time.
fn is_checked(variable: &Value<'_>) -> bool {
    let name = variable.name();
    !variable.is_declaration()
        && !variable.is_thread_local()
        && !name.starts_with(CONSTANTS)
        && !name.starts_with("llvm.")
        && variable.section().is_empty()
}

fn constant<'c>(module: &Module<'c>, name: &str, value: Value<'c>) -> Value<'c> {
    let variable = module.add_variable(&format!("{CONSTANTS}{name}"), value.ty(), 0);
    variable.set_initializer(Some(value));
    variable.set_constant_global(true);
    variable.set_linkage(Linkage::Private);
    variable
}
