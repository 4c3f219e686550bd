//! Values: constants, globals, functions, blocks, instructions, and the uses that join them.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMUnnamedAddr, LLVMValueKind, LLVMVisibility};
use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;

use super::{Context, Type, shim};

/// Any LLVM value. Equality is identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value<'c> {
    pub(super) raw: LLVMValueRef,
    context: PhantomData<&'c Context>,
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block<'c> {
    pub(super) raw: LLVMBasicBlockRef,
    context: PhantomData<&'c Context>,
}

/// Where an attribute stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// On the function or call.
    Function,
    /// On its result.
    Return,
    /// On the parameter or argument of this index.
    Parameter(u32),
}

/// An attribute as text: the name, and the value of a string or integer attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// An attribute LLVM knows, by name, with its integer value (0 when it takes none).
    Known(&'static str, u64),
    /// A target-dependent or free attribute.
    Text(String, String),
}

impl Place {
    fn index(self) -> u32 {
        match self {
            Place::Function => u32::MAX,
            Place::Return => 0,
            Place::Parameter(i) => i + 1,
        }
    }
}

pub(super) fn c_name(name: &str) -> CString {
    CString::new(name).expect("names in IR that we choose hold no NUL")
}

/// Takes over a C string LLVM allocated.
///
/// # Safety
/// `raw` must come from an LLVM call that says its result is disposed of with `LLVMDisposeMessage`.
pub(super) unsafe fn take_message(raw: *mut c_char) -> String {
    unsafe {
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        LLVMDisposeMessage(raw);
        text
    }
}

unsafe fn borrowed(raw: *const c_char, length: usize) -> String {
    if raw.is_null() {
        return String::new();
    }
    unsafe { String::from_utf8_lossy(std::slice::from_raw_parts(raw.cast(), length)).into_owned() }
}

fn attribute_kind(name: &str) -> u32 {
    // SAFETY: pointer and length describe `name`.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

impl std::fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "block {}", self.name())
    }
}

// The methods below hand a live value to the LLVM call of the same name, after checking the kind where LLVM would
// read another kind's memory; `unsafe` has no other reason here.

/// Every value.
impl<'c> Value<'c> {
    pub(super) fn new(raw: LLVMValueRef) -> Self {
        assert!(!raw.is_null(), "LLVM gave no value where one must be");
        Value { raw, context: PhantomData }
    }

