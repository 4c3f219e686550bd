//! Instructions: opcodes, calls, terminators, phis, places in the source.

use inkwell::llvm_sys::LLVMTailCallKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::LLVMMetadataRef;

use super::value::borrowed;
use super::{Block, Opcode, Ordering, Type, Value, ValueKind, shim};

// The methods hand a live value to the LLVM call of the same name, after checking the kind where LLVM would read another
// kind's memory; `unsafe` has no other reason here.

/// Instructions.
impl<'c> Value<'c> {
    /// The opcode.
    pub fn opcode(self) -> Opcode {
        assert!(self.is_instruction(), "{self:?} is no instruction");
        unsafe { LLVMGetInstructionOpcode(self.raw) }.into()
    }

    /// Whether it is an instruction of this opcode.
    pub fn is(self, opcode: Opcode) -> bool {
        self.is_instruction() && self.opcode() == opcode
    }

    /// Whether it is a call or an invoke.
    pub fn is_call(self) -> bool {
        self.is_instruction() && matches!(self.opcode(), Opcode::Call | Opcode::Invoke | Opcode::CallBr)
    }

    /// The block it stands in.
    pub fn block(self) -> Block<'c> {
        assert!(self.is_instruction());
        Block::new(unsafe { LLVMGetInstructionParent(self.raw) })
    }

    /// The function it, or the parameter, belongs to.
    pub fn function(self) -> Value<'c> {
        if self.is_argument() {
            return Value::new(unsafe { LLVMGetParamParent(self.raw) });
        }
        self.block().function()
    }

    /// Removes and destroys it.
    pub fn erase(self) {
        assert!(self.is_instruction());
        unsafe { LLVMInstructionEraseFromParent(self.raw) }
    }

    /// The instruction after it in its block.
    pub fn next(self) -> Option<Value<'c>> {
        assert!(self.is_instruction());
        Value::maybe(unsafe { LLVMGetNextInstruction(self.raw) })
    }

    /// What a call calls: a function, inline assembly, or a pointer.
    pub fn callee(self) -> Value<'c> {
        assert!(self.is_call());
        Value::new(unsafe { LLVMGetCalledValue(self.raw) })
    }

    /// Makes a call or invoke call `function` instead, which must be of the same type.
    pub fn set_callee(self, function: Value<'c>) {
        assert!(self.is_call() && self.called_type() == function.function_type());
        // LLVM keeps the callee behind all other operands.
        self.set_operand(self.operand_count() - 1, function);
    }

    /// The instructions of a call of inline assembly, as text.
    pub fn inline_asm_text(self) -> String {
        assert!(self.calls_inline_asm());
        let mut length = 0;
        unsafe {
            let raw = LLVMGetInlineAsmAsmString(self.callee().raw, &mut length);
            borrowed(raw, length)
        }
    }

    /// Where a call of inline assembly has its operands, and what it overwrites, as text.
    pub fn inline_asm_constraints(self) -> String {
        assert!(self.calls_inline_asm());
        let mut length = 0;
        unsafe {
            let raw = LLVMGetInlineAsmConstraintString(self.callee().raw, &mut length);
            borrowed(raw, length)
        }
    }

    /// The function a call calls directly, through aliases too.
    pub fn called_function(self) -> Option<Value<'c>> {
        if !self.is_call() {
            return None;
        }
        let callee = self.callee().aliasee();
        callee.is_function().then_some(callee)
    }

    /// The function type a call is made with.
    pub fn called_type(self) -> Type<'c> {
        assert!(self.is_call());
        Type::new(unsafe { LLVMGetCalledFunctionType(self.raw) })
    }

    /// Whether a call calls inline assembly.
    pub fn calls_inline_asm(self) -> bool {
        self.is_call() && self.callee().kind() == ValueKind::InlineAsm
    }

    /// A call's arguments.
    pub fn arguments(self) -> Vec<Value<'c>> {
        assert!(self.is_call());
        let count = unsafe { LLVMGetNumArgOperands(self.raw) };
        (0..count).map(|i| Value::new(unsafe { LLVMGetOperand(self.raw, i) })).collect()
    }

    /// Whether a call calls `function` itself and does nothing else with it, with the function's own type.
    pub fn is_plain_call_of(self, function: Value<'c>) -> bool {
        self.is_call()
            && self.callee() == function
            && self.called_type() == function.function_type()
            && !self.arguments().contains(&function)
    }

    /// Lets a call have a frame of its own: `tail` and `musttail` go.
    pub fn clear_tail_kind(self) {
        assert!(self.is(Opcode::Call));
        unsafe { LLVMSetTailCallKind(self.raw, LLVMTailCallKind::LLVMTailCallKindNone) }
    }

    /// Whether a call must be a tail call.
    pub fn is_musttail(self) -> bool {
        self.is(Opcode::Call) && unsafe { LLVMGetTailCallKind(self.raw) } == LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    /// The block an invoke goes on in when nothing unwinds.
    pub fn normal_destination(self) -> Block<'c> {
        assert!(self.opcode() == Opcode::Invoke);
        Block::new(unsafe { LLVMGetNormalDest(self.raw) })
    }

    /// The block an invoke goes to when something unwinds.
    pub fn unwind_destination(self) -> Block<'c> {
        assert!(self.opcode() == Opcode::Invoke);
        Block::new(unsafe { LLVMGetUnwindDest(self.raw) })
    }

    /// The successors of a terminator.
    pub fn successors(self) -> Vec<Block<'c>> {
        assert!(self.is_instruction());
        let count = unsafe { LLVMGetNumSuccessors(self.raw) };
        (0..count).map(|i| Block::new(unsafe { LLVMGetSuccessor(self.raw, i) })).collect()
    }

    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        self.is_instruction() && unsafe { !LLVMIsATerminatorInst(self.raw).is_null() }
    }

    /// What a conditional branch or a switch decides on.
    pub fn condition(self) -> Option<Value<'c>> {
        match self.opcode() {
            Opcode::Br if unsafe { LLVMGetNumSuccessors(self.raw) == 2 } => {
                Some(Value::new(unsafe { LLVMGetCondition(self.raw) }))
            }
            Opcode::Switch | Opcode::IndirectBr => Some(self.operand(0)),
            _ => None,
        }
    }

    /// The value of a switch's case that leads to its successor of this index; the successor 0 has none.
    pub fn case_value(self, successor: u32) -> Value<'c> {
        assert!(self.is(Opcode::Switch) && successor != 0);
        Value::new(unsafe { LLVMGetSwitchCaseValue(self.raw, successor) })
    }

    /// A phi's incoming values, each with the block it comes from.
    pub fn incoming(self) -> Vec<(Value<'c>, Block<'c>)> {
        assert!(self.opcode() == Opcode::Phi);
        let count = unsafe { LLVMCountIncoming(self.raw) };
        (0..count)
            .map(|i| unsafe {
                (Value::new(LLVMGetIncomingValue(self.raw, i)), Block::new(LLVMGetIncomingBlock(self.raw, i)))
            })
            .collect()
    }

    /// Adds an incoming value to a phi.
    pub fn add_incoming(self, value: Value<'c>, block: Block<'c>) {
        assert!(self.opcode() == Opcode::Phi);
        let (mut value, mut block) = (value.raw, block.raw);
        unsafe { LLVMAddIncoming(self.raw, &mut value, &mut block, 1) }
    }

    /// The ordering of an atomic load, store or read-modify-write, or of a fence.
    pub fn ordering(self) -> Ordering {
        assert!(matches!(self.opcode(), Opcode::Load | Opcode::Store | Opcode::AtomicRMW | Opcode::Fence));
        unsafe { LLVMGetOrdering(self.raw) }.into()
    }

    /// Sets the ordering of an atomic load or store.
    pub fn set_ordering(self, ordering: Ordering) {
        assert!(matches!(self.opcode(), Opcode::Load | Opcode::Store));
        unsafe { LLVMSetOrdering(self.raw, ordering.into()) }
    }

    /// Whether a fence orders one thread's accesses for that thread only.
    pub fn is_compiler_fence(self) -> bool {
        self.is(Opcode::Fence) && unsafe { LLVMIsAtomicSingleThread(self.raw) != 0 }
    }

    /// The type an alloca reserves room for.
    pub fn allocated_type(self) -> Type<'c> {
        assert!(self.opcode() == Opcode::Alloca);
        Type::new(unsafe { LLVMGetAllocatedType(self.raw) })
    }

    /// Moves an alloca to another address space, with a cast back behind it; it is replaced by the result.
    pub fn move_alloca(self, address_space: u32) -> Value<'c> {
        assert!(self.opcode() == Opcode::Alloca);
        Value::new(unsafe { shim::ofc_move_alloca(self.raw, address_space) })
    }

    /// The element type a `getelementptr` instruction or expression steps over.
    pub fn gep_source_type(self) -> Type<'c> {
        Type::new(unsafe { LLVMGetGEPSourceElementType(self.raw) })
    }

    /// The index path of an `extractvalue` or `insertvalue`.
    pub fn aggregate_indices(self) -> Vec<u32> {
        assert!(matches!(self.opcode(), Opcode::ExtractValue | Opcode::InsertValue));
        let count = unsafe { LLVMGetNumIndices(self.raw) } as usize;
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.raw), count).to_vec() }
    }

    /// The numbers that [`Value::set_metadata_numbers`] attached; none when there is no such metadata.
    pub fn metadata_numbers(self, kind: &str) -> Option<Vec<u64>> {
        assert!(self.is_instruction());
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let kind = LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32);
            let node = LLVMGetMetadata(self.raw, kind);
            if node.is_null() {
                return None;
            }
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
            LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
            operands.into_iter().map(|operand| Value::maybe(operand)?.as_u64()).collect()
        }
    }

    /// Its debug location: its own place first, then where each inlined call stood.
    pub fn frames(self) -> Vec<Frame> {
        assert!(self.is_instruction());
        let mut all = Vec::new();
        unsafe {
            let mut place = LLVMInstructionGetDebugLoc(self.raw);
            while !place.is_null() {
                all.push(frame(place));
                place = LLVMDILocationGetInlinedAt(place);
            }
        }
        all
    }
}

/// A place in the source, and the function that it is in.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 is not known.
    pub line: u32,
    /// The column, from 1; 0 is not known.
    pub column: u32,
    /// The function's symbol, or its name where no symbol is known.
    pub function: String,
}

/// What one debug location says.
///
/// # Safety
/// `place` is a `DILocation`.
unsafe fn frame(place: LLVMMetadataRef) -> Frame {
    unsafe {
        let scope = LLVMDILocationGetScope(place);
        let file = LLVMDIScopeGetFile(scope);
        let mut length = 0;
        let file = match file.is_null() {
            true => String::new(),
            false => borrowed(LLVMDIFileGetFilename(file, &mut length), length as usize),
        };
        let mut length = 0;
        let function = shim::ofc_scope_function(scope, &mut length);
        let function = borrowed(function, length);
        Frame { file, line: LLVMDILocationGetLine(place), column: LLVMDILocationGetColumn(place), function }
    }
}
