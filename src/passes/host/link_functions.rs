//! Links functions that other objects pass as values with a module whose kernels call functions by their numbers.
//!
//! ```c
//! void *__offload_linked_function(uint64_t number) {
//!   if (number - first_0 < count_0) return functions_0[number - first_0];
//!   if (number - first_1 < count_1) return functions_1[number - first_1];
//!   return NULL;
//! }
//! ```
//!
//! Before: the modules have passed the stage `validate`, and no function that is linked needs anything that a launch
//! of the kernels does not provide (`check_linkable.rs`). After: the functions are internal.

use crate::contract::queries::LINKED_FUNCTION;
use crate::contract::symbols::{FUNCTION_TABLE, FUNCTIONS_ENTRY, MESSAGES_BEFORE, PLACES_BEFORE};
use crate::error::{Error, Result};
use crate::llvm::{Builder, IntPredicate, Linkage, Module, Opcode, Place};

/// The functions of one object: a module with a table of them, and their numbers.
pub struct LinkedFunctions<'c> {
    /// The module.
    pub module: Module<'c>,
    /// The number of the first function.
    pub first: u64,
    /// How many functions there are.
    pub count: usize,
}

/// Links the modules into `module`, and defines the function that finds theirs.
pub fn link_functions<'c>(module: &Module<'c>, linked: Vec<LinkedFunctions<'c>>) -> Result<()> {
    let Some(question) = module.function(LINKED_FUNCTION) else { return Ok(()) };
    let mut tables = Vec::new();
    for (number, LinkedFunctions { module: other, first, count }) in linked.into_iter().enumerate() {
        let name = format!("{FUNCTION_TABLE}.linked.{number}");
        prepare(&other, &name)?;
        module.module_linker().link(other)?;
        let table = module.variable(&name).ok_or_else(|| Error::internal(format!("no `{name}` in a module")))?;
        table.set_linkage(Linkage::Internal);
        tables.push((table, first, count));
    }
    question.remove_attribute(Place::Function, "memory");
    let pointer = question.function_type().result();
    let given = question.parameters()[0];
    let builder = Builder::at_end(question.append_block("entry"));
    for (table, first, count) in tables {
        let place = builder.binary(Opcode::Sub, given, given.ty().constant(first), "place");
        let inside = builder.icmp(IntPredicate::Ult, place, place.ty().constant(count as u64), "inside");
        let [found, next] = ["found", "next"].map(|name| question.append_block(name));
        builder.cond_br(inside, found, next);
        builder.move_to_end(found);
        builder.ret(builder.load(pointer, builder.gep(pointer, table, &[place], ""), 8, ""));
        builder.move_to_end(next);
    }
    builder.ret(pointer.zero());
    question.make_inlined();
    Ok(())
}

/// Removes the entry of a module of functions, and gives their table a name that no other module has. Only the table is
/// not internal, so that LLVM's linker takes the functions in it.
fn prepare(other: &Module<'_>, table: &str) -> Result<()> {
    let found = other.variable(FUNCTION_TABLE).ok_or_else(|| Error::internal("a module of functions has no table"))?;
    found.set_name(table);
    found.set_linkage(Linkage::External);
    // These constants have their values. Later passes give a value to those of the kernels' module.
    for name in [MESSAGES_BEFORE, PLACES_BEFORE] {
        other.variable(name).into_iter().for_each(|variable| variable.set_name(&format!("{name}.linked")));
    }
    if let Some(entry) = other.function(FUNCTIONS_ENTRY) {
        entry.erase_global();
    }
    Ok(())
}