    pub(super) fn maybe(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| Self::new(raw))
    }

    /// What kind of value it is.
    pub fn kind(self) -> LLVMValueKind {
        unsafe { LLVMGetValueKind(self.raw) }
    }

    /// Its type.
    pub fn ty(self) -> Type<'c> {
        Type::new(unsafe { LLVMTypeOf(self.raw) })
    }

    /// Its name, `""` when it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        unsafe {
            let raw = LLVMGetValueName2(self.raw, &mut length);
            borrowed(raw, length)
        }
    }

    /// Names it; LLVM appends a number when the name is taken.
    pub fn set_name(self, name: &str) {
        unsafe { LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()) }
    }

    /// It as IR text.
    pub fn text(self) -> String {
        unsafe { take_message(LLVMPrintValueToString(self.raw)) }
    }

    /// Whether it is a constant; functions and globals are.
    pub fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }

    /// Whether it is `undef` or `poison`.
    pub fn is_undef(self) -> bool {
        unsafe { LLVMIsUndef(self.raw) != 0 }
    }

    /// Whether it is a null pointer or zero.
    pub fn is_null(self) -> bool {
        unsafe { LLVMIsNull(self.raw) != 0 }
    }

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        self.kind() == LLVMValueKind::LLVMFunctionValueKind
    }

    /// Whether it is a global variable.
    pub fn is_global_variable(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
    }

    /// Whether it is an alias.
    pub fn is_alias(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalAliasValueKind
    }

    /// Whether it is a function's parameter.
    pub fn is_argument(self) -> bool {
        self.kind() == LLVMValueKind::LLVMArgumentValueKind
    }

    /// Whether it is a function, global variable, alias or ifunc.
    pub fn is_global(self) -> bool {
        self.is_function()
            || self.is_global_variable()
            || self.is_alias()
            || self.kind() == LLVMValueKind::LLVMGlobalIFuncValueKind
    }

    /// Whether it has operands: an instruction, a constant made of others, or a global.
    pub fn is_user(self) -> bool {
        unsafe { !LLVMIsAUser(self.raw).is_null() }
    }

    /// The value of an integer constant of at most 64 bits, zero-extended.
    pub fn as_u64(self) -> Option<u64> {
        let narrow = self.kind() == LLVMValueKind::LLVMConstantIntValueKind && self.ty().int_width()? <= 64;
        narrow.then(|| unsafe { LLVMConstIntGetZExtValue(self.raw) })
    }

    /// The integer constant inside a metadata value.
    pub(super) fn metadata_constant(self) -> Option<u64> {
        unsafe {
            if LLVMIsAValueAsMetadata(self.raw).is_null() {
                return None;
            }
            Value::maybe(LLVMGetOperand(self.raw, 0))?.as_u64()
        }
    }

    /// The operands of a user; blocks among them are left out.
    pub fn operands(self) -> Vec<Value<'c>> {
        if !self.is_user() {
            return Vec::new();
        }
        let count = unsafe { LLVMGetNumOperands(self.raw) } as u32;
        (0..count)
            .filter_map(|i| Value::maybe(unsafe { LLVMGetOperand(self.raw, i) }))
            .filter(|v| v.kind() != LLVMValueKind::LLVMBasicBlockValueKind)
            .collect()
    }

    /// How many operands it has, blocks counted.
    pub fn operand_count(self) -> u32 {
        if self.is_user() { unsafe { LLVMGetNumOperands(self.raw) as u32 } } else { 0 }
    }

    /// One operand, by LLVM's own numbering.
    pub fn operand(self, index: u32) -> Value<'c> {
        assert!(index < self.operand_count(), "operand {index} of {self:?}");
        Value::new(unsafe { LLVMGetOperand(self.raw, index) })
    }

    /// Replaces one operand.
    pub fn set_operand(self, index: u32, value: Value<'c>) {
        assert!(index < self.operand_count(), "operand {index} of {self:?}");
        unsafe { LLVMSetOperand(self.raw, index, value.raw) }
    }

    /// Who uses it, one row per use, in LLVM's order; a user with two uses stands there twice.
    pub fn users(self) -> Vec<Value<'c>> {
        let mut users = Vec::new();
        unsafe {
            let mut each = LLVMGetFirstUse(self.raw);
            while !each.is_null() {
                users.push(Value::new(LLVMGetUser(each)));
                each = LLVMGetNextUse(each);
            }
        }
        users
    }

    /// Whether anything uses it.
    pub fn is_used(self) -> bool {
        unsafe { !LLVMGetFirstUse(self.raw).is_null() }
    }

    /// Makes every user use `other` instead.
    pub fn replace_all_uses_with(self, other: Value<'c>) {
        unsafe { LLVMReplaceAllUsesWith(self.raw, other.raw) }
    }

    /// A constant pointer in another address space: `addrspacecast (self to ptr addrspace(n))`.
    pub fn constant_address_space_cast(self, ty: Type<'c>) -> Value<'c> {
        assert!(self.is_constant());
        if self.ty() == ty { self } else { Value::new(unsafe { LLVMConstAddrSpaceCast(self.raw, ty.raw) }) }
    }

    /// What a constant pointer expression points into: casts and offsets stripped, aliases left as they are.
    pub fn strip_constant_casts(self) -> Value<'c> {
        let mut value = self;
        while value.kind() == LLVMValueKind::LLVMConstantExprValueKind {
            match unsafe { LLVMGetConstOpcode(value.raw) } {
                LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMPtrToInt
                | LLVMOpcode::LLVMIntToPtr => value = value.operand(0),
                _ => break,
            }
        }
        value
    }

    /// The opcode of a constant expression.
    pub fn constant_opcode(self) -> Option<LLVMOpcode> {
        (self.kind() == LLVMValueKind::LLVMConstantExprValueKind).then(|| unsafe { LLVMGetConstOpcode(self.raw) })
    }
}

/// Functions, global variables, aliases.
impl<'c> Value<'c> {
    /// Whether it has no body or initialiser here.
    pub fn is_declaration(self) -> bool {
        assert!(self.is_global());
        unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }

    /// Its linkage.
    pub fn linkage(self) -> LLVMLinkage {
        assert!(self.is_global());
        unsafe { LLVMGetLinkage(self.raw) }
    }

