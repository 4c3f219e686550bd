//! Finds statics whose initial value a device's loader cannot create.
//!
//! The check runs on the neutral module and reports addresses of shared memory, which differ from block to block;
//! arithmetic on addresses; and addresses of basic blocks. Images of some targets support only relocations of whole,
//! aligned pointers to earlier symbols. [`Relocations::Simple`] checks for this, too.

use std::collections::{HashSet, VecDeque};

use crate::analysis::callees::AddressTaken;
use crate::analysis::location::{function_location, own_location, user_location};
use crate::analysis::reach::{Reach, edges};
use crate::contract::builtin::{CONSTANT_SECTION, SHARED_SECTION};
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::llvm::{Module, Opcode, Type, TypeKind, Value, ValueKind};
use crate::rust_std::demangle::demangle;

/// The pointers that the initial value of a static may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relocations {
    /// Pointers at any offset.
    Any,
    /// Pointers at multiples of their size, in values with a pointer's size. No static may point to itself, directly or
    /// through others.
    Simple,
}

/// The size of a pointer in bytes, which is the same on every target.
const POINTER_BYTES: u64 = 8;

/// Returns a finding for each such static, in the order of the module.
pub fn check_statics(module: &Module<'_>, relocations: Relocations) -> Vec<Diagnostic> {
    let mut found = check_shared_addresses(module);
    for variable in module.variables() {
        let Some(initializer) = variable.initializer() else { continue };
        let simple = relocations == Relocations::Simple;
        let why = if has_address_arithmetic(initializer) {
            "computes with an address"
        } else if simple && points_to_itself(variable) {
            "points to itself, directly or through other statics"
        } else if simple && has_unaligned_pointer(module, variable, initializer) {
            "contains a pointer that is not aligned"
        } else {
            continue;
        };
        let message = format!("the initial value of static `{}` {why}", demangle(&variable.name()));
        let help = "fill it in on the host, and pass a pointer to device memory";
        found.push(Diagnostic::coded(Code::StaticValue, message).at(place_of_use(variable)).help(help));
    }
    found
}

/// Reports statics whose initial value contains the address of shared memory.
pub fn check_shared_addresses(module: &Module<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for holder in module.variables() {
        let shared = |v: &Value<'_>| v.is_global_variable() && v.section() == SHARED_SECTION;
        let Some((variable, _)) = edges(holder).into_iter().find(|(v, _)| shared(v)) else { continue };
        if holder.section() == SHARED_SECTION {
            continue;
        }
        let (name, variable) = (demangle(&holder.name()), demangle(&variable.name()));
        let message = format!("static `{name}` is initialised with the address of shared static `{variable}`");
        let help = "each block has its own shared memory; take the address inside the kernel";
        found.push(Diagnostic::coded(Code::SharedAddress, message).at(place_of_use(holder)).help(help));
    }
    found
}

/// Reports kernels whose static workgroup memory is larger than `limit` bytes.
pub fn check_shared_size<'c>(module: &Module<'c>, kernels: &KernelSet, limit: u64) -> Vec<Diagnostic> {
    let is_shared = |v: &Value<'c>| v.is_global_variable() && v.section() == SHARED_SECTION;
    let bytes_of = |v: &Value<'c>| v.value_type().alloc_size(module);
    // If all memory together is within the limit, the memory of each kernel is, too.
    if module.variables().iter().filter(|v| is_shared(v)).map(bytes_of).sum::<u64>() <= limit {
        return Vec::new();
    }
    let (mut found, addressed) = (Vec::new(), AddressTaken::of(module));
    for kernel in kernels {
        let Some(function) = module.function(&kernel.name) else { continue };
        let reach = Reach::of_execution(function, &addressed);
        let statics: Vec<_> = reach.order.iter().copied().filter(is_shared).collect();
        let bytes: u64 = statics.iter().map(bytes_of).sum();
        if bytes > limit {
            let name = &kernel.display;
            let message = format!("kernel `{name}` has {bytes} bytes of shared statics, and the limit is {limit}");
            let help = "use dynamic shared memory, whose size the launch chooses, for more";
            let Some(largest) = statics.into_iter().max_by_key(bytes_of) else { continue };
            let used = reach.from.get(&largest).and_then(|(_, instruction)| *instruction);
            // An array of the crate is used in a method of the crate.
            let place = used.and_then(own_location).or_else(|| function_location(function));
            let note = format!("the largest is `{}` with {} bytes", demangle(&largest.name()), bytes_of(&largest));
            found.push(Diagnostic::coded(Code::MemoryLimit, message).at(place).note(note).help(help));
        }
    }
    found
}

