//! Replaces calls of `__offload_intrinsic.NAME` by calls of the intrinsic.
//!
//! Before: only intrinsics of the target are called, and operands that must be constants are constants. After: no such
//! name is left. Values whose representation in Rust differs from LLVM's are converted at the call. In a wrapper
//! function, operands that must be constants would be parameters.

use crate::analysis::intrinsic_signature::{AbiConversion, Signature};
use crate::contract::builtin::intrinsic_name;
use crate::error::{Error, Result};
use crate::llvm::{Builder, Function, Module, Opcode, Place, Type, Value, crash};

/// Rewrites every call.
pub fn lower_intrinsics(module: &Module<'_>) -> Result<()> {
    for function in module.functions() {
        let symbol = function.name();
        let Some(name) = intrinsic_name(&symbol) else { continue };
        if function.is_used() {
            crash::input_names_intrinsics();
            let intrinsic = module.intrinsic_of_name(name).map_err(|_| not_checked(name))?;
            let signature = Signature::of(module, function, intrinsic).ok_or_else(|| not_checked(name))?;
            for user in function.users() {
                if !user.is_plain_call_of(function) {
                    return Err(Error::new(format!("the address of the intrinsic `{name}` is taken")));
                }
                lower(&Call { module, call: user, intrinsic }, &signature);
            }
        }
        function.erase_global();
    }
    Ok(())
}

fn not_checked(name: &str) -> Error {
    Error::internal(format!("the intrinsic `{name}` was not checked"))
}

/// A call that is being rewritten.
struct Call<'a, 'c> {
    module: &'a Module<'c>,
    call: Value<'c>,
    intrinsic: Function<'c>,
}

fn lower<'c>(site: &Call<'_, 'c>, signature: &Signature) {
    let call = site.call;
    let builder = Builder::before(call);
    let ty = site.intrinsic.function_type();
    let in_memory = matches!(signature.result, AbiConversion::Memory(_));
    let given = call.arguments();
    let values = given.iter().skip(usize::from(in_memory)).zip(ty.parameters()).zip(&signature.parameters);
    let arguments: Vec<_> =
        values.map(|((value, wanted), conversion)| site.convert(&builder, *value, wanted, *conversion)).collect();
    let result = builder.call(site.intrinsic, &arguments, "");
    if site.intrinsic.has_attribute(Place::Function, "convergent") {
        result.mark("convergent");
    }
    match signature.result {
        AbiConversion::Memory(align) => {
            builder.store(result, given[0], align);
        }
        _ if call.ty().is_void() => {}
        conversion => call.replace_all_uses_with(site.convert(&builder, result, call.ty(), conversion)),
    }
    call.erase();
}

impl<'c> Call<'_, 'c> {
    /// Converts `value` to the type `to`.
    fn convert(&self, builder: &Builder<'c>, value: Value<'c>, to: Type<'c>, conversion: AbiConversion) -> Value<'c> {
        match conversion {
            AbiConversion::Same => value,
            AbiConversion::Pointer => builder.address_space_cast(value, to, ""),
            AbiConversion::Bits => builder.cast(Opcode::BitCast, value, to, ""),
            AbiConversion::Memory(align) => builder.load(to, value, align, ""),
            AbiConversion::Bytes => {
                let memory = self.memory(value.ty(), to);
                builder.store(value, memory, 0);
                builder.load(to, memory, 0, "")
            }
        }
    }

    /// An alloca for a value of either type. It is in the entry block, so that loops do not allocate again.
    fn memory(&self, a: Type<'c>, b: Type<'c>) -> Value<'c> {
        let ty = if a.alloc_size(self.module) < b.alloc_size(self.module) { b } else { a };
        let memory = Builder::at_start(self.call.function().blocks()[0]).alloca(ty, "");
        memory.set_alignment(a.alignment(self.module).max(b.alignment(self.module)));
        memory
    }
}
