//! Functions: parameters, blocks, bodies.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use std::ops::Deref;

use super::value::{borrowed, c_name};
use super::{Block, Linkage, Opcode, Place, Type, Value, shim};

/// A function: a [`Value`] with parameters and blocks. Attributes and the calling convention are methods of [`Value`],
/// because calls have them, too; linkage and section are, because variables have them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Function<'c>(Value<'c>);

impl<'c> Deref for Function<'c> {
    type Target = Value<'c>;

    fn deref(&self) -> &Value<'c> {
        &self.0
    }
}

impl<'c> From<Function<'c>> for Value<'c> {
    fn from(function: Function<'c>) -> Self {
        function.0
    }
}

impl<'c> PartialEq<Function<'c>> for Value<'c> {
    fn eq(&self, other: &Function<'c>) -> bool {
        *self == other.0
    }
}

impl std::fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<'c> Value<'c> {
    /// It as a function, if it is one.
    pub fn as_function(self) -> Option<Function<'c>> {
        self.is_function().then_some(Function(self))
    }
}

impl<'c> Function<'c> {
    /// # Panics
    /// If `raw` is null or no function.
    pub(super) fn new(raw: LLVMValueRef) -> Self {
        let value = Value::new(raw);
        assert!(value.is_function(), "{value:?} is no function");
        Function(value)
    }