/// Reports constant memory that is larger than `limit` bytes.
pub fn check_constant_size<'c>(module: &Module<'c>, limit: u64) -> Option<Diagnostic> {
    let constant = || module.variables().into_iter().filter(|v| v.section() == CONSTANT_SECTION);
    let bytes_of = |v: &Value<'c>| v.value_type().alloc_size(module);
    let bytes: u64 = constant().map(|v| bytes_of(&v)).sum();
    let message = format!("the statics in `{CONSTANT_SECTION}` take {bytes} bytes, and the limit is {limit}");
    let help = "remove large tables from that section: they are then in global memory";
    let place = || constant().max_by_key(bytes_of).and_then(place_of_use);
    (bytes > limit).then(|| Diagnostic::coded(Code::MemoryLimit, message).at(place()).help(help))
}

/// The first place in the user's source that uses a static, directly or through other statics.
fn place_of_use(variable: Value<'_>) -> Option<Location> {
    let (mut work, mut seen) = (VecDeque::from([variable]), HashSet::new());
    while let Some(used) = work.pop_front() {
        let (instructions, others): (Vec<_>, Vec<_>) = used.users().into_iter().partition(|u| u.is_instruction());
        let place = instructions.into_iter().filter_map(user_location).min_by_key(|at| (at.file.clone(), at.line));
        if place.is_some() {
            return place;
        }
        work.extend(others.into_iter().filter(|other| seen.insert(*other)));
    }
    None
}

fn has_address_arithmetic(constant: Value<'_>) -> bool {
    if constant.is_global() {
        return false;
    }
    let plain = match constant.constant_opcode() {
        None => constant.kind() != ValueKind::BlockAddress,
        Some(Opcode::PtrToInt) => constant.ty().int_width() == Some(64),
        Some(Opcode::GetElementPtr | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::IntToPtr) => true,
        Some(_) => false,
    };
    !plain || constant.operands().into_iter().any(has_address_arithmetic)
}

fn points_to_itself(variable: Value<'_>) -> bool {
    let mut seen = HashSet::new();
    let mut stack = vec![variable];
    while let Some(holder) = stack.pop() {
        for (global, _) in edges(holder).into_iter().filter(|(g, _)| g.is_global_variable()) {
            if global == variable {
                return true;
            }
            if seen.insert(global) {
                stack.push(global);
            }
        }
    }
    false
}

/// Whether an initial value contains an address where no whole, aligned pointer can be.
fn has_unaligned_pointer<'c>(module: &Module<'c>, variable: Value<'c>, initializer: Value<'c>) -> bool {
    let mut offsets = Vec::new();
    address_offsets(module, initializer, 0, &mut offsets);
    let size = variable.value_type().alloc_size(module);
    !offsets.is_empty() && offsets.iter().chain([&size]).any(|offset| offset % POINTER_BYTES != 0)
}

fn address_offsets<'c>(module: &Module<'c>, constant: Value<'c>, offset: u64, offsets: &mut Vec<u64>) {
    if constant.is_global() || constant.constant_opcode().is_some() {
        offsets.push(offset);
        return;
    }
    for (i, operand) in constant.operands().into_iter().enumerate() {
        address_offsets(module, operand, offset + element_offset(module, constant.ty(), i as u32), offsets);
    }
}

fn element_offset<'c>(module: &Module<'c>, ty: Type<'c>, index: u32) -> u64 {
    match ty.kind() {
        TypeKind::Struct => ty.field_offset(module, index),
        _ => ty.parts().first().map_or(0, |element| element.alloc_size(module) * u64::from(index)),
    }
}
