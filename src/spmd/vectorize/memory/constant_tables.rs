//! Loads from small constant tables, such as `[0.5, -0.5][sign]`, which lanes would do one
//! by one.

use crate::llvm::{Builder, IntPredicate, Module, Opcode, Value};
use crate::spmd::tuning::TABLE_ELEMENTS;

/// The value of a load from a small constant table as a choice among its elements. If the load is not executed, this
/// value is any of them.
pub(crate) fn choose<'c>(module: &Module<'c>, builder: &Builder<'c>, load: Value<'c>) -> Option<Value<'c>> {
    let (address, ty) = (load.operand(0), load.ty());
    if !address.is(Opcode::GetElementPtr) || address.operand_count() != 2 || address.gep_source_type() != ty {
        return None;
    }
    let (table, index) = (address.operand(0), address.operand(1));
    if !table.is_global_variable() || !table.is_constant_global() || load.is_volatile() || ty.is_pointer() {
        return None;
    }
    let bytes = table.initializer()?.constant_bytes()?;
    let size = ty.store_size(module) as usize;
    if bytes.len() > TABLE_ELEMENTS * size || bytes.len() % size != 0 || ![4, 8].contains(&size) {
        return None;
    }
    let number = module.types().int(size as u32 * 8);
    let element = |bytes: &[u8]| {
        let bits = bytes.iter().rev().fold(0, |bits: u64, byte| bits << 8 | u64::from(*byte));
        builder.cast(Opcode::BitCast, number.constant(bits), ty, "")
    };
    let elements: Vec<_> = bytes.chunks(size).map(element).collect();
    let mut selected = *elements.first()?;
    for (at, element) in (1..).zip(&elements[1..]) {
        let is_this = builder.icmp(IntPredicate::Eq, index, index.ty().constant(at), "");
        selected = builder.select(is_this, *element, selected, "");
    }
    Some(selected)
}
