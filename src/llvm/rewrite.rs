//! Rewrites functions: signatures, calls, constant expressions, demotion to memory, moved instructions.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{
    LLVMDIBuilderCreateDebugLocation, LLVMDILocationGetInlinedAt, LLVMDILocationGetScope, LLVMInstructionGetDebugLoc,
    LLVMInstructionSetDebugLoc,
};
use inkwell::llvm_sys::{LLVMFastMathAll, LLVMFastMathAllowContract, LLVMFastMathApproxFunc};
use std::ffi::c_int;

use super::value::c_name;
use super::{
    AtomicOperation, Attribute, Block, Builder, Function, Linkage, Module, Opcode, Ordering, Place, Type, Value, shim,
};

/// Permitted transformations of floating-point operations that change results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastMath {
    /// Contraction of a product and a sum, which is rounded once.
    Contract,
    /// Approximate results of functions.
    Approximate,
    /// All transformations that are valid for real numbers.
    All,
}

impl<'c> Function<'c> {
    /// Creates this function with another result type and additional parameters at the end. The new function takes over
    /// name, attributes, body and debug subprogram; `self` remains as a declaration. Calls are not changed, see
    /// [`Value::append_arguments`].
    pub fn extend_signature(self, result: Type<'c>, extra: &[Type<'c>]) -> Function<'c> {
        let before = self.function_type().parameters();
        self.change_signature(result, &[&before, extra].concat())
    }

    /// Creates this function with pointer parameters in other address spaces, which are cast at the start of the body.
    /// Calls are not changed, see [`Value::replace_call`].
    pub fn retype_parameters(self, parameters: &[Type<'c>]) -> Function<'c> {
        self.change_signature(self.function_type().result(), parameters)
    }

    fn change_signature(self, result: Type<'c>, parameters: &[Type<'c>]) -> Function<'c> {
        assert!(!self.function_type().is_vararg());
        let kept = self.function_type().parameters();
        let pointers = |(a, b): (&Type<'c>, &Type<'c>)| a == b || (a.is_pointer() && b.is_pointer());
        assert!(kept.len() <= parameters.len() && kept.iter().zip(parameters).all(pointers));
        let mut raw: Vec<_> = parameters.iter().map(|t| t.raw).collect();
        Function::new(llvm!(shim::ofc_change_signature(self.raw, result.raw, raw.as_mut_ptr(), raw.len())))
    }

    /// Gives this function debug information like that of another function, if it has any: an artificial subprogram at
    /// the line where the other one begins, and this line for each instruction. Code that is inlined into it then keeps
    /// its own lines. If the frame of the other function is described, that of this one is, too.
    pub fn describe_like(self, other: Function<'c>) {
        llvm!(shim::ofc_describe_like(self.raw, other.raw));
        let frames = other.attribute_value(Place::Function, "uwtable").filter(|_| other.has_subprogram());
        if let Some(kind) = frames {
            self.add_attribute(Place::Function, &Attribute::Enum("uwtable", kind));
        }
    }
}