    /// Sets its linkage; local linkage takes its visibility away, as LLVM wants.
    pub fn set_linkage(self, linkage: LLVMLinkage) {
        assert!(self.is_global());
        unsafe { LLVMSetLinkage(self.raw, linkage) }
    }

    /// Makes it invisible outside the linked program.
    pub fn set_hidden(self) {
        assert!(self.is_global());
        unsafe { LLVMSetVisibility(self.raw, LLVMVisibility::LLVMHiddenVisibility) }
    }

    /// Makes it visible in the linked program, where nothing can take its place.
    pub fn set_protected(self) {
        assert!(self.is_global());
        unsafe { LLVMSetVisibility(self.raw, LLVMVisibility::LLVMProtectedVisibility) }
    }

    /// Gives it default visibility.
    pub fn set_default_visibility(self) {
        assert!(self.is_global());
        unsafe { LLVMSetVisibility(self.raw, LLVMVisibility::LLVMDefaultVisibility) }
    }

    /// Says that its address is significant: nothing may fold it with an equal one.
    pub fn set_significant_address(self) {
        assert!(self.is_global());
        unsafe { LLVMSetUnnamedAddress(self.raw, LLVMUnnamedAddr::LLVMNoUnnamedAddr) }
    }

    /// Says that its address is not significant.
    pub fn set_unnamed_address(self) {
        assert!(self.is_global());
        unsafe { LLVMSetUnnamedAddress(self.raw, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr) }
    }

    /// Its section, `""` when none is set.
    pub fn section(self) -> String {
        assert!(self.is_global());
        let raw = unsafe { LLVMGetSection(self.raw) };
        if raw.is_null() { String::new() } else { unsafe { CStr::from_ptr(raw).to_string_lossy().into_owned() } }
    }

    /// Puts it into a section; `""` takes it out of one.
    pub fn set_section(self, section: &str) {
        assert!(self.is_function() || self.is_global_variable());
        unsafe { LLVMSetSection(self.raw, c_name(section).as_ptr()) }
    }

    /// Takes it out of its comdat group.
    pub fn clear_comdat(self) {
        assert!(self.is_function() || self.is_global_variable());
        unsafe { inkwell::llvm_sys::comdat::LLVMSetComdat(self.raw, std::ptr::null_mut()) }
    }

    /// The comdat group's identity, when it is in one.
    pub fn comdat(self) -> Option<usize> {
        if !(self.is_function() || self.is_global_variable()) {
            return None;
        }
        let raw = unsafe { inkwell::llvm_sys::comdat::LLVMGetComdat(self.raw) };
        (!raw.is_null()).then_some(raw as usize)
    }

    /// The type of what a global is: a function's type, a variable's value type, an aliasee's.
    pub fn value_type(self) -> Type<'c> {
        assert!(self.is_global());
        Type::new(unsafe { LLVMGlobalGetValueType(self.raw) })
    }

    /// What an alias stands for, other aliases and casts stripped; itself when it is no alias.
    pub fn aliasee(self) -> Value<'c> {
        let mut value = self.strip_constant_casts();
        while value.is_alias() {
            value = Value::new(unsafe { LLVMAliasGetAliasee(value.raw) }).strip_constant_casts();
        }
        value
    }

    /// A global variable's initialiser.
    pub fn initializer(self) -> Option<Value<'c>> {
        assert!(self.is_global_variable());
        Value::maybe(unsafe { LLVMGetInitializer(self.raw) })
    }

    /// Sets or drops a global variable's initialiser.
    pub fn set_initializer(self, value: Option<Value<'c>>) {
        assert!(self.is_global_variable());
        unsafe { LLVMSetInitializer(self.raw, value.map_or(std::ptr::null_mut(), |v| v.raw)) }
    }

    /// Whether a global variable is `constant`.
    pub fn is_constant_global(self) -> bool {
        assert!(self.is_global_variable());
        unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// Marks a global variable `constant` or `global`.
    pub fn set_constant_global(self, constant: bool) {
        assert!(self.is_global_variable());
        unsafe { LLVMSetGlobalConstant(self.raw, constant.into()) }
    }

    /// Moves a global variable to another address space, with casts back at every use; it is replaced by the result.
    pub fn move_variable(self, address_space: u32) -> Value<'c> {
        assert!(self.is_global_variable());
        Value::new(unsafe { shim::ofc_move_variable(self.raw, address_space) })
    }

    /// Whether a global variable is thread-local.
    pub fn is_thread_local(self) -> bool {
        self.is_global_variable() && unsafe { LLVMIsThreadLocal(self.raw) != 0 }
    }

    /// Alignment in bytes of a global, alloca, load or store; 0 when none is set.
    pub fn alignment(self) -> u32 {
        unsafe { LLVMGetAlignment(self.raw) }
    }

    /// Sets the alignment in bytes of a global, alloca, load or store.
    pub fn set_alignment(self, bytes: u32) {
        unsafe { LLVMSetAlignment(self.raw, bytes) }
    }

    /// Removes a function, variable or alias that nothing uses from its module.
    pub fn erase_global(self) {
        assert!(!self.is_used(), "{} is still used", self.name());
        unsafe {
            match self.kind() {
                LLVMValueKind::LLVMFunctionValueKind => LLVMDeleteFunction(self.raw),
                LLVMValueKind::LLVMGlobalVariableValueKind => LLVMDeleteGlobal(self.raw),
                LLVMValueKind::LLVMGlobalIFuncValueKind => LLVMEraseGlobalIFunc(self.raw),
                _ => {
                    // The C API deletes variables only, and deleting any global is the same call of GlobalValue.
                    LLVMDeleteGlobal(self.raw)
                }
            }
        }
    }
}

