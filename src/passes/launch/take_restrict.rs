//! Turns the promise that a kernel's parameters do not overlap (`__offload_restrict`, CUDA's `__restrict__`) into
//! promises about memory that nothing writes while the kernel runs (`__offload_read_only`), for the parameters through
//! which the kernel writes nothing.
//!
//! Before: calls of `__offload_parameter_pointer` name the addresses that the parameters lead to, and the kernels'
//! functions are inlined. After: these calls are removed, and kernels with the promise have an attribute, which makes a
//! launch refuse arguments that overlap.
//!
//! A kernel writes nothing through an address if all uses of the address, and of addresses that come from it, are plain
//! loads and comparisons. A parameter may be loaded from the bytes of the arguments several times; all of these loads
//! count.

use std::collections::HashSet;

use super::mark_read_only_loads::{is_copy_from, sources};
use crate::analysis::gep_offset::gep_offset;
use crate::analysis::points_to::Offset;
use crate::contract::builtin::{PARAMETER_POINTER, READ_ONLY, RESTRICT};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Attribute, Builder, Function, Module, Opcode, Place, Value};

/// The attribute of kernels with the promise.
const ATTRIBUTE: &str = "offload-restricts";
/// The flag of a parameter through which the kernel writes nothing, according to its type.
const IS_SHARED: u64 = 1;

/// Whether a kernel's function promises that its parameters do not overlap.
pub fn restricts(kernel: Function<'_>) -> bool {
    kernel.text_attribute(Place::Function, ATTRIBUTE).is_some()
}

/// Replaces the calls in all functions.
pub fn take_restrict<'c>(module: &Module<'c>, kernels: &KernelSet) {
    for call in module.function(RESTRICT).into_iter().flat_map(Function::direct_calls) {
        let function = call.function();
        if kernels.iter().any(|kernel| kernel.name == function.name()) {
            function.add_attribute(Place::Function, &Attribute::Text(ATTRIBUTE.to_owned(), "true".to_owned()));
        }
        call.erase();
    }
    let Some(pointer) = module.function(PARAMETER_POINTER) else { return };
    let calls = pointer.direct_calls();
    let read_only = |call: &&Value<'c>| restricts(call.function()) && is_read_only(module, **call);
    let promised: Vec<_> = calls.iter().filter(read_only).copied().collect();
    for call in promised {
        let address = call.arguments()[0];
        let types = address.types();
        let promise = module.declare(READ_ONLY, types.void().function(&[address.ty()]));
        let _: Value<'_> = Builder::before(call).call(promise, &[address], "");
    }
    calls.into_iter().for_each(Value::erase);
}

/// Whether the kernel writes nothing through the parameter that a call names.
fn is_read_only<'c>(module: &Module<'c>, call: Value<'c>) -> bool {
    let [address, flags] = call.arguments()[..] else { return false };
    let Some(same) = loads_of_parameter(module, address) else { return false };
    flags.as_u64().is_some_and(|flags| flags & IS_SHARED != 0) || is_only_read(same)
}

/// All values that are the parameter with this address. None if the address may be another one, or if the bytes of the
/// parameter may be read in a way that is not followed.
fn loads_of_parameter<'c>(module: &Module<'c>, address: Value<'c>) -> Option<Vec<Value<'c>>> {
    if address.is_argument() {
        return Some(vec![address]);
    }
    let mut block = address;
    while block.is_instruction() && (block == address && block.is(Opcode::Load) || block.is(Opcode::GetElementPtr)) {
        block = block.operand(0);
    }
    let loads = if block.is_argument() && address.is(Opcode::Load) { loads_of(module, block)? } else { return None };
    let (_, own) = loads.iter().copied().find(|(load, _)| *load == address)?;
    let bytes = |load: Value<'c>| load.ty().store_size(module);
    let overlapping = || loads.iter().filter(|(load, at)| at.overlaps(bytes(*load), own, bytes(address)));
    let is_same = |(load, at): &(Value<'c>, Offset)| *at == own && load.ty() == address.ty();
    (own.is_exact() && overlapping().all(is_same)).then(|| overlapping().map(|(load, _)| *load).collect())
}

/// The loads from the bytes of the arguments, with their offsets. None if the bytes are also used in another way.
fn loads_of<'c>(module: &Module<'c>, block: Value<'c>) -> Option<Vec<(Value<'c>, Offset)>> {
    let (mut found, mut work) = (Vec::new(), vec![(block, Offset::exact(0))]);
    while let Some((address, at)) = work.pop() {
        for user in address.users() {
            match user.is_instruction().then(|| user.opcode())? {
                Opcode::Load => found.push((user, at)),
                Opcode::GetElementPtr => work.push((user, at.plus(gep_offset(module, user)))),
                _ => return None,
            }
        }
    }
    Some(found)
}

/// Whether no use of these addresses, or of addresses that are derived from them, writes their memory.
fn is_only_read(mut work: Vec<Value<'_>>) -> bool {
    let mut known: HashSet<_> = work.iter().copied().collect();
    while let Some(address) = work.pop() {
        for user in address.users() {
            if !user.is_instruction() {
                return false;
            } else if sources(user).contains(&address) {
                if known.insert(user) {
                    work.push(user);
                }
            } else if !(is_plain_read(user) || is_harmless_call(address, user)) {
                return false;
            }
        }
    }
    true
}

/// Whether an instruction loads, or compares addresses. A volatile or atomic load means that other code writes.
fn is_plain_read(user: Value<'_>) -> bool {
    match user.opcode() {
        Opcode::Load => !user.is_volatile() && !user.is_atomic(),
        opcode => opcode == Opcode::ICmp,
    }
}

/// Whether a call reads memory at an address, or names the address only.
fn is_harmless_call(address: Value<'_>, user: Value<'_>) -> bool {
    let is_promise = || {
        let callee = user.called_function().map(|callee| callee.name());
        callee.is_some_and(|name| [PARAMETER_POINTER, READ_ONLY].contains(&name.as_str()))
    };
    user.is(Opcode::Call) && (is_copy_from(address, user) || is_promise())
}
