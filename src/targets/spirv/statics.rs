//! Addresses in the initial values of statics. SPIR-V can represent the address of another static as a pointer to
//! global memory, but not cast to generic. Both have the same bits, so the types of the fields change. A constant
//! address, such as that of an empty slice, becomes an integer. Undefined bytes become zero, because the back end
//! cannot write them within other values.

use super::ADDRESS_SPACES;
use crate::error::{Error, Result};
use crate::llvm::{Module, Opcode, Type, TypeKind, Value};

/// Rewrites every initial value that contains an address or undefined bytes.
pub(super) fn hold_global_addresses(module: &Module<'_>) -> Result<()> {
    for variable in module.variables() {
        let Some(value) = variable.initializer().filter(|value| !value.is_undef() && is_irregular(*value)) else {
            continue;
        };
        let name = variable.name();
        let refused =
            || Error::new(format!("the initial value of static `{name}` has an address where none is allowed"));
        let value = with_global_addresses(value).ok_or_else(refused)?;
        variable.set_name("");
        let new = module.add_variable(&name, value.ty(), variable.ty().address_space());
        new.set_alignment(variable.alignment().max(variable.value_type().alignment(module)));
        new.set_linkage(variable.linkage());
        new.set_constant_global(variable.is_constant_global());
        new.set_initializer(Some(value));
        variable.replace_all_uses_with(new);
        variable.erase_global();
    }
    Ok(())
}

fn is_irregular(constant: Value<'_>) -> bool {
    let inside = || !constant.is_global() && constant.operands().into_iter().any(is_irregular);
    constant.constant_opcode().is_some() || constant.is_undef() || inside()
}

fn holds_pointer(ty: Type<'_>) -> bool {
    ty.is_pointer() || ty.parts().into_iter().any(holds_pointer)
}

/// The same bits with pointers to global memory instead of generic pointers, and instead of integers that are cast from
/// them.
fn with_global_addresses(constant: Value<'_>) -> Option<Value<'_>> {
    let ty = constant.ty();
    if ty.is_pointer() {
        return global_address(constant);
    }
    if constant.constant_opcode() == Some(Opcode::PtrToInt) {
        return if ty.int_width() == Some(64) { global_address(constant.operand(0)) } else { None };
    }
    if constant.is_undef() {
        return with_global_addresses(ty.zero());
    }
    if ty.parts().is_empty() || !holds_pointer(ty) && !is_irregular(constant) {
        return Some(constant);
    }
    let elements: Option<Vec<_>> =
        (0..constant.element_count()).map(|i| with_global_addresses(constant.element(i))).collect();
    let elements = elements?;
    if ty.kind() == TypeKind::Struct {
        return Some(ty.structure_constant(&elements));
    }
    let element = elements.first()?.ty();
    // The back end would give all pointers in an array the pointee type of the first one.
    let alike = !holds_pointer(element) && elements.iter().all(|e| e.ty() == element);
    Some(if alike { element.constant_array(&elements) } else { ty.packed_constant(&elements) })
}

fn global_address(pointer: Value<'_>) -> Option<Value<'_>> {
    let global = pointer.types().ptr(ADDRESS_SPACES.global);
    if pointer.is_null() || pointer.is_undef() {
        return Some(global.zero());
    }
    if pointer.ty() == global {
        return Some(pointer);
    }
    match pointer.constant_opcode()? {
        Opcode::IntToPtr => Some(pointer.operand(0)).filter(|number| number.ty().int_width() == Some(64)),
        Opcode::AddrSpaceCast => global_address(pointer.operand(0)),
        Opcode::GetElementPtr => {
            let indices: Vec<_> = (1..pointer.operand_count()).map(|i| pointer.operand(i)).collect();
            let base = global_address(pointer.operand(0)).filter(|base| base.ty().is_pointer())?;
            Some(base.constant_gep(pointer.gep_source_type(), &indices))
        }
        _ => None,
    }
}
