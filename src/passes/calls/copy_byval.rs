//! Copies each argument that is passed by value in memory (`byval`) in the caller, and passes the copy's address as an
//! ordinary pointer.
//!
//! Back ends disagree about the address space of `byval` memory: for some of them the address is in the stack's address
//! space, and therefore not a generic pointer. An explicit copy has the same meaning everywhere, also for calls through
//! pointers, and the optimiser removes copies that are not needed.
//!
//! `sret` is removed for the same reason. It promises nothing about the memory of a result that other attributes do not
//! promise, but some back ends conclude from it that the address is on the stack.
//!
//! Before: entry points exist. After: no parameter or argument is `byval` or `sret`; the copies are allocas.

use crate::llvm::{Attribute, Builder, Function, Module, Place, Type, Value};

/// Copies the by-value arguments of all functions of `module`. The parameters of `entries` are not changed.
pub fn copy_byval(module: &Module<'_>, entries: &[Function<'_>]) {
    let bodies = || module.definitions();
    for function in bodies() {
        for call in function.instructions().filter(|i| i.is_call()).collect::<Vec<_>>() {
            for index in 0..call.arguments().len() as u32 {
                if let Some(ty) = by_value(call, index) {
                    copy(module, call, index, ty);
                }
                let place = Place::Parameter(index);
                ["byval", "sret"].into_iter().for_each(|name| call.remove_attribute(place, name));
            }
        }
    }
    for function in bodies().filter(|f| !entries.contains(f)) {
        for index in 0..function.parameters().len() as u32 {
            let place = Place::Parameter(index);
            if function.byval_type(index).is_some() {
                // Only the callee has the address of the copy, like that of `byval` memory before.
                function.add_attribute(place, &Attribute::Enum("noalias", 0));
            }
            ["byval", "sret"].into_iter().for_each(|name| function.remove_attribute(place, name));
        }
    }
}

/// The type of a by-value argument, from the call or from its callee.
fn by_value<'c>(call: Value<'c>, index: u32) -> Option<Type<'c>> {
    let said = call.type_attribute(Place::Parameter(index), "byval");
    said.or_else(|| {
        let callee = call.called_function().filter(|f| call.is_plain_call_of(*f))?;
        callee.byval_type(index)
    })
}

fn copy<'c>(module: &Module<'c>, call: Value<'c>, index: u32, ty: Type<'c>) {
    let place = Place::Parameter(index);
    let said = |value: Value<'c>| value.attribute_value(place, "align");
    let aligned = said(call).max(call.called_function().and_then(|f| said(*f))).unwrap_or(0) as u32;
    let memory = Builder::at_start(call.function().blocks()[0]).alloca(ty, "byval");
    memory.set_alignment(aligned.max(ty.alignment(module)));
    let (argument, count) = (call.arguments()[index as usize], ty.types().i64().constant(ty.alloc_size(module)));
    let builder = Builder::before(call);
    let mark = |builder: &Builder<'c>, name| {
        builder.call(module.intrinsic(name, &[memory.ty()]), &[memory], "");
    };
    mark(&builder, "llvm.lifetime.start");
    let intrinsic = module.intrinsic("llvm.memcpy", &[memory.ty(), argument.ty(), count.ty()]);
    let copying = builder.call(intrinsic, &[memory, argument, count, ty.types().i1().zero()], "");
    copying.add_attribute(Place::Parameter(0), &Attribute::Enum("align", memory.alignment().into()));
    if aligned != 0 {
        copying.add_attribute(Place::Parameter(1), &Attribute::Enum("align", aligned.into()));
    }
    call.set_operand(index, builder.address_space_cast(memory, argument.ty(), ""));
    // `tail` would promise that the callee does not access the caller's allocas.
    call.clear_tail_kind();
    if let Some(next) = call.next() {
        mark(&Builder::before(next), "llvm.lifetime.end");
    }
}