/// Functions.
impl<'c> Value<'c> {
    /// The function's type.
    pub fn function_type(self) -> Type<'c> {
        assert!(self.is_function(), "{self:?} is no function");
        self.value_type()
    }

    /// The parameters.
    pub fn parameters(self) -> Vec<Value<'c>> {
        assert!(self.is_function());
        let count = unsafe { LLVMCountParams(self.raw) };
        (0..count).map(|i| Value::new(unsafe { LLVMGetParam(self.raw, i) })).collect()
    }

    /// The blocks, entry first.
    pub fn blocks(self) -> Vec<Block<'c>> {
        assert!(self.is_function());
        let mut blocks = Vec::new();
        unsafe {
            let mut each = LLVMGetFirstBasicBlock(self.raw);
            while !each.is_null() {
                blocks.push(Block::new(each));
                each = LLVMGetNextBasicBlock(each);
            }
        }
        blocks
    }

    /// Every instruction, block by block.
    pub fn instructions(self) -> impl Iterator<Item = Value<'c>> {
        self.blocks().into_iter().flat_map(|b| b.instructions().collect::<Vec<_>>())
    }

    /// Appends an empty block.
    pub fn append_block(self, name: &str) -> Block<'c> {
        assert!(self.is_function());
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            Block::new(LLVMAppendBasicBlockInContext(context, self.raw, c_name(name).as_ptr()))
        }
    }

    /// Moves the blocks and debug subprogram of `from` into this function, which must have no body.
    pub fn take_body(self, from: Value<'c>) {
        assert!(self.is_function() && from.is_function() && self.is_declaration());
        unsafe { shim::ofc_take_body(self.raw, from.raw) }
    }

    /// Deletes the body: the function becomes a declaration.
    pub fn delete_body(self) {
        let blocks = self.blocks();
        for block in &blocks {
            for instruction in block.instructions().collect::<Vec<_>>().into_iter().rev() {
                if !instruction.ty().is_void() {
                    instruction.replace_all_uses_with(instruction.ty().poison());
                }
                instruction.erase();
            }
        }
        for block in blocks {
            block.erase();
        }
        self.clear_personality();
        self.set_linkage(LLVMLinkage::LLVMExternalLinkage);
        self.clear_comdat();
        if self.has_subprogram() {
            unsafe { inkwell::llvm_sys::debuginfo::LLVMSetSubprogram(self.raw, std::ptr::null_mut()) };
        }
    }

    /// Whether debug information describes it.
    pub fn has_subprogram(self) -> bool {
        assert!(self.is_function());
        unsafe { !LLVMGetSubprogram(self.raw).is_null() }
    }

    /// Deletes the blocks nothing leads to.
    pub fn erase_unreachable_blocks(self) {
        assert!(self.is_function() && !self.is_declaration());
        unsafe { shim::ofc_erase_unreachable_blocks(self.raw) }
    }

    /// Drops the personality function, for code that does not unwind.
    pub fn clear_personality(self) {
        assert!(self.is_function());
        unsafe { shim::ofc_clear_personality(self.raw) }
    }

    /// The calling convention's number (`llvm/IR/CallingConv.h`).
    pub fn calling_convention(self) -> u32 {
        unsafe {
            if self.is_function() { LLVMGetFunctionCallConv(self.raw) } else { LLVMGetInstructionCallConv(self.raw) }
        }
    }

    /// Sets the calling convention of a function or a call.
    pub fn set_calling_convention(self, number: u32) {
        unsafe {
            if self.is_function() {
                LLVMSetFunctionCallConv(self.raw, number)
            } else {
                LLVMSetInstructionCallConv(self.raw, number)
            }
        }
    }

    /// The type a `byval` parameter points to.
    pub fn byval_type(self, parameter: u32) -> Option<Type<'c>> {
        assert!(self.is_function());
        let raw = unsafe { shim::ofc_byval_type(self.raw, parameter) };
        (!raw.is_null()).then(|| Type::new(raw))
    }

    /// Whether it is a function whose name LLVM reserves for intrinsics.
    pub fn is_intrinsic(self) -> bool {
        self.is_function() && unsafe { LLVMGetIntrinsicID(self.raw) != 0 }
    }
}