impl<'c> Value<'c> {
    /// Replaces this call by a call of `callee` with additional arguments at the end. Erases `self`.
    pub fn append_arguments(self, callee: Function<'c>, extra: &[Value<'c>]) -> Value<'c> {
        let call = self.replace_call(callee, &[&self.arguments(), extra].concat());
        // `tail` promises that the callee does not access the caller's allocas.
        if extra.iter().any(|value| value.is(Opcode::Alloca)) && !call.is_musttail() {
            call.clear_tail_kind();
        }
        call
    }

    /// Replaces this call by a call of `callee` with these arguments. Erases `self`. The attributes remain, so the
    /// first arguments must be the same ones, possibly in other address spaces.
    pub fn replace_call(self, callee: Function<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        assert!(self.is(Opcode::Call));
        let types = callee.function_type().parameters();
        assert!(types.len() == arguments.len() && types.iter().zip(arguments).all(|(t, a)| *t == a.ty()));
        let mut raw: Vec<_> = arguments.iter().map(|v| v.raw).collect();
        Value::new(llvm!(shim::ofc_replace_call(self.raw, callee.raw, raw.as_mut_ptr(), raw.len())))
    }

    /// Replaces constant expressions that use this global by instructions in functions.
    pub fn expand_constant_users(self) {
        assert!(self.is_global());
        llvm!(shim::ofc_expand_constant_users(self.raw))
    }

    /// Demotes the result of this instruction to an alloca; none if it is not used.
    pub fn demote_to_stack(self) -> Option<Value<'c>> {
        assert!(self.is_instruction());
        Value::maybe(llvm!(shim::ofc_demote_to_stack(self.raw)))
    }

    /// Splits its block before this instruction. Returns the new block, which starts with the instruction.
    pub fn split_block(self, name: &str) -> Block<'c> {
        assert!(self.is_instruction());
        Block::new(llvm!(shim::ofc_split_block(self.raw, c_name(name).as_ptr())))
    }

    /// A copy of this instruction that is in no block; see [`Builder::insert`].
    pub fn duplicate(self) -> Value<'c> {
        assert!(self.is_instruction());
        Value::new(llvm!(LLVMInstructionClone(self.raw)))
    }

    /// Moves this instruction to the position of a builder.
    pub fn move_to(self, builder: &Builder<'c>) {
        assert!(self.is_instruction());
        llvm!(LLVMInstructionRemoveFromParent(self.raw));
        builder.insert(self);
    }

    /// Marks a load as invariant: its memory does not change while the function runs.
    pub fn mark_invariant(self) {
        assert!(self.is(Opcode::Load));
        const KIND: &str = "invariant.load";
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.raw)));
        let kind = llvm!(LLVMGetMDKindIDInContext(context, KIND.as_ptr().cast(), KIND.len() as u32));
        let empty = llvm!(LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0));
        llvm!(LLVMSetMetadata(self.raw, kind, LLVMMetadataAsValue(context, empty)));
    }

    /// Drops the loop metadata at the end of a loop's last block.
    pub fn drop_loop_hints(self) {
        const KIND: &str = "llvm.loop";
        assert!(self.is_instruction());
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.raw)));
        let kind = llvm!(LLVMGetMDKindIDInContext(context, KIND.as_ptr().cast(), KIND.len() as u32));
        llvm!(LLVMSetMetadata(self.raw, kind, std::ptr::null_mut()));
    }

    /// Whether an access to memory is volatile.
    pub fn is_volatile(self) -> bool {
        use Opcode::{AtomicCmpXchg, AtomicRMW, Load, Store};
        assert!(matches!(self.opcode(), Load | Store | AtomicRMW | AtomicCmpXchg));
        llvm!(LLVMGetVolatile(self.raw) != 0)
    }

    /// Replaces a `getelementptr` by one with an offset in bytes. Erases the first one.
    pub fn expand_gep(self) {
        assert!(self.is(Opcode::GetElementPtr) && self.ty().is_pointer());
        llvm!(shim::ofc_expand_gep(self.raw))
    }

    /// Replaces an integer division or remainder by LLVM's loop over its bits. Erases the division.
    pub fn expand_division(self) {
        assert!(matches!(self.opcode(), Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem));
        llvm!(shim::ofc_expand_division(self.raw))
    }

    /// Replaces an atomic read-modify-write by a loop around a compare-and-exchange.
    pub fn expand_atomic(self) {
        assert!(self.is(Opcode::AtomicRMW));
        llvm!(shim::ofc_expand_atomic(self.raw))
    }

    /// Replaces an atomic access to memory of one thread by accesses that are not atomic. Erases an `atomicrmw` or a
    /// `cmpxchg`.
    pub fn lower_private_atomic(self) {
        assert!(self.is_atomic_access());
        llvm!(shim::ofc_lower_private_atomic(self.raw))
    }

    /// Replaces an atomic access to 1 or 2 bytes by one to the aligned 4 bytes that contain them. Erases the access.
    pub fn widen_atomic(self) {
        use Opcode::{AtomicCmpXchg, AtomicRMW, Load, Store};
        assert!(matches!(self.opcode(), Load | Store | AtomicRMW | AtomicCmpXchg));
        llvm!(shim::ofc_widen_atomic(self.raw))
    }

    /// Replaces a call of `llvm.vector.reduce.*` by operations on the elements. Erases the call.
    pub fn expand_reduction(self) {
        assert!(self.is(Opcode::Call));
        llvm!(shim::ofc_expand_reduction(self.raw))
    }

    /// Replaces a call of `llvm.memmove` or `llvm.memset` by a loop. Erases the call. Pointers with different address
    /// spaces are cast to `generic`.
    pub fn expand_memory_call(self, generic: u32) {
        assert!(self.is(Opcode::Call));
        llvm!(shim::ofc_expand_memory_call(self.raw, generic))
    }

    /// A relaxed compare-and-exchange with the same scope: `{ value, whether it was exchanged }`.
    pub fn relaxed_exchange(self, expected: Value<'c>, new: Value<'c>) -> Value<'c> {
        assert!(self.is(Opcode::AtomicCmpXchg));
        let builder = Builder::before(self);
        let relaxed = Ordering::Monotonic;
        let scope = llvm!(LLVMGetAtomicSyncScopeID(self.raw));
        let address = self.operand(0).raw;
        Value::new(llvm!(LLVMBuildAtomicCmpXchgSyncScope(
            builder.raw,
            address,
            expected.raw,
            new.raw,
            relaxed.into(),
            relaxed.into(),
            scope,
        )))
    }

    /// The ordering of a compare-and-exchange on success.
    pub fn exchange_ordering(self) -> Ordering {
        assert!(self.is(Opcode::AtomicCmpXchg));
        llvm!(LLVMGetCmpXchgSuccessOrdering(self.raw)).into()
    }

    /// The operation of an atomic read-modify-write.
    pub fn atomic_operation(self) -> AtomicOperation {
        assert!(self.is(Opcode::AtomicRMW));
        llvm!(LLVMGetAtomicRMWBinOp(self.raw)).into()
    }

    /// A relaxed operation of the same kind, on the same address and with the same scope, with another operand.
    pub fn relaxed_operation(self, value: Value<'c>) -> Value<'c> {
        let operation = self.atomic_operation();
        let builder = Builder::before(self);
        let relaxed = Ordering::Monotonic;
        let (address, scope) = (self.operand(0).raw, llvm!(LLVMGetAtomicSyncScopeID(self.raw)));
        let (operation, relaxed) = (operation.into(), relaxed.into());
        Value::new(llvm!(LLVMBuildAtomicRMWSyncScope(builder.raw, operation, address, value.raw, relaxed, scope)))
    }

    /// Makes a load or store volatile.
    pub fn set_volatile(self) {
        assert!(matches!(self.opcode(), Opcode::Load | Opcode::Store));
        llvm!(LLVMSetVolatile(self.raw, 1))
    }

    /// Whether a load or store is atomic.
    pub fn is_atomic(self) -> bool {
        assert!(matches!(self.opcode(), Opcode::Load | Opcode::Store));
        Ordering::from(llvm!(LLVMGetOrdering(self.raw))) != Ordering::NotAtomic
    }

    /// Makes a global variable thread-local.
    pub fn set_thread_local(self) {
        assert!(self.is_global_variable());
        llvm!(LLVMSetThreadLocal(self.raw, 1))
    }

    /// The definition of an alias, which may be an expression.
    pub fn alias_target(self) -> Value<'c> {
        assert!(self.is_alias());
        Value::new(llvm!(LLVMAliasGetAliasee(self.raw)))
    }

    /// The predicate of an `icmp`.
    pub fn icmp_predicate(self) -> super::IntPredicate {
        assert!(self.is(Opcode::ICmp));
        llvm!(LLVMGetICmpPredicate(self.raw)).into()
    }

    /// The predicate of an `fcmp`.
    pub fn fcmp_predicate(self) -> super::RealPredicate {
        assert!(self.is(Opcode::FCmp));
        llvm!(LLVMGetFCmpPredicate(self.raw)).into()
    }

    /// Whether it is an alloca with a constant size.
    pub fn is_fixed_alloca(self) -> bool {
        self.is(Opcode::Alloca) && self.operand(0).as_u64().is_some()
    }

    /// Removes flags and metadata that could make its value poison if it is computed elsewhere: `nuw`, `inbounds`,
    /// ranges.
    pub fn drop_annotations(self) {
        assert!(self.is_instruction());
        llvm!(shim::ofc_drop_annotations(self.raw))
    }

    /// Adds fast-math flags to a floating-point operation. Does nothing for other instructions.
    pub fn allow(self, rules: FastMath) {
        assert!(self.is_instruction());
        let flags = match rules {
            FastMath::All => LLVMFastMathAll,
            FastMath::Contract => LLVMFastMathAllowContract,
            FastMath::Approximate => LLVMFastMathApproxFunc,
        };
        if llvm!(LLVMCanValueUseFastMathFlags(self.raw)) != 0 {
            llvm!(LLVMSetFastMathFlags(self.raw, LLVMGetFastMathFlags(self.raw) | flags));
        }
    }

    /// Whether it is a floating-point operation.
    pub fn is_of_floats(self) -> bool {
        self.is_instruction() && llvm!(LLVMCanValueUseFastMathFlags(self.raw)) != 0
    }

    /// Whether it is a floating-point operation that may be a part of another one.
    pub fn allows_contraction(self) -> bool {
        self.is_of_floats() && llvm!(LLVMGetFastMathFlags(self.raw)) & LLVMFastMathAllowContract != 0
    }

    /// Sets the number of copies to which the loop is unrolled whose latch this terminator ends; 0 is full unrolling.
    pub fn unroll_loop(self, count: u32) {
        assert!(self.is_terminator());
        llvm!(shim::ofc_unroll_loop(self.raw, count))
    }

    /// Whether the loop whose latch this terminator ends has a hint.
    pub fn has_loop_hint(self) -> bool {
        assert!(self.is_terminator());
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.raw)));
        let kind = llvm!(LLVMGetMDKindIDInContext(context, c"llvm.loop".as_ptr(), 9));
        !llvm!(LLVMGetMetadata(self.raw, kind)).is_null()
    }

    /// Marks the loop whose latch this terminator ends as parallel: its iterations do not depend on the accesses of
    /// others in `call`.
    pub fn iterate_in_any_order(self, call: Value<'c>) {
        assert!(self.is_terminator() && call.is_call());
        llvm!(shim::ofc_iterate_in_any_order(self.raw, call.raw))
    }

    /// Removes the flag `nsw`, the promise that a signed result fits, from an integer operation.
    pub fn drop_no_signed_wrap(self) {
        assert!(matches!(self.opcode(), Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl));
        llvm!(LLVMSetNSW(self.raw, 0))
    }

    /// Removes the flag `nuw`, the promise that a result without a sign fits, from an integer operation.
    pub fn drop_no_unsigned_wrap(self) {
        assert!(matches!(self.opcode(), Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl));
        llvm!(LLVMSetNUW(self.raw, 0))
    }

    /// Removes the promises of an address (`inbounds`, `nusw`, `nuw`), of an extension (`nneg`) or of a truncation
    /// (`nuw`, `nsw`). Other instructions stay as they are.
    pub fn drop_promises_about_operands(self) {
        match self.opcode() {
            Opcode::GetElementPtr => llvm!(LLVMGEPSetNoWrapFlags(self.raw, 0)),
            Opcode::ZExt => llvm!(LLVMSetNNeg(self.raw, 0)),
            Opcode::Trunc => {
                llvm!(LLVMSetNUW(self.raw, 0));
                llvm!(LLVMSetNSW(self.raw, 0));
            }
            _ => {}
        }
    }

    /// Whether an integer operation promises that its signed result fits.
    pub fn has_no_signed_wrap(self) -> bool {
        assert!(matches!(self.opcode(), Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl));
        llvm!(LLVMGetNSW(self.raw) != 0)
    }

    /// The number of low bits of which this integer, or each of a vector, is the zero extension where `at` runs.
    pub fn unsigned_bits(self, at: Value<'c>) -> u32 {
        self.needed_bits(at, 0)
    }

    /// The number of low bits of which this integer, or each of a vector, is the sign extension where `at` runs.
    pub fn signed_bits(self, at: Value<'c>) -> u32 {
        self.needed_bits(at, 1)
    }

    fn needed_bits(self, at: Value<'c>, is_signed: c_int) -> u32 {
        assert!(at.is_instruction() && self.ty().scalar_width().is_some());
        llvm!(shim::ofc_needed_bits(self.raw, at.raw, is_signed))
    }

    /// Removes the flag `nsz` from a floating-point operation. Does nothing for other instructions.
    pub fn distinguish_zeros(self) {
        assert!(self.is_instruction());
        llvm!(shim::ofc_distinguish_zeros(self.raw))
    }

    /// Removes from the debug location of an inlined instruction the inner ones, and keeps those from this one on. None
    /// keeps the function that the instruction is in now, with line 0.
    pub fn keep_outer_location(self, first: Option<usize>) {
        assert!(self.is_instruction());
        // SAFETY: `place` is null or a `DILocation`, whose `inlinedAt` is another one or null. The scope of the last
        // one is in the function of the instruction.
        unsafe {
            let mut place = LLVMInstructionGetDebugLoc(self.raw);
            for number in 0.. {
                let outer = if place.is_null() { break } else { LLVMDILocationGetInlinedAt(place) };
                if first == Some(number) {
                    break;
                }
                if outer.is_null() {
                    let (scope, context) = (LLVMDILocationGetScope(place), LLVMGetTypeContext(LLVMTypeOf(self.raw)));
                    place = LLVMDIBuilderCreateDebugLocation(context, 0, 0, scope, outer);
                    break;
                }
                place = outer;
            }
            LLVMInstructionSetDebugLoc(self.raw, place);
        }
    }

    /// Gives this instruction the line where a function begins that `inlined` comes from: that of the frame with this
    /// number. Both are in the same function, which has a subprogram.
    pub fn locate_at_head(self, inlined: Value<'c>, number: usize) {
        assert!(self.function() == inlined.function() && self.function().has_subprogram());
        assert!(number < inlined.frames().len());
        llvm!(shim::ofc_locate_at_head(self.raw, inlined.raw, number as u32))
    }

    /// Removes the debug location.
    pub fn clear_location(self) {
        assert!(self.is_instruction());
        llvm!(LLVMInstructionSetDebugLoc(self.raw, std::ptr::null_mut()))
    }
}

