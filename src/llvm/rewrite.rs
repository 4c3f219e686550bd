//! Rewriting functions: signatures, calls, constant expressions, values kept in memory, instructions moved.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionSetDebugLoc;
use inkwell::llvm_sys::{LLVMFastMathAll, LLVMFastMathAllowContract};

use super::value::c_name;
use super::{AtomicOperation, Block, Builder, Linkage, Module, Opcode, Ordering, Type, Value, shim};

/// What may be done with operations on floats that would change their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastMath {
    /// A product and a sum in one, rounded once.
    Contract,
    /// Anything that holds for real numbers.
    All,
}

// As in value.rs: live values go to the LLVM call of the same name after a check of their kind; `unsafe` has no
// other reason here.

impl<'c> Value<'c> {
    /// This function with another result and more parameters at the end: the new one takes name, attributes, body and
    /// debug subprogram; `self` stays behind as a declaration. Calls are not changed, see
    /// [`Value::append_arguments`].
    pub fn extend_signature(self, result: Type<'c>, extra: &[Type<'c>]) -> Value<'c> {
        let before = self.function_type().parameters();
        self.change_signature(result, &[&before, extra].concat())
    }

    /// The same with pointer parameters in other address spaces; the body gets each through a cast. Calls are not
    /// changed, see [`Value::replace_call`].
    pub fn retype_parameters(self, parameters: &[Type<'c>]) -> Value<'c> {
        self.change_signature(self.function_type().result(), parameters)
    }

    fn change_signature(self, result: Type<'c>, parameters: &[Type<'c>]) -> Value<'c> {
        assert!(self.is_function() && !self.function_type().is_vararg());
        let kept = self.function_type().parameters();
        let pointers = |(a, b): (&Type<'c>, &Type<'c>)| a == b || (a.is_pointer() && b.is_pointer());
        assert!(kept.len() <= parameters.len() && kept.iter().zip(parameters).all(pointers));
        let mut raw: Vec<_> = parameters.iter().map(|t| t.raw).collect();
        Value::new(unsafe { shim::ofc_change_signature(self.raw, result.raw, raw.as_mut_ptr(), raw.len()) })
    }

    /// Replaces this call by one of `callee` with more arguments at the end; `self` is gone after it.
    pub fn append_arguments(self, callee: Value<'c>, extra: &[Value<'c>]) -> Value<'c> {
        let call = self.replace_call(callee, &[&self.arguments(), extra].concat());
        // `tail` says that the callee touches no local variable of the caller's.
        if extra.iter().any(|value| value.is(Opcode::Alloca)) && !call.is_musttail() {
            call.clear_tail_kind();
        }
        call
    }

    /// Replaces this call by one of `callee` with these arguments; `self` is gone after it. Its attributes stay, so the
    /// first arguments are the ones it had, if perhaps in another address space.
    pub fn replace_call(self, callee: Value<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        assert!(self.is(Opcode::Call) && callee.is_function());
        let types = callee.function_type().parameters();
        assert!(types.len() == arguments.len() && types.iter().zip(arguments).all(|(t, a)| *t == a.ty()));
        let mut raw: Vec<_> = arguments.iter().map(|v| v.raw).collect();
        Value::new(unsafe { shim::ofc_replace_call(self.raw, callee.raw, raw.as_mut_ptr(), raw.len()) })
    }

    /// Turns constant expressions that use this global into instructions, wherever functions use them.
    pub fn expand_constant_users(self) {
        assert!(self.is_global());
        unsafe { shim::ofc_expand_constant_users(self.raw) }
    }

    /// A second function with the same body, internal or external as this one is.
    pub fn clone_function(self) -> Value<'c> {
        assert!(self.is_function());
        Value::new(unsafe { shim::ofc_clone_function(self.raw) })
    }

    /// A copy of this function that has of its first block what `blocks` need and goes on in `start`, one of them; no way
    /// leads from them to other blocks. With debug information more is left.
    pub fn clone_region(self, start: Block<'c>, blocks: &[Block<'c>]) -> Value<'c> {
        assert!(self.is_function() && blocks.contains(&start) && blocks.iter().all(|b| b.function() == self));
        let mut raw: Vec<_> = blocks.iter().map(|b| b.raw).collect();
        Value::new(unsafe { shim::ofc_clone_region(self.raw, start.raw, raw.as_mut_ptr(), raw.len()) })
    }

    /// Keeps this instruction's value in an alloca instead of a register; none when nothing used it.
    pub fn demote_to_stack(self) -> Option<Value<'c>> {
        assert!(self.is_instruction());
        Value::maybe(unsafe { shim::ofc_demote_to_stack(self.raw) })
    }

    /// Gives this function debug information at the line of another function, if that one has any: an artificial
    /// subprogram, and its line for each instruction. Code inlined into it then keeps its own lines.
    pub fn describe_like(self, other: Value<'c>) {
        assert!(self.is_function() && other.is_function());
        unsafe { shim::ofc_describe_like(self.raw, other.raw) }
    }

    /// Splits its block: the new block starts with this instruction, and the old one branches to it.
    pub fn split_block(self, name: &str) -> Block<'c> {
        assert!(self.is_instruction());
        Block::new(unsafe { shim::ofc_split_block(self.raw, c_name(name).as_ptr()) })
    }

    /// A copy of this instruction that stands in no block yet; see [`Builder::insert`].
    pub fn duplicate(self) -> Value<'c> {
        assert!(self.is_instruction());
        Value::new(unsafe { LLVMInstructionClone(self.raw) })
    }

    /// Moves this instruction to where a builder stands.
    pub fn move_to(self, builder: &Builder<'c>) {
        assert!(self.is_instruction());
        unsafe { LLVMInstructionRemoveFromParent(self.raw) };
        builder.insert(self);
    }

    /// Says that a load reads memory that never changes while the function runs.
    pub fn mark_invariant(self) {
        assert!(self.is(Opcode::Load));
        const KIND: &str = "invariant.load";
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let kind = LLVMGetMDKindIDInContext(context, KIND.as_ptr().cast(), KIND.len() as u32);
            let empty = LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0);
            LLVMSetMetadata(self.raw, kind, LLVMMetadataAsValue(context, empty));
        }
    }

    /// Whether an access to memory is volatile.
    pub fn is_volatile(self) -> bool {
        use Opcode::{AtomicCmpXchg, AtomicRMW, Load, Store};
        assert!(matches!(self.opcode(), Load | Store | AtomicRMW | AtomicCmpXchg));
        unsafe { LLVMGetVolatile(self.raw) != 0 }
    }

    /// Replaces a `getelementptr` of one pointer by one that counts bytes; the first is gone after it.
    pub fn expand_gep(self) {
        assert!(self.is(Opcode::GetElementPtr) && self.ty().is_pointer());
        unsafe { shim::ofc_expand_gep(self.raw) }
    }

    /// Replaces an integer division or remainder by LLVM's loop over its bits; the division is gone after it.
    pub fn expand_division(self) {
        assert!(matches!(self.opcode(), Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem));
        unsafe { shim::ofc_expand_division(self.raw) }
    }

    /// Replaces an atomic read-modify-write by a loop around a compare-and-exchange.
    pub fn expand_atomic(self) {
        assert!(self.is(Opcode::AtomicRMW));
        unsafe { shim::ofc_expand_atomic(self.raw) }
    }

    /// Replaces an atomic access to 1 or 2 bytes by one to the aligned 4 bytes around them; the access is gone after it.
    pub fn widen_atomic(self) {
        use Opcode::{AtomicCmpXchg, AtomicRMW, Load, Store};
        assert!(matches!(self.opcode(), Load | Store | AtomicRMW | AtomicCmpXchg));
        unsafe { shim::ofc_widen_atomic(self.raw) }
    }

    /// Replaces a call of `llvm.vector.reduce.*` by operations on the elements; the call is gone after it.
    pub fn expand_reduction(self) {
        assert!(self.is(Opcode::Call));
        unsafe { shim::ofc_expand_reduction(self.raw) }
    }

    /// Replaces a call of `llvm.memmove` or `llvm.memset` by a loop; the call is gone after it. Pointers of different
    /// address spaces meet in the one given.
    pub fn expand_memory_call(self, generic: u32) {
        assert!(self.is(Opcode::Call));
        unsafe { shim::ofc_expand_memory_call(self.raw, generic) }
    }

    /// A compare-and-exchange of the same scope that orders nothing else: `{ value, whether it was exchanged }`.
    pub fn relaxed_exchange(self, expected: Value<'c>, new: Value<'c>) -> Value<'c> {
        assert!(self.is(Opcode::AtomicCmpXchg));
        let builder = Builder::before(self);
        let relaxed = Ordering::Monotonic;
        unsafe {
            let scope = LLVMGetAtomicSyncScopeID(self.raw);
            let address = self.operand(0).raw;
            Value::new(LLVMBuildAtomicCmpXchgSyncScope(
                builder.raw,
                address,
                expected.raw,
                new.raw,
                relaxed.into(),
                relaxed.into(),
                scope,
            ))
        }
    }

    /// The orderings of a compare-and-exchange that succeeds.
    pub fn exchange_ordering(self) -> Ordering {
        assert!(self.is(Opcode::AtomicCmpXchg));
        unsafe { LLVMGetCmpXchgSuccessOrdering(self.raw) }.into()
    }

    /// What an atomic read-modify-write does.
    pub fn atomic_operation(self) -> AtomicOperation {
        assert!(self.is(Opcode::AtomicRMW));
        unsafe { LLVMGetAtomicRMWBinOp(self.raw) }.into()
    }

    /// The same operation on the same address and in the same scope, on another value, that orders nothing else.
    pub fn relaxed_operation(self, value: Value<'c>) -> Value<'c> {
        let operation = self.atomic_operation();
        let builder = Builder::before(self);
        let relaxed = Ordering::Monotonic;
        unsafe {
            let (address, scope) = (self.operand(0).raw, LLVMGetAtomicSyncScopeID(self.raw));
            let (operation, relaxed) = (operation.into(), relaxed.into());
            Value::new(LLVMBuildAtomicRMWSyncScope(builder.raw, operation, address, value.raw, relaxed, scope))
        }
    }

    /// Makes a load or store volatile.
    pub fn set_volatile(self) {
        assert!(matches!(self.opcode(), Opcode::Load | Opcode::Store));
        unsafe { LLVMSetVolatile(self.raw, 1) }
    }

    /// Whether a load or store is atomic.
    pub fn is_atomic(self) -> bool {
        assert!(matches!(self.opcode(), Opcode::Load | Opcode::Store));
        Ordering::from(unsafe { LLVMGetOrdering(self.raw) }) != Ordering::NotAtomic
    }

    /// Makes a global variable one of each host thread.
    pub fn set_thread_local(self) {
        assert!(self.is_global_variable());
        unsafe { LLVMSetThreadLocal(self.raw, 1) }
    }

    /// What an alias is defined as, an expression perhaps.
    pub fn alias_target(self) -> Value<'c> {
        assert!(self.is_alias());
        Value::new(unsafe { LLVMAliasGetAliasee(self.raw) })
    }

    /// The predicate of an `icmp`.
    pub fn icmp_predicate(self) -> super::IntPredicate {
        assert!(self.is(Opcode::ICmp));
        unsafe { LLVMGetICmpPredicate(self.raw) }.into()
    }

    /// Whether it is an alloca of constant size.
    pub fn is_fixed_alloca(self) -> bool {
        self.is(Opcode::Alloca) && self.operand(0).as_u64().is_some()
    }

    /// Drops flags and metadata that make its value poison where it would not be computed: `nuw`, `inbounds`, ranges.
    pub fn drop_annotations(self) {
        assert!(self.is_instruction());
        unsafe { shim::ofc_drop_annotations(self.raw) }
    }

    /// Lets an operation on floats be done by these rules as well; nothing for any other instruction.
    pub fn allow(self, rules: FastMath) {
        assert!(self.is_instruction());
        let flags = match rules {
            FastMath::All => LLVMFastMathAll,
            FastMath::Contract => LLVMFastMathAllowContract,
        };
        unsafe {
            if LLVMCanValueUseFastMathFlags(self.raw) != 0 {
                LLVMSetFastMathFlags(self.raw, LLVMGetFastMathFlags(self.raw) | flags);
            }
        }
    }

    /// Takes back that an operation on floats need not tell -0 from +0; nothing for any other instruction.
    pub fn distinguish_zeros(self) {
        assert!(self.is_instruction());
        unsafe { shim::ofc_distinguish_zeros(self.raw) }
    }

    /// Drops the debug location.
    pub fn forget_location(self) {
        assert!(self.is_instruction());
        unsafe { LLVMInstructionSetDebugLoc(self.raw, std::ptr::null_mut()) }
    }
}

impl<'c> Module<'c> {
    /// Keeps a global through this module's code generation although nothing uses it; linkers may drop it.
    pub fn keep(&self, global: Value<'c>) {
        assert!(global.is_global() && self.variable("llvm.compiler.used").is_none());
        let pointer = self.types().ptr(0);
        let used = self.add_variable("llvm.compiler.used", pointer.array(1), 0);
        used.set_initializer(Some(pointer.constant_array(&[global])));
        used.set_linkage(Linkage::Appending);
        used.set_section("llvm.metadata");
    }
}

impl<'c> Builder<'c> {
    /// Inserts an instruction that stands in no block.
    pub fn insert(&self, instruction: Value<'c>) {
        unsafe { LLVMInsertIntoBuilder(self.raw, instruction.raw) }
    }

    /// The block it appends to or inserts in.
    pub fn block(&self) -> Block<'c> {
        Block::new(unsafe { LLVMGetInsertBlock(self.raw) })
    }

    /// `add nuw`: the sum of the unsigned operands fits.
    pub fn add_no_wrap(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        Value::new(unsafe { LLVMBuildNUWAdd(self.raw, left.raw, right.raw, c_name(name).as_ptr()) })
    }
}
