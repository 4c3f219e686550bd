//! The arguments that the runtime adds to those of a kernel, since code object version 5.

use crate::contract::builtin::Axis;
use crate::llvm::{Builder, Module, Opcode, Value};

/// An argument by its offset from the address of the implicit arguments.
#[derive(Clone, Copy)]
pub(super) struct ImplicitArgument {
    bits: u32,
    offset: u64,
}

/// `hidden_dynamic_lds_size`.
pub(super) const DYNAMIC_LDS_SIZE: ImplicitArgument = ImplicitArgument { bits: 32, offset: 120 };

/// `hidden_block_count_x`, or that of another axis.
pub(super) fn block_count(axis: Axis) -> ImplicitArgument {
    ImplicitArgument { bits: 32, offset: 4 * axis.number() as u64 }
}

/// `hidden_group_size_x`, or that of another axis.
pub(super) fn group_size(axis: Axis) -> ImplicitArgument {
    ImplicitArgument { bits: 16, offset: 12 + 2 * axis.number() as u64 }
}

impl ImplicitArgument {
    /// The value, extended to 32 bits.
    pub(super) fn load<'c>(self, module: &Module<'c>, builder: &Builder<'c>, arguments: Value<'c>) -> Value<'c> {
        let address = builder.byte_offset(arguments, self.offset, "");
        let value = builder.load(module.types().int(self.bits), address, self.bits / 8, "");
        if self.bits == 32 { value } else { builder.cast(Opcode::ZExt, value, module.types().i32(), "") }
    }
}
