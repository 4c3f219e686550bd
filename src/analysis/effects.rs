//! Effects of instructions besides the computation of a value.

use std::collections::HashSet;

use super::paths::reached;
use crate::llvm::{Opcode, Value};

/// Whether an instruction does more than compute a value, or must not be executed again. Loads of plain memory have no
/// effect, although their result may differ later.
pub fn has_effect(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::Store => true,
        Opcode::Call => !instruction.is_repeatable(),
        _ => is_ordered(instruction),
    }
}

/// Whether an instruction is a fence, or an atomic or volatile access.
pub fn is_ordered(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::Fence => true,
        Opcode::Load | Opcode::Store => instruction.is_volatile() || instruction.is_atomic(),
        _ => false,
    }
}

/// Whether an instruction is a load or a store that is neither atomic nor volatile.
pub fn is_plain_access(instruction: Value<'_>) -> bool {
    (instruction.is(Opcode::Load) || instruction.is(Opcode::Store)) && !is_ordered(instruction)
}

/// Whether accesses of memory may not move to the other side of an instruction: it may access memory, or orders
/// accesses.
pub fn touches_memory(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::Load | Opcode::Store => true,
        Opcode::Call => instruction.may_access_memory() && !is_hint(instruction) && !instruction.keeps_whole(),
        _ => is_ordered(instruction),
    }
}

/// Whether an instruction reads memory, and does nothing else to it.
pub fn only_reads(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::Load => !is_ordered(instruction),
        Opcode::Call => instruction.only_reads(),
        _ => false,
    }
}

/// Whether a call is only a hint for LLVM, and has effects on memory for that reason alone.
pub fn is_hint(call: Value<'_>) -> bool {
    is_scope(call) || call.called_intrinsic().is_some_and(|i| ["llvm.assume", "llvm.donothing"].contains(&&*i.name()))
}

/// Whether a call marks the start of scopes that the annotations of accesses name. Without it, the annotations would
/// hold for all iterations of a loop together.
pub fn is_scope(call: Value<'_>) -> bool {
    call.called_intrinsic().is_some_and(|intrinsic| intrinsic.name() == "llvm.experimental.noalias.scope.decl")
}

/// Whether an instruction has one result for the same operands, in each thread and whenever it is executed while a
/// kernel runs.
pub fn depends_on_operands_alone(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::Load => instruction.is_invariant(),
        Opcode::Call => instruction.called_intrinsic().is_some() && !instruction.may_access_memory(),
        Opcode::Phi | Opcode::Alloca | Opcode::Freeze | Opcode::AtomicRMW | Opcode::AtomicCmpXchg => false,
        _ => true,
    }
}

/// The values that a value is made of, including the value itself: the operands of each instruction among them that
/// `passes`.
pub fn made_of<'c>(value: Value<'c>, passes: impl Fn(Value<'c>) -> bool) -> HashSet<Value<'c>> {
    reached([value], |value| match value.is_instruction() && passes(value) {
        true => value.operands(),
        false => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Context, Module};

    type Predicate = fn(Value<'_>) -> bool;

    /// The names of the predicates that hold for an instruction.
    fn predicates(instruction: Value<'_>) -> Vec<&'static str> {
        let all: [(&str, Predicate); 6] = [
            ("effect", has_effect),
            ("ordered", is_ordered),
            ("plain", is_plain_access),
            ("touches", touches_memory),
            ("reads", only_reads),
            ("operands", depends_on_operands_alone),
        ];
        all.into_iter().filter(|(_, holds)| holds(instruction)).map(|(name, _)| name).collect()
    }

    #[test]
    fn each_kind_of_instruction_has_its_predicates() {
        let all = [
            ("store i32 %n, ptr %p", "effect plain touches operands"),
            ("store volatile i32 %n, ptr %p", "effect ordered touches operands"),
            ("%x = load i32, ptr %p", "plain touches reads"),
            ("%x = load i32, ptr %p, !invariant.load !0", "plain touches reads operands"),
            ("%x = load volatile i32, ptr %p", "effect ordered touches"),
            ("%x = load atomic i32, ptr %p monotonic, align 4", "effect ordered touches"),
            ("%x = atomicrmw add ptr %p, i32 %n monotonic", "effect ordered touches"),
            ("%x = cmpxchg ptr %p, i32 %n, i32 0 monotonic monotonic", "effect ordered touches"),
            ("fence acquire", "effect ordered touches operands"),
            ("%x = call i32 @other(i32 %n)", "effect touches"),
            ("%x = call i32 @reads(i32 %n)", "touches reads"),
            ("%x = call i32 @waits(i32 %n)", "effect touches reads"),
            ("%x = call i32 @pure(i32 %n)", "reads"),
            ("%x = call i32 @llvm.umin.i32(i32 %n, i32 3)", "reads operands"),
            ("call void @llvm.assume(i1 true)", "effect reads"),
            ("call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 4, i1 false)", "effect touches"),
            ("%x = add i32 %n, 1", "operands"),
            ("%x = freeze i32 %n", ""),
            ("%x = alloca i32", ""),
        ];
        let declared = "declare i32 @other(i32)\ndeclare i32 @waits(i32) memory(read)\ndeclare i32 @pure(i32) \
                        memory(none)\ndeclare i32 @reads(i32) memory(read, inaccessiblemem: none)\n!0 = !{}\n";
        for (text, expected) in all {
            let text = format!("define void @f(ptr %p, i32 %n) {{\n  {text}\n  ret void\n}}\n{declared}");
            let context = Context::create();
            let module = Module::from_text(&context, text.as_bytes(), "f").unwrap();
            let instruction = module.function("f").unwrap().instructions().next().unwrap();
            assert_eq!(predicates(instruction).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_value_is_made_of_operands_up_to_those_that_do_not_pass() {
        let text = b"define i32 @f(i32 %a, ptr %p) {\n  %x = load i32, ptr %p\n  %y = add i32 %a, %x\n  \
            %z = mul i32 %y, %y\n  ret i32 %z\n}\n";
        let context = Context::create();
        let module = Module::from_text(&context, text, "f").unwrap();
        let function = module.function("f").unwrap();
        let z = function.instructions().nth(2).unwrap();
        let count = |passes: fn(Value<'_>) -> bool| made_of(z, passes).len();
        assert_eq!([count(|_| true), count(|v| !v.is(Opcode::Load)), count(|_| false)], [5, 4, 1]);
    }
}
