//! Makes a copy in the caller of each argument that a call passes by value in memory (`byval`), and passes its address like
//! any pointer.
//!
//! Back ends differ in where such memory is: for some the address is one of the stack's own address space, which a generic
//! pointer is not, whether from a local, from device memory, or in the function that is called. A copy that the IR makes
//! means the same everywhere, for calls through pointers too, and the optimiser drops those that nobody needs.
//!
//! `sret` goes as well, for the same reason: it promises nothing of a result's memory that other attributes do not, but to
//! some back ends that the address is on the stack.
//!
//! Before: entry points have been made. After: no parameter and no argument is `byval` or `sret`; the copies are allocas like
//! any of the function's.

use crate::llvm::{Attribute, Builder, Module, Place, Type, Value};

/// Copies what the functions of `module` pass by value; `entries` keep their parameters.
pub fn copy_byval(module: &Module<'_>, entries: &[Value<'_>]) {
    let bodies = || module.functions().into_iter().filter(|f| !f.is_declaration());
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
                // As nobody else has its address, nobody else has the copy's.
                function.add_attribute(place, &Attribute::Enum("noalias", 0));
            }
            ["byval", "sret"].into_iter().for_each(|name| function.remove_attribute(place, name));
        }
    }
}

/// The type of an argument that is passed by value, as the call says or the function that it calls.
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
    let aligned = said(call).max(call.called_function().and_then(said)).unwrap_or(0) as u32;
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
    // `tail` says that the callee touches no local variable of the caller's.
    call.clear_tail_kind();
    if let Some(next) = call.next() {
        mark(&Builder::before(next), "llvm.lifetime.end");
    }
}
