//! Instructions: opcodes, calls, terminators, phis, debug locations.

use inkwell::llvm_sys::LLVMTailCallKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::LLVMMetadataRef;
use std::ffi::c_int;

use super::value::borrowed;
use super::{Block, Function, Opcode, Ordering, Type, Value, ValueKind, shim};

/// Instructions.
impl<'c> Value<'c> {
    /// The opcode.
    pub fn opcode(self) -> Opcode {
        assert!(self.is_instruction(), "{self:?} is no instruction");
        llvm!(LLVMGetInstructionOpcode(self.raw)).into()
    }

    /// Whether it is an instruction with this opcode.
    pub fn is(self, opcode: Opcode) -> bool {
        self.is_instruction() && self.opcode() == opcode
    }

    /// The address without the offsets that `getelementptr` adds to it.
    pub fn base(self) -> Self {
        let mut address = self;
        while address.is(Opcode::GetElementPtr) {
            address = address.operand(0);
        }
        address
    }

    /// Whether it is a call or an invoke.
    pub fn is_call(self) -> bool {
        self.is_instruction() && matches!(self.opcode(), Opcode::Call | Opcode::Invoke | Opcode::CallBr)
    }

    /// Its block.
    pub fn block(self) -> Block<'c> {
        assert!(self.is_instruction());
        Block::new(llvm!(LLVMGetInstructionParent(self.raw)))
    }

    /// The function of an instruction or a parameter.
    pub fn function(self) -> Function<'c> {
        if self.is_argument() {
            return Function::new(llvm!(LLVMGetParamParent(self.raw)));
        }
        self.block().function()
    }

    /// Erases it.
    pub fn erase(self) {
        assert!(self.is_instruction());
        llvm!(LLVMInstructionEraseFromParent(self.raw))
    }

    /// The instruction after it in its block.
    pub fn next(self) -> Option<Value<'c>> {
        assert!(self.is_instruction());
        Value::maybe(llvm!(LLVMGetNextInstruction(self.raw)))
    }

    /// The callee of a call: a function, inline assembly, or a pointer.
    pub fn callee(self) -> Value<'c> {
        assert!(self.is_call());
        Value::new(llvm!(LLVMGetCalledValue(self.raw)))
    }

    /// Sets the callee of a call or invoke to `function`, which must have the same type.
    pub fn set_callee(self, function: Function<'c>) {
        assert!(self.is_call() && self.called_type() == function.function_type());
        // The callee is the last operand.
        self.set_operand(self.operand_count() - 1, *function);
    }

    /// The instructions of a call of inline assembly, as text.
    pub fn inline_asm_text(self) -> String {
        assert!(self.calls_inline_asm());
        let mut length = 0;
        // SAFETY: LLVM owns the text, and `length` is its length.
        unsafe {
            let raw = LLVMGetInlineAsmAsmString(self.callee().raw, &mut length);
            borrowed(raw, length)
        }
    }

    /// The constraints of a call of inline assembly: its operands, and the registers that it overwrites.
    pub fn inline_asm_constraints(self) -> String {
        assert!(self.calls_inline_asm());
        let mut length = 0;
        // SAFETY: as above.
        unsafe {
            let raw = LLVMGetInlineAsmConstraintString(self.callee().raw, &mut length);
            borrowed(raw, length)
        }
    }

    /// The function of a direct call, also through aliases.
    pub fn called_function(self) -> Option<Function<'c>> {
        if !self.is_call() {
            return None;
        }
        self.callee().aliasee().as_function()
    }

    /// Whether a call writes to no memory that the module can access, by its attributes and those of its function.
    pub fn only_reads(self) -> bool {
        // SAFETY: it is a call.
        self.is_call() && unsafe { shim::ofc_only_reads(self.raw) != 0 }
    }

    /// Whether a call may read or write memory, by its attributes and those of its function.
    pub fn may_access_memory(self) -> bool {
        // SAFETY: it is a call.
        self.is_call() && unsafe { shim::ofc_may_access_memory(self.raw) != 0 }
    }

    /// The intrinsic that a call calls.
    pub fn called_intrinsic(self) -> Option<Function<'c>> {
        self.called_function().filter(|function| function.is_intrinsic())
    }

    /// Whether a call is indirect: it calls a pointer.
    pub fn is_indirect_call(self) -> bool {
        self.is_call() && self.called_function().is_none() && !self.calls_inline_asm()
    }

    /// Whether it marks the start or the end of the lifetime of an alloca.
    pub fn is_lifetime_marker(self) -> bool {
        self.called_intrinsic().is_some_and(|intrinsic| intrinsic.name().starts_with("llvm.lifetime."))
    }

    /// Erases the lifetime markers of an alloca.
    pub fn erase_lifetime_markers(self) {
        self.users().into_iter().filter(|user| user.is_lifetime_marker()).for_each(Value::erase);
    }

    /// The function type of a call.
    pub fn called_type(self) -> Type<'c> {
        assert!(self.is_call());
        Type::new(llvm!(LLVMGetCalledFunctionType(self.raw)))
    }

    /// Whether it is a call of inline assembly.
    pub fn calls_inline_asm(self) -> bool {
        self.is_call() && self.callee().kind() == ValueKind::InlineAsm
    }

    /// A call's arguments.
    pub fn arguments(self) -> Vec<Value<'c>> {
        assert!(self.is_call());
        let count = llvm!(LLVMGetNumArgOperands(self.raw));
        (0..count).map(|i| Value::new(llvm!(LLVMGetOperand(self.raw, i)))).collect()
    }

    /// Whether it is a direct call of `function` with the function's own type, which does not use the function in any
    /// other way.
    pub fn is_plain_call_of(self, function: Function<'c>) -> bool {
        self.is_call()
            && self.callee() == function
            && self.called_type() == function.function_type()
            && !self.arguments().contains(&*function)
    }

    /// Removes `tail` or `musttail` from a call.
    pub fn clear_tail_kind(self) {
        assert!(self.is(Opcode::Call));
        llvm!(LLVMSetTailCallKind(self.raw, LLVMTailCallKind::LLVMTailCallKindNone))
    }

    /// Whether a call is `musttail`.
    pub fn is_musttail(self) -> bool {
        self.is(Opcode::Call) && llvm!(LLVMGetTailCallKind(self.raw)) == LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    /// The block where an invoke continues if nothing unwinds.
    pub fn normal_destination(self) -> Block<'c> {
        assert!(self.opcode() == Opcode::Invoke);
        Block::new(llvm!(LLVMGetNormalDest(self.raw)))
    }

    /// The block where an invoke continues if something unwinds.
    pub fn unwind_destination(self) -> Block<'c> {
        assert!(self.opcode() == Opcode::Invoke);
        Block::new(llvm!(LLVMGetUnwindDest(self.raw)))
    }

    /// The successors of a terminator.
    pub fn successors(self) -> Vec<Block<'c>> {
        assert!(self.is_instruction());
        let count = llvm!(LLVMGetNumSuccessors(self.raw));
        (0..count).map(|i| Block::new(llvm!(LLVMGetSuccessor(self.raw, i)))).collect()
    }

    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        self.is_instruction() && llvm!(!LLVMIsATerminatorInst(self.raw).is_null())
    }

    /// The condition of a conditional branch or a switch.
    pub fn condition(self) -> Option<Value<'c>> {
        match self.opcode() {
            Opcode::Br if llvm!(LLVMGetNumSuccessors(self.raw) == 2) => {
                Some(Value::new(llvm!(LLVMGetCondition(self.raw))))
            }
            Opcode::Switch | Opcode::IndirectBr => Some(self.operand(0)),
            _ => None,
        }
    }

    /// The value of the case for a switch's successor with this index; successor 0 is the default and has none.
    pub fn case_value(self, successor: u32) -> Value<'c> {
        assert!(self.is(Opcode::Switch) && successor != 0);
        Value::new(llvm!(LLVMGetSwitchCaseValue(self.raw, successor)))
    }

    /// The incoming values of a phi, each with its block.
    pub fn incoming(self) -> Vec<(Value<'c>, Block<'c>)> {
        assert!(self.opcode() == Opcode::Phi);
        let count = llvm!(LLVMCountIncoming(self.raw));
        (0..count)
            .map(|i| {
                (
                    Value::new(llvm!(LLVMGetIncomingValue(self.raw, i))),
                    Block::new(llvm!(LLVMGetIncomingBlock(self.raw, i))),
                )
            })
            .collect()
    }

    /// Adds an incoming value to a phi.
    pub fn add_incoming(self, value: Value<'c>, block: Block<'c>) {
        assert!(self.opcode() == Opcode::Phi);
        let (mut value, mut block) = (value.raw, block.raw);
        llvm!(LLVMAddIncoming(self.raw, &mut value, &mut block, 1))
    }

    /// The ordering of an atomic load, store or read-modify-write, or of a fence.
    pub fn ordering(self) -> Ordering {
        assert!(matches!(self.opcode(), Opcode::Load | Opcode::Store | Opcode::AtomicRMW | Opcode::Fence));
        llvm!(LLVMGetOrdering(self.raw)).into()
    }

    /// Sets the ordering of an atomic load or store.
    pub fn set_ordering(self, ordering: Ordering) {
        assert!(matches!(self.opcode(), Opcode::Load | Opcode::Store));
        llvm!(LLVMSetOrdering(self.raw, ordering.into()))
    }

    /// Whether a fence has the scope of a single thread.
    pub fn is_compiler_fence(self) -> bool {
        self.is(Opcode::Fence) && llvm!(LLVMIsAtomicSingleThread(self.raw) != 0)
    }

    /// The type of an alloca's memory.
    pub fn allocated_type(self) -> Type<'c> {
        assert!(self.opcode() == Opcode::Alloca);
        Type::new(llvm!(LLVMGetAllocatedType(self.raw)))
    }

    /// Moves an alloca to another address space, with a cast back after it. Returns the cast.
    pub fn move_alloca(self, address_space: u32) -> Value<'c> {
        assert!(self.opcode() == Opcode::Alloca);
        Value::new(llvm!(shim::ofc_move_alloca(self.raw, address_space)))
    }

    /// The source element type of a `getelementptr` instruction or expression.
    pub fn gep_source_type(self) -> Type<'c> {
        Type::new(llvm!(LLVMGetGEPSourceElementType(self.raw)))
    }

    /// The index path of an `extractvalue` or `insertvalue`.
    pub fn aggregate_indices(self) -> Vec<u32> {
        assert!(matches!(self.opcode(), Opcode::ExtractValue | Opcode::InsertValue));
        let count = llvm!(LLVMGetNumIndices(self.raw)) as usize;
        llvm!(std::slice::from_raw_parts(LLVMGetIndices(self.raw), count).to_vec())
    }

    /// The numbers of [`Value::set_metadata_numbers`]; none if there is no such metadata.
    pub fn metadata_numbers(self, kind: &str) -> Option<Vec<u64>> {
        assert!(self.is_instruction());
        // SAFETY: `operands` has room for each operand of the node.
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

    /// Whether the memory of a load does not change, see [`Value::mark_invariant`].
    pub fn is_invariant(self) -> bool {
        self.metadata_numbers("invariant.load").is_some()
    }

    /// Its debug location: its own location first, then those of the calls that it was inlined through.
    pub fn frames(self) -> Vec<Frame> {
        assert!(self.is_instruction());
        // SAFETY: the location is null or a `DILocation`.
        unsafe { frames_of(LLVMInstructionGetDebugLoc(self.raw)) }
    }

    /// The local variables that debug information declares in front of the instruction: the memory of each, and the
    /// place of its declaration.
    pub fn declared_locals(self) -> Vec<(Value<'c>, Frame)> {
        assert!(self.is_instruction());
        let mut all = Vec::new();
        // SAFETY: `record` is null or a record of the instruction. A declaration has one operand and a location.
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(self.raw);
            while !record.is_null() {
                if shim::LLVMDbgRecordGetKind(record) == DECLARATION {
                    let place = shim::LLVMDbgRecordGetDebugLoc(record);
                    let memory = Value::maybe(shim::LLVMDbgVariableRecordGetValue(record, 0));
                    all.extend(memory.filter(|_| !place.is_null()).map(|memory| (memory, frame(place))));
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        all
    }
}

/// LLVM's number of the records that declare a variable (`LLVMDbgRecordDeclare`).
const DECLARATION: c_int = 1;

/// A source location, and the function that contains it.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The file, which may be relative to `folder`.
    pub file: String,
    /// The folder in which the compiler ran; empty if it is unknown.
    pub folder: String,
    /// The line, from 1; 0 is unknown.
    pub line: u32,
    /// The column, from 1; 0 is unknown.
    pub column: u32,
    /// The function's symbol, or its name if it has no symbol.
    pub function: String,
}

/// The frames of a debug location and of the calls that it was inlined through, the innermost first.
///
/// # Safety
/// `place` is null or a `DILocation`.
pub(super) unsafe fn frames_of(mut place: LLVMMetadataRef) -> Vec<Frame> {
    let mut all = Vec::new();
    while !place.is_null() {
        // SAFETY: `place` is a `DILocation`, whose `inlinedAt` is null or another one.
        unsafe {
            all.push(frame(place));
            place = LLVMDILocationGetInlinedAt(place);
        }
    }
    all
}

/// The frame of one debug location.
///
/// # Safety
/// `place` is a `DILocation`.
unsafe fn frame(place: LLVMMetadataRef) -> Frame {
    // SAFETY: the caller has a `DILocation`; it has a scope, and `length` is the length of each text that LLVM returns.
    unsafe {
        let scope = LLVMDILocationGetScope(place);
        let file = LLVMDIScopeGetFile(scope);
        let mut length = 0;
        let (file, folder) = match file.is_null() {
            true => (String::new(), String::new()),
            false => {
                let name = borrowed(LLVMDIFileGetFilename(file, &mut length), length as usize);
                (name, borrowed(LLVMDIFileGetDirectory(file, &mut length), length as usize))
            }
        };
        let mut length = 0;
        let function = shim::ofc_scope_function(scope, &mut length);
        let function = borrowed(function, length);
        Frame { file, folder, line: LLVMDILocationGetLine(place), column: LLVMDILocationGetColumn(place), function }
    }
}
