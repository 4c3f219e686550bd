//! Makes the address space of each generic pointer explicit in the IR, if it is known.
//!
//! LLVM's pass of the same name infers address spaces within a function, from casts, through selects, phis and offsets.
//! This pass inserts the casts that LLVM's pass needs, from a points-to analysis of the whole module
//! ([`crate::analysis::pointer_flow`]). Parameters of internal functions receive types with their address spaces, and a
//! function that is called with several address spaces is cloned. A pointer that is loaded, returned or converted from
//! an integer is cast to its address space and back. A pointer that may lead anywhere remains generic: for example one
//! that a kernel reads from global memory, or a parameter of a function that is called through a pointer.

use super::specialize::Copies;
use crate::analysis::entry_points::EntryPoints;
use crate::analysis::pointer_flow::PointerFlow;
use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::llvm::{Builder, Function, Module, Opcode, Place, Value};

/// A clone can give another function several callers with different address spaces. More rounds have little effect.
const MOST_ROUNDS: usize = 6;

/// Annotates `module`. The address spaces of its entry points and statics have been assigned.
pub fn infer_address_spaces<'c>(module: &Module<'c>, spaces: &AddressSpaceMap, entries: &EntryPoints<'c>) {
    let mut copies = Copies::default();
    let mut flow = PointerFlow::new(module, spaces, entries);
    for _round in 0..MOST_ROUNDS {
        if !copies.specialize(&flow) {
            break;
        }
        flow = PointerFlow::new(module, spaces, entries);
    }
    copies.erase_replaced();
    for function in flow.functions.clone() {
        let instructions: Vec<_> = function.instructions().collect();
        instructions.iter().for_each(|i| place_volatile(*i, &flow));
        for instruction in instructions.into_iter().filter(|i| needs_cast(*i)) {
            if let Some(space) = flow.space(instruction) {
                cast_there_and_back(instruction, space);
            }
        }
    }
    for function in flow.functions.iter().filter(|f| !entries.functions.contains(f)) {
        retype(*function, &flow, spaces);
    }
}

/// Whether LLVM's pass cannot infer the address space of a pointer.
fn needs_cast(i: Value<'_>) -> bool {
    let opaque = match i.opcode() {
        Opcode::Load | Opcode::IntToPtr | Opcode::ExtractValue => true,
        Opcode::Call => i.called_intrinsic().is_none(),
        _ => false,
    };
    opaque && i.ty().is_pointer() && i.is_used()
}

/// Changes the pointer operand of a volatile access directly, because LLVM's pass skips volatile accesses.
fn place_volatile<'c>(access: Value<'c>, flow: &PointerFlow<'_, 'c>) {
    let address = match access.opcode() {
        Opcode::Load | Opcode::AtomicRMW | Opcode::AtomicCmpXchg => 0,
        Opcode::Store => 1,
        _ => return,
    };
    let pointer = access.operand(address);
    if let Some(space) = flow.space(pointer).filter(|_| access.is_volatile()) {
        let placed = Builder::before(access).address_space_cast(pointer, pointer.types().ptr(space), "");
        access.set_operand(address, placed);
    }
}

fn cast_there_and_back(pointer: Value<'_>, space: u32) {
    let users = pointer.users();
    let Some(next) = pointer.next().filter(|_| pointer.ty().address_space() != space) else { return };
    let builder = Builder::before(next);
    let there = builder.address_space_cast(pointer, pointer.types().ptr(space), "");
    let back = builder.address_space_cast(there, pointer.ty(), "");
    for user in users {
        (0..user.operand_count()).filter(|n| user.operand(*n) == pointer).for_each(|n| user.set_operand(n, back));
    }
}

/// Changes the parameter types of an internal function to their address spaces.
fn retype<'c>(function: Function<'c>, flow: &PointerFlow<'_, 'c>, spaces: &AddressSpaceMap) {
    let calls = function.users();
    if !function.has_local_linkage() || !function.is_only_called() || function.function_type().is_vararg() {
        return;
    }
    let generic = |p: &Value<'c>| p.ty().is_pointer() && p.ty().address_space() == spaces.of(Role::Generic);
    let space = |p: Value<'c>| if generic(&p) && p.is_used() { flow.space(p) } else { None };
    let found: Vec<_> = function.parameters().into_iter().map(space).collect();
    if found.iter().all(Option::is_none) {
        return;
    }
    let types = function.function_type().parameters();
    let types: Vec<_> = types.iter().zip(&found).map(|(ty, space)| space.map_or(*ty, |s| ty.types().ptr(s))).collect();
    let retyped = function.retype_parameters(&types);
    drop_generic_attributes(*retyped, &found, spaces);
    for call in calls {
        let builder = Builder::before(call);
        let cast = |(argument, ty): (Value<'c>, _)| builder.address_space_cast(argument, ty, "");
        let arguments: Vec<_> = call.arguments().into_iter().zip(types.iter().copied()).map(cast).collect();
        drop_generic_attributes(call.replace_call(retyped, &arguments), &found, spaces);
    }
    function.erase_global();
}

/// Removes attributes that hold only for generic pointers: a generic pointer that is not null may be zero in its own
/// address space, and a parameter with `returned` no longer has the type of the result.
fn drop_generic_attributes(of: Value<'_>, found: &[Option<u32>], spaces: &AddressSpaceMap) {
    for (i, space) in found.iter().enumerate() {
        let Some(space) = space else { continue };
        let place = Place::Parameter(i as u32);
        of.remove_attribute(place, "returned");
        if !spaces.is_flat(*space) {
            ["nonnull", "dereferenceable_or_null"].into_iter().for_each(|name| of.remove_attribute(place, name));
        }
    }
}
