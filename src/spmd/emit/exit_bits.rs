//! The exits of all threads of a region, as bits.

use crate::llvm::{Builder, Module, Opcode, Value};

/// Two variables. All exits are the same if the bits of both are.
#[derive(Clone, Copy)]
pub(crate) struct ExitBits<'c> {
    /// The bits that were set in some thread's exit.
    pub(crate) some: Value<'c>,
    /// Those that were set in every thread's.
    pub(crate) every: Value<'c>,
}

impl<'c> ExitBits<'c> {
    pub(crate) fn new(builder: &Builder<'c>) -> Self {
        let i32 = builder.block().function().function_type().types().i32();
        let [some, every] = ["some", "every"].map(|name| builder.alloca(i32, name));
        ExitBits { some, every }
    }

    /// Those of no thread.
    pub(crate) fn reset(&self, builder: &Builder<'c>) {
        let i32 = self.some.allocated_type();
        builder.store(i32.zero(), self.some, 0);
        builder.store(i32.constant(u32::MAX.into()), self.every, 0);
    }

    /// Adds the exit of a thread, or a vector of those of a group.
    pub(crate) fn add(&self, module: &Module<'c>, builder: &Builder<'c>, exits: Value<'c>) {
        for (opcode, variable, name) in
            [(Opcode::Or, self.some, "llvm.vector.reduce.or"), (Opcode::And, self.every, "llvm.vector.reduce.and")]
        {
            let all = match exits.ty().vector_length() {
                None => exits,
                Some(_) => builder.call(module.intrinsic(name, &[exits.ty()]), &[exits], ""),
            };
            let before = builder.load(variable.allocated_type(), variable, 0, "");
            builder.store(builder.binary(opcode, before, all, ""), variable, 0);
        }
    }

    /// Both values, `i64`.
    pub(crate) fn load(&self, builder: &Builder<'c>) -> [Value<'c>; 2] {
        let i64 = self.some.types().i64();
        let load = |variable: Value<'c>| builder.load(variable.allocated_type(), variable, 0, "");
        [self.some, self.every].map(|variable| builder.cast(Opcode::ZExt, load(variable), i64, ""))
    }
}
