//! Values of any kind: constants, operands, uses.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;

use super::{Context, Opcode, Type, TypeKind, Types, ValueKind};

/// Any LLVM value. Equality is identity. Values have no order, because the order of addresses differs from run to run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'c> {
    pub(super) raw: LLVMValueRef,
    context: PhantomData<&'c Context>,
}

pub(super) fn c_name(name: &str) -> CString {
    CString::new(name).expect("names in IR that we choose hold no NUL")
}

/// Takes over a C string that LLVM has allocated.
///
/// # Safety
/// `raw` must be from an LLVM function whose result is disposed of with `LLVMDisposeMessage`.
pub(super) unsafe fn take_message(raw: *mut c_char) -> String {
    // SAFETY: the caller has a message of LLVM's: a C string, which is disposed of once.
    unsafe {
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        LLVMDisposeMessage(raw);
        text
    }
}

/// A text of `length` bytes that LLVM owns; `""` for null.
///
/// # Safety
/// `raw` must be null or point to this number of bytes.
pub(super) unsafe fn borrowed(raw: *const c_char, length: usize) -> String {
    if raw.is_null() {
        return String::new();
    }
    llvm!(String::from_utf8_lossy(std::slice::from_raw_parts(raw.cast(), length)).into_owned())
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

/// Every value.
impl<'c> Value<'c> {
    pub(super) fn new(raw: LLVMValueRef) -> Self {
        assert!(!raw.is_null(), "LLVM gave no value where one must be");
        Value { raw, context: PhantomData }
    }

    pub(super) fn maybe(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| Self::new(raw))
    }

    /// The kind of value.
    pub fn kind(self) -> ValueKind {
        llvm!(LLVMGetValueKind(self.raw)).into()
    }

    /// Its type.
    pub fn ty(self) -> Type<'c> {
        Type::new(llvm!(LLVMTypeOf(self.raw)))
    }

    /// The types of its context.
    pub fn types(self) -> Types<'c> {
        self.ty().types()
    }

    /// Its name; `""` if it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: LLVM owns the name, and `length` is its length.
        unsafe {
            let raw = LLVMGetValueName2(self.raw, &mut length);
            borrowed(raw, length)
        }
    }

    /// The name as in IR, if it cannot be that of text or a symbol: it is not UTF-8, or contains a NUL.
    pub fn unprintable_name(self) -> Option<String> {
        let mut length = 0;
        // SAFETY: as above; the bytes are copied before anything can rename the value.
        let bytes = unsafe {
            let raw = LLVMGetValueName2(self.raw, &mut length);
            if raw.is_null() {
                return None;
            }
            std::slice::from_raw_parts(raw.cast::<u8>(), length)
        };
        let is_bad = bytes.contains(&0) || std::str::from_utf8(bytes).is_err();
        let shown = |byte: &u8| match byte {
            b' '..=b'~' => char::from(*byte).to_string(),
            _ => format!("\\{byte:02X}"),
        };
        is_bad.then(|| bytes.iter().map(shown).collect())
    }

    /// Sets its name. LLVM appends a number if the name is in use.
    pub fn set_name(self, name: &str) {
        llvm!(LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()))
    }

    /// The value as IR text.
    pub fn text(self) -> String {
        llvm!(take_message(LLVMPrintValueToString(self.raw)))
    }

    /// Whether it is a constant; functions and globals are.
    pub fn is_constant(self) -> bool {
        llvm!(LLVMIsConstant(self.raw) != 0)
    }

    /// Whether it is `undef` or `poison`.
    pub fn is_undef(self) -> bool {
        llvm!(LLVMIsUndef(self.raw) != 0)
    }

    /// Whether it is a null pointer or zero.
    pub fn is_null(self) -> bool {
        llvm!(LLVMIsNull(self.raw) != 0)
    }

    /// Whether it is an instruction. Constants for which the C API has no kind, such as `no_cfi`, have the same kind.
    pub fn is_instruction(self) -> bool {
        llvm!(!LLVMIsAInstruction(self.raw).is_null())
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        self.kind() == ValueKind::Function
    }

    /// Whether it is a global variable.
    pub fn is_global_variable(self) -> bool {
        self.kind() == ValueKind::GlobalVariable
    }

    /// Whether it is an alias.
    pub fn is_alias(self) -> bool {
        self.kind() == ValueKind::GlobalAlias
    }

    /// Whether it is a function's parameter.
    pub fn is_argument(self) -> bool {
        self.kind() == ValueKind::Argument
    }

    /// Whether it is a function, global variable, alias or ifunc.
    pub fn is_global(self) -> bool {
        self.is_function() || self.is_global_variable() || self.is_alias() || self.kind() == ValueKind::GlobalIFunc
    }

    /// Whether it has operands: an instruction, a constant made of others, or a global.
    pub fn is_user(self) -> bool {
        llvm!(!LLVMIsAUser(self.raw).is_null())
    }

    /// The value of an integer constant of at most 64 bits, zero-extended.
    pub fn as_u64(self) -> Option<u64> {
        let narrow = self.kind() == ValueKind::ConstantInt && self.ty().int_width()? <= 64;
        narrow.then(|| llvm!(LLVMConstIntGetZExtValue(self.raw)))
    }

    /// The value of a constant `float` or `double`.
    pub fn as_f64(self) -> Option<f64> {
        let kind = self.ty().kind();
        let is_real = matches!(kind, TypeKind::Float | TypeKind::Double) && self.kind() == ValueKind::ConstantFP;
        is_real.then(|| llvm!(LLVMConstRealGetDouble(self.raw, &mut 0)))
    }

    /// The integer constant inside a metadata value.
    pub(super) fn metadata_constant(self) -> Option<u64> {
        if llvm!(LLVMIsAValueAsMetadata(self.raw)).is_null() {
            return None;
        }
        Value::maybe(llvm!(LLVMGetOperand(self.raw, 0)))?.as_u64()
    }

    /// The operands of a user, without blocks.
    pub fn operands(self) -> Vec<Value<'c>> {
        if !self.is_user() {
            return Vec::new();
        }
        let count = llvm!(LLVMGetNumOperands(self.raw)) as u32;
        (0..count)
            .filter_map(|i| Value::maybe(llvm!(LLVMGetOperand(self.raw, i))))
            .filter(|v| v.kind() != ValueKind::BasicBlock)
            .collect()
    }

    /// Calls `visit` with each of the operands, without a list of them.
    pub fn each_operand(self, mut visit: impl FnMut(Value<'c>)) {
        for index in 0..self.operand_count() {
            let operand = Value::maybe(llvm!(LLVMGetOperand(self.raw, index)));
            operand.filter(|v| v.kind() != ValueKind::BasicBlock).into_iter().for_each(&mut visit);
        }
    }

    /// The number of operands, including blocks.
    pub fn operand_count(self) -> u32 {
        if self.is_user() { llvm!(LLVMGetNumOperands(self.raw) as u32) } else { 0 }
    }

    /// The operand with this index in LLVM's numbering.
    pub fn operand(self, index: u32) -> Value<'c> {
        assert!(index < self.operand_count(), "operand {index} of {self:?}");
        Value::new(llvm!(LLVMGetOperand(self.raw, index)))
    }

    /// Replaces one operand.
    pub fn set_operand(self, index: u32, value: Value<'c>) {
        assert!(index < self.operand_count(), "operand {index} of {self:?}");
        llvm!(LLVMSetOperand(self.raw, index, value.raw))
    }

    /// The users, one for each use, in LLVM's order; a user with two uses is listed twice.
    pub fn users(self) -> Vec<Value<'c>> {
        let mut users = Vec::new();
        let mut each = llvm!(LLVMGetFirstUse(self.raw));
        while !each.is_null() {
            users.push(Value::new(llvm!(LLVMGetUser(each))));
            each = llvm!(LLVMGetNextUse(each));
        }
        users
    }

    /// Whether anything uses it.
    pub fn is_used(self) -> bool {
        llvm!(!LLVMGetFirstUse(self.raw).is_null())
    }

    /// Makes every user use `other` instead.
    pub fn replace_all_uses_with(self, other: Value<'c>) {
        llvm!(LLVMReplaceAllUsesWith(self.raw, other.raw))
    }

    /// A constant number as an address: `inttoptr (self to ty)`.
    pub fn constant_pointer(self, ty: Type<'c>) -> Value<'c> {
        assert!(self.is_constant() && ty.is_pointer());
        Value::new(llvm!(LLVMConstIntToPtr(self.raw, ty.raw)))
    }

    /// The address of a global as a constant number: `ptrtoint (self to ty)`.
    pub fn constant_address(self, ty: Type<'c>) -> Value<'c> {
        assert!(self.is_global());
        Value::new(llvm!(LLVMConstPtrToInt(self.raw, ty.raw)))
    }

    /// A constant pointer in another address space: `addrspacecast (self to ptr addrspace(n))`.
    pub fn constant_address_space_cast(self, ty: Type<'c>) -> Value<'c> {
        assert!(self.is_constant());
        if self.ty() == ty { self } else { Value::new(llvm!(LLVMConstAddrSpaceCast(self.raw, ty.raw))) }
    }

    /// The global that a constant pointer expression points into, without casts and offsets. Aliases are not resolved.
    pub fn strip_constant_casts(self) -> Value<'c> {
        let mut value = self;
        while value.kind() == ValueKind::ConstantExpr {
            match Opcode::from(llvm!(LLVMGetConstOpcode(value.raw))) {
                Opcode::BitCast
                | Opcode::AddrSpaceCast
                | Opcode::GetElementPtr
                | Opcode::PtrToInt
                | Opcode::IntToPtr => value = value.operand(0),
                _ => break,
            }
        }
        value
    }

    /// The bytes of a constant array of bytes.
    pub fn constant_bytes(self) -> Option<Vec<u8>> {
        let ty = self.ty();
        let bytes = ty.kind() == TypeKind::Array && ty.parts()[0].int_width() == Some(8);
        if !bytes || !self.is_constant() {
            return None;
        }
        if self.is_null() {
            return Some(vec![0; self.element_count() as usize]);
        }
        // SAFETY: it is a data array, whose bytes LLVM owns, and `length` is their number.
        unsafe {
            if LLVMIsAConstantDataArray(self.raw).is_null() {
                return None;
            }
            let mut length = 0;
            let raw = LLVMGetAsString(self.raw, &mut length);
            Some(std::slice::from_raw_parts(raw.cast(), length).to_vec())
        }
    }

    /// The number of elements of a constant struct or array in any representation.
    pub fn element_count(self) -> u32 {
        match self.ty().kind() {
            TypeKind::Struct => llvm!(LLVMCountStructElementTypes(self.ty().raw)),
            TypeKind::Array => llvm!(LLVMGetArrayLength2(self.ty().raw) as u32),
            _ => 0,
        }
    }

    /// An element of a constant struct or array.
    pub fn element(self, index: u32) -> Value<'c> {
        assert!(self.is_constant() && index < self.element_count());
        Value::new(llvm!(LLVMGetAggregateElement(self.raw, index)))
    }

    /// An element of a constant vector.
    pub fn lane(self, index: u32) -> Value<'c> {
        assert!(self.is_constant() && self.ty().vector_length().is_some_and(|length| index < length));
        Value::new(llvm!(LLVMGetAggregateElement(self.raw, index)))
    }

    /// `getelementptr (ty, self, indices)` of constants.
    pub fn constant_gep(self, ty: Type<'c>, indices: &[Value<'c>]) -> Value<'c> {
        assert!(self.is_constant());
        let mut raw: Vec<_> = indices.iter().map(|v| v.raw).collect();
        Value::new(llvm!(LLVMConstGEP2(ty.raw, self.raw, raw.as_mut_ptr(), raw.len() as u32)))
    }

    /// The opcode of a constant expression.
    pub fn constant_opcode(self) -> Option<Opcode> {
        (self.kind() == ValueKind::ConstantExpr).then(|| llvm!(LLVMGetConstOpcode(self.raw)).into())
    }
}
