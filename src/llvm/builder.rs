//! Building instructions.

use inkwell::llvm_sys::LLVMInlineAsmDialect;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::LLVMBuilderRef;
use std::marker::PhantomData;

use super::value::c_name;
use super::{Attribute, Block, Context, Function, IntPredicate, Opcode, Ordering, Place, RealPredicate, Type, Value};

/// Inserts instructions at a position in a function.
pub struct Builder<'c> {
    pub(super) raw: LLVMBuilderRef,
    context: PhantomData<&'c Context>,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `LLVMCreateBuilderInContext`, disposed of once.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

impl<'c> Builder<'c> {
    /// A builder that appends to `block`.
    pub fn at_end(block: Block<'c>) -> Self {
        let raw = llvm!(LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block.raw)))));
        llvm!(LLVMPositionBuilderAtEnd(raw, block.raw));
        Builder { raw, context: PhantomData }
    }

    /// A builder that inserts before `instruction`, with its debug location.
    pub fn before(instruction: Value<'c>) -> Self {
        let builder = Self::at_end(instruction.block());
        llvm!(LLVMPositionBuilderBefore(builder.raw, instruction.raw));
        llvm!(LLVMSetCurrentDebugLocation2(builder.raw, LLVMInstructionGetDebugLoc(instruction.raw)));
        builder
    }

    /// A builder at the first position of a block for an ordinary instruction: after its phis.
    pub fn at_start(block: Block<'c>) -> Self {
        match block.instructions().find(|i| i.opcode() != Opcode::Phi) {
            Some(first) => {
                let builder = Self::before(first);
                llvm!(LLVMSetCurrentDebugLocation2(builder.raw, std::ptr::null_mut()));
                builder
            }
            None => Self::at_end(block),
        }
    }

    /// Moves to the end of `block`.
    pub fn move_to_end(&self, block: Block<'c>) {
        llvm!(LLVMPositionBuilderAtEnd(self.raw, block.raw))
    }

    /// Sets the debug location of later instructions to that of `instruction`.
    pub fn locate_as(&self, instruction: Value<'c>) {
        llvm!(LLVMSetCurrentDebugLocation2(self.raw, LLVMInstructionGetDebugLoc(instruction.raw)))
    }

    /// `call` of a function.
    pub fn call(&self, callee: Function<'c>, arguments: &[Value<'c>], name: &str) -> Value<'c> {
        self.call_typed(callee.function_type(), *callee, arguments, name)
    }

    /// `call` of a pointer, with this function type.
    pub fn call_typed(&self, ty: Type<'c>, callee: Value<'c>, arguments: &[Value<'c>], name: &str) -> Value<'c> {
        let mut raw: Vec<_> = arguments.iter().map(|v| v.raw).collect();
        let name = c_name(if ty.result().is_void() { "" } else { name });
        Value::new(llvm!(LLVMBuildCall2(
            self.raw,
            ty.raw,
            callee.raw,
            raw.as_mut_ptr(),
            raw.len() as u32,
            name.as_ptr()
        )))
    }

    /// `ret void`.
    pub fn ret_void(&self) {
        llvm!(LLVMBuildRetVoid(self.raw));
    }

    /// `ret`.
    pub fn ret(&self, value: Value<'c>) {
        llvm!(LLVMBuildRet(self.raw, value.raw));
    }

    /// `br` without condition.
    pub fn br(&self, block: Block<'c>) {
        llvm!(LLVMBuildBr(self.raw, block.raw));
    }

    /// `br` with a condition.
    pub fn cond_br(&self, condition: Value<'c>, then: Block<'c>, or_else: Block<'c>) {
        llvm!(LLVMBuildCondBr(self.raw, condition.raw, then.raw, or_else.raw));
    }

    /// `switch`.
    pub fn switch(&self, value: Value<'c>, default: Block<'c>, cases: &[(Value<'c>, Block<'c>)]) {
        let switch = llvm!(LLVMBuildSwitch(self.raw, value.raw, default.raw, cases.len() as u32));
        for (case, block) in cases {
            llvm!(LLVMAddCase(switch, case.raw, block.raw));
        }
    }

    /// `unreachable`.
    pub fn unreachable(&self) {
        llvm!(LLVMBuildUnreachable(self.raw));
    }

    /// `ret` of a result; `ret void` if there is none, or if it is a call of a `void` function.
    pub fn ret_result(&self, value: Option<Value<'c>>) {
        match value.filter(|value| !value.ty().is_void()) {
            Some(value) => self.ret(value),
            None => self.ret_void(),
        }
    }

    /// A two-operand instruction, such as `LLVMAdd`.
    pub fn binary(&self, opcode: Opcode, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildBinOp(self.raw, opcode.into(), left.raw, right.raw, c_name(name).as_ptr())))
    }

    /// `fneg`.
    pub fn negate(&self, value: Value<'c>) -> Value<'c> {
        Value::new(llvm!(LLVMBuildFNeg(self.raw, value.raw, c"".as_ptr())))
    }

    /// `add`.
    pub fn add(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        self.binary(Opcode::Add, left, right, name)
    }

    /// `mul`.
    pub fn mul(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        self.binary(Opcode::Mul, left, right, name)
    }

    /// A conversion, such as `LLVMTrunc`.
    pub fn cast(&self, opcode: Opcode, value: Value<'c>, ty: Type<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildCast(self.raw, opcode.into(), value.raw, ty.raw, c_name(name).as_ptr())))
    }

    /// `addrspacecast`, or the value itself if it already has this type.
    pub fn address_space_cast(&self, value: Value<'c>, ty: Type<'c>, name: &str) -> Value<'c> {
        if value.ty() == ty {
            return value;
        }
        Value::new(llvm!(LLVMBuildAddrSpaceCast(self.raw, value.raw, ty.raw, c_name(name).as_ptr())))
    }

    /// `icmp`.
    pub fn icmp(&self, predicate: IntPredicate, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildICmp(self.raw, predicate.into(), left.raw, right.raw, c_name(name).as_ptr())))
    }

    /// `fcmp`.
    pub fn fcmp(&self, predicate: RealPredicate, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildFCmp(self.raw, predicate.into(), left.raw, right.raw, c_name(name).as_ptr())))
    }

    /// `select`.
    pub fn select(&self, condition: Value<'c>, then: Value<'c>, or_else: Value<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildSelect(self.raw, condition.raw, then.raw, or_else.raw, c_name(name).as_ptr())))
    }

    /// `phi`, without incoming values; see [`Value::add_incoming`].
    pub fn phi(&self, ty: Type<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildPhi(self.raw, ty.raw, c_name(name).as_ptr())))
    }

    /// `alloca` in the data layout's alloca address space.
    pub fn alloca(&self, ty: Type<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildAlloca(self.raw, ty.raw, c_name(name).as_ptr())))
    }

    /// `load`; the alignment is in bytes, and 0 is that of the type.
    pub fn load(&self, ty: Type<'c>, pointer: Value<'c>, align: u32, name: &str) -> Value<'c> {
        let load = llvm!(LLVMBuildLoad2(self.raw, ty.raw, pointer.raw, c_name(name).as_ptr()));
        if align != 0 {
            llvm!(LLVMSetAlignment(load, align));
        }
        Value::new(load)
    }

    /// `store`; the alignment is in bytes, and 0 is that of the type.
    pub fn store(&self, value: Value<'c>, pointer: Value<'c>, align: u32) {
        self.build_store(value, pointer, align);
    }

    /// `store volatile`; the alignment is in bytes, and 0 is that of the type.
    pub fn volatile_store(&self, value: Value<'c>, pointer: Value<'c>, align: u32) {
        self.build_store(value, pointer, align).set_volatile();
    }

    pub(super) fn build_store(&self, value: Value<'c>, pointer: Value<'c>, align: u32) -> Value<'c> {
        let store = llvm!(LLVMBuildStore(self.raw, value.raw, pointer.raw));
        if align != 0 {
            llvm!(LLVMSetAlignment(store, align));
        }
        Value::new(store)
    }

    /// `getelementptr inbounds` with all indices.
    pub fn gep(&self, ty: Type<'c>, pointer: Value<'c>, indices: &[Value<'c>], name: &str) -> Value<'c> {
        let mut raw: Vec<_> = indices.iter().map(|v| v.raw).collect();
        Value::new(llvm!(LLVMBuildInBoundsGEP2(
            self.raw,
            ty.raw,
            pointer.raw,
            raw.as_mut_ptr(),
            raw.len() as u32,
            c_name(name).as_ptr(),
        )))
    }

    /// A `getelementptr` from the same pointer as `model`, with another element type and other indices. It is
    /// `inbounds` if `model` is.
    pub fn gep_like(&self, model: Value<'c>, ty: Type<'c>, indices: &[Value<'c>]) -> Value<'c> {
        let (pointer, mut raw): (_, Vec<_>) = (model.operand(0), indices.iter().map(|v| v.raw).collect());
        let (count, name) = (raw.len() as u32, c"".as_ptr());
        let gep = llvm!(LLVMBuildGEP2(self.raw, ty.raw, pointer.raw, raw.as_mut_ptr(), count, name));
        if !llvm!(LLVMIsAGetElementPtrInst(gep)).is_null() {
            llvm!(LLVMSetIsInBounds(gep, LLVMIsInBounds(model.raw)));
        }
        Value::new(gep)
    }

    /// `freeze`.
    pub fn freeze(&self, value: Value<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildFreeze(self.raw, value.raw, c_name(name).as_ptr())))
    }

    /// The address `bytes` bytes after `pointer`.
    pub fn byte_offset(&self, pointer: Value<'c>, bytes: u64, name: &str) -> Value<'c> {
        let offset = pointer.types().i64().constant(bytes);
        self.gep(pointer.types().i8(), pointer, &[offset], name)
    }

    /// `insertvalue`.
    pub fn insert_value(&self, aggregate: Value<'c>, element: Value<'c>, index: u32, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildInsertValue(self.raw, aggregate.raw, element.raw, index, c_name(name).as_ptr())))
    }

    /// `extractvalue`.
    pub fn extract_value(&self, aggregate: Value<'c>, index: u32, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildExtractValue(self.raw, aggregate.raw, index, c_name(name).as_ptr())))
    }

    /// `extractelement`.
    pub fn extract_element(&self, vector: Value<'c>, index: Value<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildExtractElement(self.raw, vector.raw, index.raw, c_name(name).as_ptr())))
    }

    /// `insertelement`.
    pub fn insert_element(&self, vector: Value<'c>, element: Value<'c>, index: Value<'c>, name: &str) -> Value<'c> {
        Value::new(llvm!(LLVMBuildInsertElement(self.raw, vector.raw, element.raw, index.raw, c_name(name).as_ptr())))
    }

    /// Inline assembly with a result and side effects. The syntax of `constraints` is LLVM's.
    pub fn assembly(&self, result: Type<'c>, text: &str, constraints: &str, operands: &[Value<'c>]) -> Value<'c> {
        self.assembly_with(result, (text, constraints), operands, 1)
    }

    /// Inline assembly whose result depends on its operands alone, and that does nothing else.
    pub fn pure_assembly(&self, result: Type<'c>, text: &str, constraints: &str, operands: &[Value<'c>]) -> Value<'c> {
        let call = self.assembly_with(result, (text, constraints), operands, 0);
        call.add_attribute(Place::Function, &Attribute::Enum("memory", 0));
        ["nounwind", "willreturn"].into_iter().for_each(|name| call.mark(name));
        call
    }

    /// A copy of a value in a vector register of AMD, through which no pass looks.
    pub fn vector_copy(&self, value: Value<'c>) -> Value<'c> {
        self.assembly(value.ty(), "", "=v,0", &[value])
    }

    fn assembly_with(
        &self,
        result: Type<'c>,
        (text, constraints): (&str, &str),
        operands: &[Value<'c>],
        effects: i32,
    ) -> Value<'c> {
        let types: Vec<_> = operands.iter().map(|o| o.ty()).collect();
        let ty = result.function(&types);
        let dialect = LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
        // SAFETY: pointers and lengths describe the two texts, which LLVM copies.
        let callee = Value::new(unsafe {
            let (text_at, constraints_at) = (text.as_ptr().cast(), constraints.as_ptr().cast());
            LLVMGetInlineAsm(ty.raw, text_at, text.len(), constraints_at, constraints.len(), effects, 0, dialect, 0)
        });
        self.call_typed(ty, callee, operands, "")
    }

    /// `fence` with this ordering, and with the synchronisation scope of this name (`""`: system).
    pub fn fence(&self, ordering: Ordering, scope: &str) {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(LLVMGetInsertBlock(self.raw)))));
        let id =
            if scope.is_empty() { 1 } else { llvm!(LLVMGetSyncScopeID(context, scope.as_ptr().cast(), scope.len())) };
        llvm!(LLVMBuildFenceSyncScope(self.raw, ordering.into(), id, c"".as_ptr()));
    }
}