/// Attributes of functions and calls.
impl<'c> Value<'c> {
    /// Whether an attribute LLVM knows by this name is set.
    pub fn has_attribute(self, place: Place, name: &str) -> bool {
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows no attribute {name}");
        unsafe {
            if self.is_function() {
                !LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind).is_null()
            } else {
                !LLVMGetCallSiteEnumAttribute(self.raw, place.index(), kind).is_null()
            }
        }
    }

    /// The value of a known attribute that takes an integer, such as `align`.
    pub fn attribute_value(self, place: Place, name: &str) -> Option<u64> {
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows no attribute {name}");
        unsafe {
            let raw = if self.is_function() {
                LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind)
            } else {
                LLVMGetCallSiteEnumAttribute(self.raw, place.index(), kind)
            };
            (!raw.is_null()).then(|| LLVMGetEnumAttributeValue(raw))
        }
    }

    /// The value of a free attribute, such as `"target-cpu"`.
    pub fn text_attribute(self, place: Place, name: &str) -> Option<String> {
        let length = name.len() as u32;
        unsafe {
            let found = if self.is_function() {
                LLVMGetStringAttributeAtIndex(self.raw, place.index(), name.as_ptr().cast(), length)
            } else {
                LLVMGetCallSiteStringAttribute(self.raw, place.index(), name.as_ptr().cast(), length)
            };
            if found.is_null() {
                return None;
            }
            let mut count = 0;
            let raw = LLVMGetStringAttributeValue(found, &mut count);
            Some(borrowed(raw, count as usize))
        }
    }

    /// Adds an attribute to a function or a call.
    pub fn add_attribute(self, place: Place, attribute: &Attribute) {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let raw = match attribute {
                Attribute::Known(name, value) => {
                    let kind = attribute_kind(name);
                    assert!(kind != 0, "LLVM knows no attribute {name}");
                    LLVMCreateEnumAttribute(context, kind, *value)
                }
                Attribute::Text(name, value) => LLVMCreateStringAttribute(
                    context,
                    name.as_ptr().cast(),
                    name.len() as u32,
                    value.as_ptr().cast(),
                    value.len() as u32,
                ),
            };
            if self.is_function() {
                LLVMAddAttributeAtIndex(self.raw, place.index(), raw)
            } else {
                LLVMAddCallSiteAttribute(self.raw, place.index(), raw)
            }
        }
    }

    /// Adds a type attribute, such as `byval(T)`, to a function's or call's parameter.
    pub fn add_type_attribute(self, place: Place, name: &str, ty: Type<'c>) {
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows no attribute {name}");
        unsafe {
            let raw = LLVMCreateTypeAttribute(LLVMGetTypeContext(LLVMTypeOf(self.raw)), kind, ty.raw);
            if self.is_function() {
                LLVMAddAttributeAtIndex(self.raw, place.index(), raw)
            } else {
                LLVMAddCallSiteAttribute(self.raw, place.index(), raw)
            }
        }
    }

    /// Gives this function those of another function's attributes that `names` has, from one place to another.
    pub fn copy_attributes(self, to: Place, other: Value<'c>, from: Place, names: &[&str]) {
        assert!(self.is_function() && other.is_function());
        for name in names {
            let kind = attribute_kind(name);
            assert!(kind != 0, "LLVM knows no attribute {name}");
            unsafe {
                let found = LLVMGetEnumAttributeAtIndex(other.raw, from.index(), kind);
                if !found.is_null() {
                    LLVMAddAttributeAtIndex(self.raw, to.index(), found);
                }
            }
        }
    }

    /// Adds a known attribute without a value to the function or call itself.
    pub fn mark(self, name: &'static str) {
        self.add_attribute(Place::Function, &Attribute::Known(name, 0));
    }

    /// Removes a known attribute.
    pub fn remove_attribute(self, place: Place, name: &str) {
        let kind = attribute_kind(name);
        assert!(kind != 0, "LLVM knows no attribute {name}");
        unsafe {
            if self.is_function() {
                LLVMRemoveEnumAttributeAtIndex(self.raw, place.index(), kind)
            } else {
                LLVMRemoveCallSiteEnumAttribute(self.raw, place.index(), kind)
            }
        }
    }

    /// Removes every free (string) attribute from a function or call itself.
    pub fn remove_text_attributes(self) {
        unsafe {
            let index = Place::Function.index();
            let count = if self.is_function() {
                LLVMGetAttributeCountAtIndex(self.raw, index)
            } else {
                LLVMGetCallSiteAttributeCount(self.raw, index)
            };
            let mut all = vec![std::ptr::null_mut(); count as usize];
            if self.is_function() {
                LLVMGetAttributesAtIndex(self.raw, index, all.as_mut_ptr())
            } else {
                LLVMGetCallSiteAttributes(self.raw, index, all.as_mut_ptr())
            }
            for each in all {
                if LLVMIsStringAttribute(each) == 0 {
                    continue;
                }
                let mut length = 0;
                let name = LLVMGetStringAttributeKind(each, &mut length);
                if self.is_function() {
                    LLVMRemoveStringAttributeAtIndex(self.raw, index, name, length)
                } else {
                    LLVMRemoveCallSiteStringAttribute(self.raw, index, name, length)
                }
            }
        }
    }
}

