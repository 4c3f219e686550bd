//! Defines the device contract's builtins on the host, as for a single thread, so that kernels can be called as
//! functions and the program links.

use crate::contract::builtin::{BUILTINS, Builtin, HostMeaning, SHARED_BUFFER_BYTES, Scalar, intrinsic_name};
use crate::contract::math::Width;
use crate::error::Result;
use crate::llvm::{Builder, Function, Linkage, Module, Opcode, Value};
use crate::passes::atomics::lower_atomics::define_host_atomics;
use crate::passes::builtins::link_text::link_text;
use crate::passes::library::lower_fast_functions::exact;

/// Printing with the C library, for every module that is compiled for the host's processor.
pub const PRINT_TEXT: &str = include_str!("print_text.ll");

/// Defines every builtin that the module declares.
pub fn define_host_builtins(module: &Module<'_>) -> Result<()> {
    for builtin in BUILTINS {
        if builtin.host == HostMeaning::Print {
            link_text(module, builtin.name, PRINT_TEXT)?;
        }
        let declared = module.function(builtin.name).filter(|f| f.is_declaration());
        let Some(function) = declared else { continue };
        define(module, builtin, function);
        function.make_inlined();
    }
    define_host_atomics(module);
    for function in module.functions() {
        if function.is_declaration() && intrinsic_name(&function.name()).is_some() {
            trap(module, function);
        }
    }
    Ok(())
}

/// An instruction of a device has no meaning on the host: a call that is executed ends the program.
fn trap<'c>(module: &Module<'c>, function: Function<'c>) {
    let builder = Builder::at_end(function.append_block("entry"));
    builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
    builder.unreachable();
    function.set_linkage(Linkage::Internal);
}

fn define<'c>(module: &Module<'c>, builtin: &Builtin, function: Function<'c>) {
    let builder = Builder::at_end(function.append_block("entry"));
    let result = function.function_type().result();
    let value = match builtin.host {
        _ if result.is_void() => None,
        HostMeaning::Constant(value) => Some(result.constant(value)),
        HostMeaning::Null => Some(result.zero()),
        HostMeaning::Argument(number) => function.parameters().get(number).copied(),
        HostMeaning::SharedBuffer => Some(shared_buffer(module)),
        HostMeaning::Exact(fast) => {
            Some(exact(module, &builder, fast, &function.parameters(), &|f| f.c_name(Width::Single)))
        }
        HostMeaning::Nothing | HostMeaning::Print => None,
    };
    // A ballot has one bit, and its result is wider than the predicate.
    let value = value.map(|v| match builtin.result {
        Scalar::U64 if v.ty() != result => builder.cast(Opcode::ZExt, v, result, "lane_0"),
        _ => v,
    });
    builder.ret_result(value);
}

fn shared_buffer<'c>(module: &Module<'c>) -> Value<'c> {
    let ty = module.types().i8().array(SHARED_BUFFER_BYTES);
    let buffer = module.add_variable("__offload_host_shared", ty, 0);
    buffer.set_initializer(Some(ty.zero()));
    buffer.set_linkage(Linkage::Internal);
    buffer.set_alignment(64);
    buffer
}
