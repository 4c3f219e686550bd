//! Prepares a module for [`check_accesses`](super::check_accesses): accesses to memory that only one thread can name
//! become values, so that they are not checked, and no check keeps them in memory.
//!
//! Calls are inlined, and locals become registers. No other optimisation runs, because it could remove or join accesses
//! that the source has. Functions of Rust's libraries and of the crate `offload` are inlined regardless of their cost,
//! so that their accesses have a place in the user's code.
//!
//! LLVM promotes a local that is not always written before it is read, and takes any value for unwritten contents.
//! Small locals are therefore written once, with the contents of a variable that `check_values` recognises.

use std::collections::HashSet;

use crate::analysis::cycles::components;
use crate::analysis::location::is_of_a_library;
use crate::contract::checker::UNWRITTEN;
use crate::error::Result;
use crate::llvm::{Builder, Function, Module, Opcode, Place, TypeKind, Value};

/// The largest function of a library, in instructions, that is inlined regardless of its cost.
const LARGEST: usize = 300;

/// The largest local, in bytes, whose contents are followed before the first write.
const LARGEST_LOCAL: u64 = 16;

/// Inlines calls and promotes locals.
pub fn expose_accesses(module: &Module<'_>) -> Result<()> {
    mark_unwritten(module);
    let recursive = recursive(module);
    let of_libraries = |f: &Function<'_>| is_of_a_library(&f.name()) && !recursive.contains(f);
    for function in module.definitions().filter(of_libraries) {
        if function.has_local_linkage() && function.instructions().take(LARGEST + 1).count() <= LARGEST {
            function.remove_attribute(Place::Function, "noinline");
            function.mark("alwaysinline");
        }
    }
    module.run_neutral_passes("always-inline,function(sroa),cgscc(inline,function(sroa)),globaldce")
}

/// Stores the contents of the variable in each local, and replaces `undef` where it is stored or returned.
fn mark_unwritten(module: &Module<'_>) {
    let unwritten = module.add_variable(UNWRITTEN, module.types().int(8 * LARGEST_LOCAL as u32), 0);
    for instruction in module.definitions().flat_map(|f| f.instructions()).collect::<Vec<_>>() {
        match instruction.opcode() {
            Opcode::Alloca if instruction.is_fixed_alloca() => mark_local(module, instruction, unwritten),
            Opcode::Store | Opcode::Ret if instruction.operand_count() > 0 => {
                let value = instruction.operand(0);
                let is_scalar = !matches!(value.ty().kind(), TypeKind::Struct | TypeKind::Array);
                if value.is_undef() && is_scalar && value.ty().store_size(module) <= LARGEST_LOCAL {
                    let contents = Builder::before(instruction).load(value.ty(), unwritten, 1, "");
                    instruction.set_operand(0, contents);
                }
            }
            _ => {}
        }
    }
    if !unwritten.is_used() {
        unwritten.erase_global();
    }
}

fn mark_local<'c>(module: &Module<'c>, local: Value<'c>, unwritten: Value<'c>) {
    let bytes = local.operand(0).as_u64().unwrap_or(0) * local.allocated_type().alloc_size(module);
    let Some(next) = local.next().filter(|_| (1..=LARGEST_LOCAL).contains(&bytes)) else { return };
    let builder = Builder::before(next);
    let contents = builder.load(module.types().int(8 * bytes as u32), unwritten, 1, "");
    builder.store(contents, local, local.alignment());
}

/// The functions that may call themselves, by direct calls.
fn recursive<'c>(module: &Module<'c>) -> HashSet<Function<'c>> {
    let bodies: Vec<_> = module.definitions().collect();
    let defined: HashSet<_> = bodies.iter().copied().collect();
    let callees = |function: Function<'c>| -> Vec<_> {
        function.instructions().filter_map(|i| i.called_function()).filter(|f| defined.contains(f)).collect()
    };
    let cycles = components(&bodies, callees).into_iter().filter(|(_, is_cycle)| *is_cycle);
    cycles.flat_map(|(functions, _)| functions).collect()
}
