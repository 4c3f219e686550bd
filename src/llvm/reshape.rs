//! Changes control flow: targets of branches, phis, and blocks that must not be duplicated.

use inkwell::llvm_sys::LLVMInlineAsmDialect;
use inkwell::llvm_sys::core::*;

use super::{Block, Builder, Opcode, Value, shim};

impl<'c> Value<'c> {
    /// Replaces a phi by an alloca that each predecessor stores to.
    pub fn demote_phi(self) {
        assert!(self.is(Opcode::Phi));
        llvm!(shim::ofc_demote_phi(self.raw))
    }

    /// Sets a successor of a terminator. The caller must adapt the phis.
    pub fn set_successor(self, index: u32, block: Block<'c>) {
        assert!(self.is_terminator() && (index as usize) < self.successors().len());
        llvm!(LLVMSetSuccessor(self.raw, index, block.raw))
    }

    /// Whether an addition, subtraction, multiplication or left shift has the flag `nuw`.
    pub fn never_wraps(self) -> bool {
        use Opcode::{Add, Mul, Shl, Sub};
        matches!(self.opcode(), Add | Sub | Mul | Shl) && llvm!(LLVMGetNUW(self.raw) != 0)
    }

    /// Whether it is a `trunc nuw`: the bits that it drops are zero.
    pub fn drops_zeros(self) -> bool {
        self.is(Opcode::Trunc) && llvm!(LLVMGetNUW(self.raw) != 0)
    }

    /// Whether it is empty convergent assembly, as [`Builder::keep_whole`] inserts it.
    pub fn keeps_whole(self) -> bool {
        self.is(Opcode::Call)
            && self.calls_inline_asm()
            && self.ty().is_void()
            && self.inline_asm_text().is_empty()
            && self.arguments().is_empty()
    }
}

impl<'c> Builder<'c> {
    /// Inserts empty convergent assembly, which prevents LLVM from duplicating the block.
    pub fn keep_whole(&self) {
        let block = self.block();
        let ty = block.function().types().void().function(&[]);
        let dialect = LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
        let empty = || c"".as_ptr();
        let callee = Value::new(llvm!(LLVMGetInlineAsm(ty.raw, empty(), 0, empty(), 0, 1, 0, dialect, 0)));
        let call = self.call_typed(ty, callee, &[], "");
        call.mark("convergent");
        call.mark("nounwind");
    }
}
