//! Pointers that functions return.
//!
//! SPIR-V's pointers have types, and LLVM's back end derives them from uses. It derives the type of a function's result
//! last, and does not change address computations with the result of an earlier call. Their steps then have the size of
//! another type, and the program is wrong. A `getelementptr` over bytes has a known type:
//!
//! ```text
//! ret ptr %p            →   ret ptr (getelementptr i8, ptr %p, i64 0)
//! %r = call ptr @f()    →   %c = call ptr @f(); %r = getelementptr i8, ptr %c, i64 0
//! ```

use crate::llvm::{Block, Builder, Function, Module, Opcode, Value};

/// Makes every pointer that a function of `module` returns a pointer to bytes.
pub(super) fn return_pointers_to_bytes(module: &Module<'_>) {
    for function in module.definitions().filter(|f| f.function_type().result().is_pointer()).collect::<Vec<_>>() {
        let returns = function.instructions().filter(|i| i.is(Opcode::Ret));
        returns.collect::<Vec<_>>().into_iter().for_each(|end| {
            end.set_operand(0, to_bytes(&Builder::before(end), end.operand(0)));
        });
        calls_of(function).into_iter().for_each(use_as_bytes);
    }
}

fn calls_of(function: Function<'_>) -> Vec<Value<'_>> {
    let calls = function.users().into_iter().filter(|user| user.is(Opcode::Call));
    calls.filter(|call| call.called_function() == Some(function)).collect()
}

fn use_as_bytes(call: Value<'_>) {
    let users = call.users();
    let next = call.next().expect("a call does not end a block");
    let bytes = to_bytes(&Builder::before(next), call);
    for user in users {
        for index in (0..user.operand_count()).filter(|index| user.operand(*index) == call) {
            user.set_operand(index, bytes);
        }
    }
}

/// Makes the pointers that a phi or select takes from another one pointers to bytes. The back end may have derived
/// another type for them from their other uses, and does not convert the values of a phi:
///
/// ```text
/// %q = phi ptr [ %p, %a ], …    →    %b = getelementptr i8, ptr %p, i64 0 (in %a); %q = phi ptr [ %b, %a ], …
/// ```
pub(super) fn join_pointers_to_bytes(module: &Module<'_>) {
    let joins = |i: &Value<'_>| matches!(i.opcode(), Opcode::Phi | Opcode::Select) && i.ty().is_pointer();
    let is_join = |value: Value<'_>| value.is_instruction() && joins(&value);
    for join in module.definitions().flat_map(Function::instructions).filter(joins).collect::<Vec<_>>() {
        if join.is(Opcode::Select) {
            for index in (1..3).filter(|index| is_join(join.operand(*index))) {
                join.set_operand(index, to_bytes(&Builder::before(join), join.operand(index)));
            }
            continue;
        }
        // If a switch has two edges to this block, both values must be the same instruction.
        let mut made: Vec<(Block<'_>, Value<'_>)> = Vec::new();
        for (index, (value, block)) in (0..).zip(join.incoming()).filter(|(_, (value, _))| is_join(*value)) {
            let known = made.iter().find(|(from, _)| *from == block).map(|(_, bytes)| *bytes);
            let end = block.terminator().expect("every block of a valid function has one");
            let bytes = known.unwrap_or_else(|| to_bytes(&Builder::before(end), value));
            made.push((block, bytes));
            join.set_operand(index, bytes);
        }
    }
}

/// The same address as a pointer to a byte. `CodeGenPrepare` would remove a constant step.
fn to_bytes<'c>(builder: &Builder<'c>, pointer: Value<'c>) -> Value<'c> {
    let step = builder.freeze(pointer.types().i64().zero(), "");
    builder.gep(pointer.types().i8(), pointer, &[step], "")
}