/// Instructions.
impl<'c> Value<'c> {
    /// The opcode.
    pub fn opcode(self) -> LLVMOpcode {
        assert!(self.is_instruction(), "{self:?} is no instruction");
        unsafe { LLVMGetInstructionOpcode(self.raw) }
    }

    /// Whether it is an instruction of this opcode.
    pub fn is(self, opcode: LLVMOpcode) -> bool {
        self.is_instruction() && self.opcode() == opcode
    }

    /// Whether it is a call or an invoke.
    pub fn is_call(self) -> bool {
        self.is_instruction()
            && matches!(self.opcode(), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr)
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
        self.is_call() && self.callee().kind() == LLVMValueKind::LLVMInlineAsmValueKind
    }

    /// A call's arguments.
    pub fn arguments(self) -> Vec<Value<'c>> {
        assert!(self.is_call());
        let count = unsafe { LLVMGetNumArgOperands(self.raw) };
        (0..count).map(|i| Value::new(unsafe { LLVMGetOperand(self.raw, i) })).collect()
    }

    /// The block an invoke goes on in when nothing unwinds.
    pub fn normal_destination(self) -> Block<'c> {
        assert!(self.opcode() == LLVMOpcode::LLVMInvoke);
        Block::new(unsafe { LLVMGetNormalDest(self.raw) })
    }

    /// The block an invoke goes to when something unwinds.
    pub fn unwind_destination(self) -> Block<'c> {
        assert!(self.opcode() == LLVMOpcode::LLVMInvoke);
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
            LLVMOpcode::LLVMBr if unsafe { LLVMIsConditional(self.raw) != 0 } => {
                Some(Value::new(unsafe { LLVMGetCondition(self.raw) }))
            }
            LLVMOpcode::LLVMSwitch | LLVMOpcode::LLVMIndirectBr => Some(self.operand(0)),
            _ => None,
        }
    }

    /// A phi's incoming values, each with the block it comes from.
    pub fn incoming(self) -> Vec<(Value<'c>, Block<'c>)> {
        assert!(self.opcode() == LLVMOpcode::LLVMPHI);
        let count = unsafe { LLVMCountIncoming(self.raw) };
        (0..count)
            .map(|i| unsafe {
                (Value::new(LLVMGetIncomingValue(self.raw, i)), Block::new(LLVMGetIncomingBlock(self.raw, i)))
            })
            .collect()
    }

    /// Adds an incoming value to a phi.
    pub fn add_incoming(self, value: Value<'c>, block: Block<'c>) {
        assert!(self.opcode() == LLVMOpcode::LLVMPHI);
        let (mut value, mut block) = (value.raw, block.raw);
        unsafe { LLVMAddIncoming(self.raw, &mut value, &mut block, 1) }
    }

    /// The type an alloca reserves room for.
    pub fn allocated_type(self) -> Type<'c> {
        assert!(self.opcode() == LLVMOpcode::LLVMAlloca);
        Type::new(unsafe { LLVMGetAllocatedType(self.raw) })
    }

    /// Moves an alloca to another address space, with a cast back behind it; it is replaced by the result.
    pub fn move_alloca(self, address_space: u32) -> Value<'c> {
        assert!(self.opcode() == LLVMOpcode::LLVMAlloca);
        Value::new(unsafe { shim::ofc_move_alloca(self.raw, address_space) })
    }

    /// The element type a `getelementptr` instruction or expression steps over.
    pub fn gep_source_type(self) -> Type<'c> {
        Type::new(unsafe { LLVMGetGEPSourceElementType(self.raw) })
    }

    /// The index path of an `extractvalue` or `insertvalue`.
    pub fn aggregate_indices(self) -> Vec<u32> {
        assert!(matches!(self.opcode(), LLVMOpcode::LLVMExtractValue | LLVMOpcode::LLVMInsertValue));
        let count = unsafe { LLVMGetNumIndices(self.raw) } as usize;
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.raw), count).to_vec() }
    }

    /// Files, lines and columns of its debug location: its own place first, then where each inlined call stood.
    pub fn locations(self) -> Vec<(String, u32, u32)> {
        assert!(self.is_instruction());
        let mut all = Vec::new();
        unsafe {
            let mut place = LLVMInstructionGetDebugLoc(self.raw);
            while !place.is_null() {
                let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(place));
                let mut length = 0;
                let name = if file.is_null() {
                    String::new()
                } else {
                    borrowed(LLVMDIFileGetFilename(file, &mut length), length as usize)
                };
                all.push((name, LLVMDILocationGetLine(place), LLVMDILocationGetColumn(place)));
                place = LLVMDILocationGetInlinedAt(place);
            }
        }
        all
    }

    /// File, line and column of its debug location, inlined code's own line, when it has one.
    pub fn location(self) -> Option<(String, u32, u32)> {
        self.locations().into_iter().next()
    }
}

