//! Replaces relative lookup tables by tables of pointers.
//!
//! For position-independent code, LLVM's host passes turn a table of pointers to constants into a table of 32-bit
//! offsets from the table itself. No device's loader can relocate it.
//!
//! ```c
//! const int32_t table[2] = {(char *)a - (char *)table, (char *)b - (char *)table};
//! p = (char *)table + *(int32_t *)((char *)table + offset);   // llvm.load.relative(table, offset)
//! ```
//! becomes
//! ```c
//! const void *const table[2] = {a, b};
//! p = *(void **)((char *)table + 2 * offset);
//! ```
//! A table that is used in any other way is not changed.

use crate::llvm::{Builder, Module, Opcode, Value};

/// The sizes of an offset and of a pointer, in bytes.
const DISTANCE: u64 = 4;
const POINTER: u64 = 8;

/// Rewrites all such tables of the neutral module, and the loads from them.
pub fn lower_relative_tables(module: &Module<'_>) {
    for table in module.variables().into_iter().filter(|v| v.is_constant_global()) {
        let only_loads = other_users(table).iter().all(|user| is_relative_load(*user, table));
        let Some(targets) = targets(table).filter(|_| only_loads) else { continue };
        let pointer = targets[0].ty();
        let name = table.name();
        table.set_name("");
        let new = module.add_variable(&name, pointer.array(targets.len() as u64), pointer.address_space());
        new.set_initializer(Some(pointer.constant_array(&targets)));
        new.set_linkage(table.linkage());
        new.set_constant_global(true);
        new.set_unnamed_address();
        new.set_alignment(POINTER as u32);
        for load in other_users(table) {
            let builder = Builder::before(load);
            let offset = load.arguments()[1];
            let twice = builder.mul(offset, offset.ty().constant(POINTER / DISTANCE), "");
            let place = builder.gep(pointer.types().i8(), new, &[twice], "");
            load.replace_all_uses_with(builder.load(pointer, place, POINTER as u32, ""));
            load.erase();
        }
        table.set_initializer(None);
        // The remaining uses are in constants of the old initial value, which nothing uses.
        table.replace_all_uses_with(new);
        table.erase_global();
    }
}

/// The users of the table, other than its own initial value.
fn other_users<'c>(table: Value<'c>) -> Vec<Value<'c>> {
    table.users().into_iter().filter(|user| user.is_instruction() || !is_in_initializer(*user, table)).collect()
}

/// Whether a constant is used only in the table's initial value.
fn is_in_initializer<'c>(constant: Value<'c>, table: Value<'c>) -> bool {
    constant == table
        || constant.is_constant()
            && !constant.is_global()
            && constant.users().into_iter().all(|u| is_in_initializer(u, table))
}

fn is_relative_load<'c>(user: Value<'c>, table: Value<'c>) -> bool {
    user.is(Opcode::Call)
        && user.called_function().is_some_and(|f| f.name().starts_with("llvm.load.relative."))
        && user.arguments()[0] == table
}

/// The addresses in the table; none if it contains anything else.
fn targets<'c>(table: Value<'c>) -> Option<Vec<Value<'c>>> {
    let value = table.initializer()?;
    let distances = value.ty().parts().first()?.int_width() == Some(8 * DISTANCE as u32);
    let target = |index| {
        let difference = operand_of(value.element(index), Opcode::Trunc)?;
        let from = (difference.constant_opcode() == Some(Opcode::Sub)).then(|| difference.operand(1))?;
        let target = operand_of(difference.operand(0), Opcode::PtrToInt)?;
        (operand_of(from, Opcode::PtrToInt) == Some(table)).then_some(target)
    };
    let targets: Vec<_> = (0..value.element_count()).map(target).collect::<Option<_>>()?;
    (distances && !targets.is_empty()).then_some(targets)
}

/// The operand of a constant expression of this opcode.
fn operand_of(constant: Value<'_>, opcode: Opcode) -> Option<Value<'_>> {
    (constant.constant_opcode() == Some(opcode)).then(|| constant.operand(0))
}
