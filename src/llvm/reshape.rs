//! Changing control flow: branches led elsewhere, values out of phis, and places that must stay whole.

use inkwell::llvm_sys::LLVMInlineAsmDialect;
use inkwell::llvm_sys::core::*;

use super::{Block, Builder, Opcode, Value, shim};

// As in value.rs: live values go to the LLVM call of the same name after a check of their kind; `unsafe` has no
// other reason here.

impl<'c> Value<'c> {
    /// Replaces a phi by an alloca that each predecessor stores to.
    pub fn demote_phi(self) {
        assert!(self.is(Opcode::Phi));
        unsafe { shim::ofc_demote_phi(self.raw) }
    }

    /// Lets a terminator lead to another block, whose phis are the caller's.
    pub fn set_successor(self, index: u32, block: Block<'c>) {
        assert!(self.is_terminator() && (index as usize) < self.successors().len());
        unsafe { LLVMSetSuccessor(self.raw, index, block.raw) }
    }

    /// Whether an addition, subtraction, multiplication or left shift promises not to wrap around as an unsigned one.
    pub fn never_wraps(self) -> bool {
        use Opcode::{Add, Mul, Shl, Sub};
        matches!(self.opcode(), Add | Sub | Mul | Shl) && unsafe { LLVMGetNUW(self.raw) != 0 }
    }

    /// Whether it is what [`Builder::keep_whole`] builds, or assembly that is as empty.
    pub fn keeps_whole(self) -> bool {
        self.is(Opcode::Call)
            && self.calls_inline_asm()
            && self.ty().is_void()
            && self.inline_asm_text().is_empty()
            && self.arguments().is_empty()
    }
}

impl<'c> Builder<'c> {
    /// Empty assembly that is convergent: LLVM makes no copies of the block it stands in.
    pub fn keep_whole(&self) {
        let block = self.block();
        let ty = block.function().types().void().function(&[]);
        let dialect = LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
        let empty = || c"".as_ptr();
        let callee = Value::new(unsafe { LLVMGetInlineAsm(ty.raw, empty(), 0, empty(), 0, 1, 0, dialect, 0) });
        let call = self.call_typed(ty, callee, &[], "");
        call.mark("convergent");
        call.mark("nounwind");
    }
}