impl<'c> Block<'c> {
    pub(super) fn new(raw: LLVMBasicBlockRef) -> Self {
        assert!(!raw.is_null(), "LLVM gave no block where one must be");
        Block { raw, context: PhantomData }
    }

    /// Its name, `""` when it has none.
    pub fn name(self) -> String {
        Value::new(unsafe { LLVMBasicBlockAsValue(self.raw) }).name()
    }

    /// The function it belongs to.
    pub fn function(self) -> Value<'c> {
        Value::new(unsafe { LLVMGetBasicBlockParent(self.raw) })
    }

    /// Its instructions in order; the one just returned may be erased.
    pub fn instructions(self) -> impl Iterator<Item = Value<'c>> {
        let mut next = Value::maybe(unsafe { LLVMGetFirstInstruction(self.raw) });
        std::iter::from_fn(move || {
            let current = next?;
            next = Value::maybe(unsafe { LLVMGetNextInstruction(current.raw) });
            Some(current)
        })
    }

    /// Its terminator.
    pub fn terminator(self) -> Option<Value<'c>> {
        Value::maybe(unsafe { LLVMGetBasicBlockTerminator(self.raw) })
    }

    /// The blocks its terminator may go to.
    pub fn successors(self) -> Vec<Block<'c>> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    /// A new empty block before this one.
    pub fn insert_before(self, name: &str) -> Block<'c> {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(self.raw)));
            Block::new(LLVMInsertBasicBlockInContext(context, self.raw, c_name(name).as_ptr()))
        }
    }

    /// Moves this block before another.
    pub fn move_before(self, other: Block<'c>) {
        unsafe { LLVMMoveBasicBlockBefore(self.raw, other.raw) }
    }

    /// Removes and destroys the block; nothing may branch to it.
    pub fn erase(self) {
        unsafe { LLVMDeleteBasicBlock(self.raw) }
    }
}