impl<'c> Module<'c> {
    /// Keeps an unused global in the module's code. Linkers may remove it.
    pub fn keep(&self, global: Value<'c>) {
        assert!(global.is_global());
        let before = self.variable("llvm.compiler.used");
        let list = before.and_then(Value::initializer);
        let mut kept: Vec<_> = list.map(|list| list.operands()).unwrap_or_default();
        kept.push(global);
        before.into_iter().for_each(Value::erase_global);
        let pointer = self.types().ptr(0);
        let used = self.add_variable("llvm.compiler.used", pointer.array(kept.len() as u64), 0);
        used.set_initializer(Some(pointer.constant_array(&kept)));
        used.set_linkage(Linkage::Appending);
        used.set_section("llvm.metadata");
    }
}

impl<'c> Builder<'c> {
    /// Inserts an instruction that is in no block.
    pub fn insert(&self, instruction: Value<'c>) {
        llvm!(LLVMInsertIntoBuilder(self.raw, instruction.raw))
    }

    /// The block of the builder.
    pub fn block(&self) -> Block<'c> {
        Block::new(llvm!(LLVMGetInsertBlock(self.raw)))
    }

    /// `add nuw`: the sum of the unsigned operands fits.
    pub fn add_no_wrap(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildNUWAdd(self.raw, left.raw, right.raw, c_name(name).as_ptr())))
    }
}
