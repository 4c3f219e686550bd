//! Whether device code may write a static.
//!
//! In optimised code, a static that is never written is already a constant. In a debug build, the address goes through
//! functions that are not inlined, and through the checks of `std` that an address is aligned.

use std::collections::HashSet;

use crate::llvm::{Opcode, Value};

/// Whether code may write a variable. It may if its address reaches something that this does not follow.
pub fn may_be_written(variable: Value<'_>) -> bool {
    let (mut known, mut work) = (HashSet::from([variable]), vec![variable]);
    while let Some(address) = work.pop() {
        for user in address.users() {
            match reached(address, user) {
                Some(reached) => work.extend(reached.into_iter().filter(|value| known.insert(*value))),
                None => return true,
            }
        }
    }
    false
}

/// The values that an address reaches through one of its uses; none if the use may write its memory.
fn reached<'c>(address: Value<'c>, user: Value<'c>) -> Option<Vec<Value<'c>>> {
    let opcode = if user.is_instruction() { user.opcode() } else { user.constant_opcode()? };
    match opcode {
        Opcode::Load | Opcode::ICmp => Some(Vec::new()),
        Opcode::GetElementPtr
        | Opcode::BitCast
        | Opcode::AddrSpaceCast
        | Opcode::PtrToInt
        | Opcode::IntToPtr
        | Opcode::Freeze
        | Opcode::Phi
        | Opcode::Select
        | Opcode::Add
        | Opcode::Sub
        | Opcode::And
        | Opcode::InsertValue
        | Opcode::ExtractValue => Some(vec![user]),
        Opcode::Ret => user.function().is_only_called().then(|| user.function().users()),
        Opcode::Call => reached_through_call(address, user),
        _ => None,
    }
}

fn reached_through_call<'c>(address: Value<'c>, call: Value<'c>) -> Option<Vec<Value<'c>>> {
    let function = call.called_function()?;
    let arguments = call.arguments();
    if function.is_intrinsic() {
        let name = function.name();
        let copies_from = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.");
        let reads = name.starts_with("llvm.assume") || copies_from && arguments[0] != address;
        return reads.then(Vec::new);
    }
    let parameters = function.parameters();
    if function.is_declaration() || arguments.len() != parameters.len() {
        return None;
    }
    let given = arguments.into_iter().zip(parameters).filter(|(argument, _)| *argument == address);
    Some(given.map(|(_, parameter)| parameter).collect())
}
