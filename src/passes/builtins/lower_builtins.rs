//! Gives the builtins that a module declares their bodies; the target says what each one does.
//!
//! The bodies are internal and always inlined, so no call of a builtin is left after any pipeline, `-O0` too.

use crate::contract::builtin::{BUILTINS, Builtin, LEAVE};
use crate::error::{Error, Result};
use crate::llvm::{Builder, Linkage, Module, Place, Value};

/// What a target makes of a builtin: builds its body with the parameters, and gives the result, none for `void`.
pub type Lowering<'a, 'c> = &'a dyn Fn(&Module<'c>, &Builtin, &Builder<'c>, &[Value<'c>]) -> Result<Option<Value<'c>>>;

/// Gives what a thread leaves its kernel with, where a module declares it, the body that `fill` builds; it does not return.
pub fn define_leave<'c>(module: &Module<'c>, fill: impl FnOnce(&Builder<'c>)) {
    let Some(function) = module.function(LEAVE) else { return };
    function.set_linkage(Linkage::Internal);
    function.mark("alwaysinline");
    let builder = Builder::at_end(function.append_block("entry"));
    fill(&builder);
    builder.unreachable();
}

/// Defines every builtin that `module` declares.
pub fn lower_builtins<'c>(module: &Module<'c>, lowering: Lowering<'_, 'c>) -> Result<()> {
    for builtin in BUILTINS {
        // One that has a body already was given it as text.
        let Some(function) = module.function(builtin.name).filter(|f| f.is_declaration()) else { continue };
        if !function.is_used() {
            function.erase_global();
            continue;
        }
        if function.function_type() != builtin.function_type(module) {
            let (name, found) = (builtin.name, function.function_type().text());
            return Err(Error::new(format!("`{name}` is declared as `{found}`, which is not its type")));
        }
        define(module, builtin, function, lowering)?;
    }
    Ok(())
}

fn define<'c>(module: &Module<'c>, builtin: &Builtin, function: Value<'c>, lowering: Lowering<'_, 'c>) -> Result<()> {
    function.set_linkage(Linkage::Internal);
    // Declared effects are the host's view of the call; the body tells its own.
    for name in ["noinline", "memory"] {
        function.remove_attribute(Place::Function, name);
    }
    for name in ["alwaysinline", "nounwind"].into_iter().chain(builtin.convergent.then_some("convergent")) {
        function.mark(name);
    }
    let builder = Builder::at_end(function.append_block("entry"));
    builder.ret_result(lowering(module, builtin, &builder, &function.parameters())?);
    Ok(())
}