    pub(super) fn maybe(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| Self::new(raw))
    }

    /// The function's type.
    pub fn function_type(self) -> Type<'c> {
        self.value_type()
    }

    /// The parameters.
    pub fn parameters(self) -> Vec<Value<'c>> {
        let count = llvm!(LLVMCountParams(self.raw));
        (0..count).map(|i| Value::new(llvm!(LLVMGetParam(self.raw, i)))).collect()
    }

    /// The blocks; the entry is first.
    pub fn blocks(self) -> Vec<Block<'c>> {
        let mut blocks = Vec::new();
        let mut each = llvm!(LLVMGetFirstBasicBlock(self.raw));
        while !each.is_null() {
            blocks.push(Block::new(each));
            each = llvm!(LLVMGetNextBasicBlock(each));
        }
        blocks
    }

    /// Every instruction, block by block.
    pub fn instructions(self) -> impl Iterator<Item = Value<'c>> {
        self.blocks().into_iter().flat_map(|b| b.instructions().collect::<Vec<_>>())
    }

    /// Appends an empty block.
    pub fn append_block(self, name: &str) -> Block<'c> {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.raw)));
        Block::new(llvm!(LLVMAppendBasicBlockInContext(context, self.raw, c_name(name).as_ptr())))
    }

    /// Moves the blocks and debug subprogram of `from` into this function, which must have no body.
    pub fn take_body(self, from: Function<'c>) {
        assert!(self.is_declaration());
        llvm!(shim::ofc_take_body(self.raw, from.raw))
    }

    /// Deletes the body, so that the function becomes an external declaration.
    pub fn delete_body(self) {
        llvm!(shim::ofc_delete_body(self.raw))
    }

    /// Whether debug information describes it.
    pub fn has_subprogram(self) -> bool {
        llvm!(!LLVMGetSubprogram(self.raw).is_null())
    }

    /// Deletes unreachable blocks.
    pub fn erase_unreachable_blocks(self) {
        assert!(!self.is_declaration());
        llvm!(shim::ofc_erase_unreachable_blocks(self.raw))
    }

    /// Separates comparisons of indices from the conditions without which an index is the largest number.
    pub fn compare_indices(self) {
        assert!(!self.is_declaration());
        llvm!(shim::ofc_compare_indices(self.raw))
    }

    /// Ends loops over every n-th number by their index, and not by a counter of their iterations.
    pub fn drop_counters(self) {
        assert!(!self.is_declaration());
        llvm!(shim::ofc_drop_counters(self.raw))
    }

    /// Computes the numbers of iterations of loops over every n-th number, as they are computed where there are some.
    pub fn simplify_counts(self) {
        assert!(!self.is_declaration());
        llvm!(shim::ofc_simplify_counts(self.raw))
    }

    /// Gives loops whose header and latch leave for one block a single exit.
    pub fn merge_exits(self) {
        assert!(!self.is_declaration());
        llvm!(shim::ofc_merge_exits(self.raw))
    }

    /// Copies loops, so that the original ones lack the checks that are decided in front of them: branches to blocks
    /// that end with `unreachable`. `ballot` is an intrinsic that returns the lanes for which a condition holds, in 64
    /// bits: all lanes of a wave take the original loop, or the copy. If it is empty, each lane takes its own.
    pub fn hoist_checks(self, ballot: &str) {
        assert!(!self.is_declaration());
        llvm!(shim::ofc_hoist_checks(self.raw, c_name(ballot).as_ptr()))
    }

    /// Whether debug information has more of it than lines.
    pub fn has_variables(self) -> bool {
        llvm!(shim::ofc_has_variables(self.raw)) != 0
    }

    /// Keeps the variables of debug information in memory, if their values are known.
    pub fn keep_variables(self) {
        assert!(!self.is_declaration());
        llvm!(shim::ofc_keep_variables(self.raw))
    }

    /// Adds a parameter to debug information that has variables: a tuple of three numbers of 32 bits, which are
    /// parameters or at the start of the function.
    pub fn declare_position(self, name: &str, numbers: [Value<'c>; 3]) {
        let mut raw = numbers.map(|number| number.raw);
        llvm!(shim::ofc_declare_position(self.raw, c_name(name).as_ptr(), raw.as_mut_ptr()))
    }

    /// Declares variables that are in the memory of others by pointers in the function's own stack.
    pub fn point_to_variables(self) {
        assert!(!self.is_declaration());
        llvm!(shim::ofc_point_to_variables(self.raw))
    }

    /// Removes the personality function, for code that does not unwind.
    pub fn clear_personality(self) {
        llvm!(shim::ofc_clear_personality(self.raw))
    }

    /// Removes properties for a host's runtime: prefix and prologue data, garbage collection.
    pub fn clear_host_frame(self) {
        llvm!(shim::ofc_clear_host_frame(self.raw))
    }

    /// Copies this function's attributes of result and parameters to a call of it and to the function with the call,
    /// which passes its own parameters on.
    pub fn forward_attributes(self, call: Value<'c>) {
        assert!(call.is(Opcode::Call) && call.callee() == self);
        assert!(call.function().function_type() == self.function_type());
        llvm!(shim::ofc_forward_attributes(call.raw, self.raw))
    }

    /// The folder in which the compiler of its module ran; none without debug information.
    pub fn compiled_in(self) -> Option<String> {
        let mut length = 0;
        // SAFETY: the function is live, and `length` is the length of the text, which may be null.
        let folder = unsafe { borrowed(shim::ofc_compiled_in(self.raw, &mut length), length) };
        (!folder.is_empty()).then_some(folder)
    }

    /// The type of the memory that a `byval` parameter points to.
    pub fn byval_type(self, parameter: u32) -> Option<Type<'c>> {
        let raw = llvm!(shim::ofc_byval_type(self.raw, parameter));
        (!raw.is_null()).then(|| Type::new(raw))
    }

    /// The calls of it, in the order of its uses (LLVM lists the last one first), regardless of their function types. A
    /// call that passes the function on, too, is in the list once for each use.
    pub fn calls(self) -> Vec<Value<'c>> {
        self.users().into_iter().filter(|user| user.called_function() == Some(self)).collect()
    }

    /// Those of its uses that are a call of it and no more than that, with its own type.
    pub fn direct_calls(self) -> Vec<Value<'c>> {
        self.users().into_iter().filter(|user| user.is_plain_call_of(self)).collect()
    }

    /// Whether all its uses are direct calls: its address is not taken.
    pub fn is_only_called(self) -> bool {
        self.users().into_iter().all(|user| user.is_plain_call_of(self))
    }

    /// Makes a function with a body internal, and lets it be inlined into all its callers.
    pub fn make_inlined(self) {
        self.set_linkage(Linkage::Internal);
        self.remove_attribute(Place::Function, "noinline");
        self.mark("alwaysinline");
    }

    /// Lets the function be inlined at all its calls. rustc repeats `#[inline(never)]` at calls that its own inliner
    /// has copied, so the attribute is removed from calls, too.
    pub fn inline_calls(self) {
        for each in self.calls().into_iter().chain([*self]) {
            each.remove_attribute(Place::Function, "noinline");
        }
        self.mark("alwaysinline");
    }

    /// Whether LLVM reserves its name for intrinsics.
    pub fn is_intrinsic(self) -> bool {
        llvm!(LLVMGetIntrinsicID(self.raw) != 0)
    }

    /// Attaches `!vec_type_hint` to a kernel, with the type `uint4` of OpenCL C.
    pub fn hint_vectors(self) {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.raw)));
        let kind = llvm!(LLVMGetMDKindIDInContext(context, c"vec_type_hint".as_ptr(), 13));
        let i32 = llvm!(LLVMInt32TypeInContext(context));
        let values = [llvm!(LLVMGetPoison(LLVMVectorType(i32, 4))), llvm!(LLVMConstInt(i32, 0, 0))];
        let mut all = values.map(|value| llvm!(LLVMValueAsMetadata(value)));
        llvm!(LLVMGlobalSetMetadata(self.raw, kind, LLVMMDNodeInContext2(context, all.as_mut_ptr(), all.len())));
    }
}
