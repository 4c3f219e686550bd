//! Defines the builtins that a module declares. The target provides the body of each.
//!
//! The bodies are internal and always inlined, so no call of a builtin remains after any pipeline, including `-O0`.

use crate::contract::builtin::{BUILTINS, Builtin, BuiltinId, DeviceBuiltin, LEAVE};
use crate::error::{Error, Result};
use crate::llvm::{Builder, Function, Module, Place, Value};

/// Builds the body of a builtin for a target: it receives the parameters and returns the result, or none for `void`.
pub type Lowering<'a, 'c> =
    &'a dyn Fn(&Module<'c>, DeviceBuiltin, &Builder<'c>, &[Value<'c>]) -> Result<Option<Value<'c>>>;

/// Defines the builtin that ends a thread, if a module declares it. Its body calls an intrinsic and does not return.
pub fn define_leave(module: &Module<'_>, intrinsic: &str) {
    let Some(function) = module.function(LEAVE) else { return };
    function.make_inlined();
    let builder = Builder::at_end(function.append_block("entry"));
    builder.call(module.intrinsic(intrinsic, &[]), &[], "");
    builder.unreachable();
}

/// Defines every builtin that `module` declares.
pub fn lower_builtins<'c>(module: &Module<'c>, lowering: Lowering<'_, 'c>) -> Result<()> {
    for builtin in BUILTINS {
        // A builtin with a body was linked as text.
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

fn define<'c>(
    module: &Module<'c>,
    builtin: &Builtin,
    function: Function<'c>,
    lowering: Lowering<'_, 'c>,
) -> Result<()> {
    let BuiltinId::Device(of_target) = builtin.id else {
        return Err(Error::internal(format!("`{}` is still called where a target lowers builtins", builtin.name)));
    };
    function.make_inlined();
    // The declared effects are the host's view of the call. LLVM derives the actual effects from the body.
    function.remove_attribute(Place::Function, "memory");
    for name in ["nounwind"].into_iter().chain(builtin.convergent.then_some("convergent")) {
        function.mark(name);
    }
    let builder = Builder::at_end(function.append_block("entry"));
    builder.ret_result(lowering(module, of_target, &builder, &function.parameters())?);
    Ok(())
}
