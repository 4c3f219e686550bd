//! Types.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMTypeRef};
use inkwell::llvm_sys::target::*;
use std::marker::PhantomData;

use super::{Context, Module, TypeKind, Value};

/// An LLVM type. Types are unique in a context, so equality is identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'c> {
    pub(super) raw: LLVMTypeRef,
    context: PhantomData<&'c Context>,
}

impl std::fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

/// Creates the types of a context. [`Type`] creates types that consist of others, such as arrays.
#[derive(Clone, Copy)]
pub struct Types<'c> {
    raw: LLVMContextRef,
    context: PhantomData<&'c Context>,
}

impl<'c> Types<'c> {
    pub(super) fn new(raw: LLVMContextRef) -> Self {
        Types { raw, context: PhantomData }
    }

    /// `void`.
    pub fn void(self) -> Type<'c> {
        // SAFETY: the context is live.
        Type::new(unsafe { LLVMVoidTypeInContext(self.raw) })
    }

    /// The integer type of this many bits.
    pub fn int(self, bits: u32) -> Type<'c> {
        // SAFETY: the context is live.
        Type::new(unsafe { LLVMIntTypeInContext(self.raw, bits) })
    }

    /// The type of booleans.
    pub fn i1(self) -> Type<'c> {
        self.int(1)
    }

    /// The type of a byte.
    pub fn i8(self) -> Type<'c> {
        self.int(8)
    }

    /// The integer type of 32 bits.
    pub fn i32(self) -> Type<'c> {
        self.int(32)
    }

    /// The integer type of 64 bits.
    pub fn i64(self) -> Type<'c> {
        self.int(64)
    }

    /// The floating-point type of 32 bits.
    pub fn float(self) -> Type<'c> {
        // SAFETY: the context is live.
        Type::new(unsafe { LLVMFloatTypeInContext(self.raw) })
    }

    /// The floating-point type of 64 bits.
    pub fn double(self) -> Type<'c> {
        // SAFETY: the context is live.
        Type::new(unsafe { LLVMDoubleTypeInContext(self.raw) })
    }

    /// The pointer type of an address space.
    pub fn ptr(self, address_space: u32) -> Type<'c> {
        // SAFETY: the context is live.
        Type::new(unsafe { LLVMPointerTypeInContext(self.raw, address_space) })
    }

    /// The literal struct of these fields, naturally aligned.
    pub fn structure(self, fields: &[Type<'c>]) -> Type<'c> {
        self.literal_structure(fields, false)
    }

    /// The literal packed struct of these fields.
    pub fn packed_structure(self, fields: &[Type<'c>]) -> Type<'c> {
        self.literal_structure(fields, true)
    }

    fn literal_structure(self, fields: &[Type<'c>], packed: bool) -> Type<'c> {
        let mut raw: Vec<_> = fields.iter().map(|t| t.raw).collect();
        // SAFETY: `raw` holds `len` types of this context.
        Type::new(unsafe { LLVMStructTypeInContext(self.raw, raw.as_mut_ptr(), raw.len() as u32, packed.into()) })
    }
}

impl<'c> Type<'c> {
    pub(super) fn new(raw: LLVMTypeRef) -> Self {
        assert!(!raw.is_null(), "LLVM gave no type where one must be");
        Type { raw, context: PhantomData }
    }

    pub(super) fn context(self) -> LLVMContextRef {
        // SAFETY: `raw` lives as long as its context, which `'c` borrows.
        unsafe { LLVMGetTypeContext(self.raw) }
    }

    /// The types of its context.
    pub fn types(self) -> Types<'c> {
        Types::new(self.context())
    }

    /// The array type of `count` elements of this type.
    pub fn array(self, count: u64) -> Type<'c> {
        // SAFETY: as for `context`.
        Type::new(unsafe { LLVMArrayType2(self.raw, count) })
    }

    /// The number of elements of an array type; none for other types.
    pub fn array_length(self) -> Option<u64> {
        // SAFETY: the length is asked of array types only.
        (self.kind() == TypeKind::Array).then(|| unsafe { LLVMGetArrayLength2(self.raw) })
    }

    /// The vector type of `count` elements of this type.
    pub fn vector(self, count: u32) -> Type<'c> {
        // SAFETY: as for `context`.
        Type::new(unsafe { LLVMVectorType(self.raw, count) })
    }

    /// The number of elements of a vector type; none for other types.
    pub fn vector_length(self) -> Option<u32> {
        // SAFETY: the length is asked of vector types only.
        (self.kind() == TypeKind::Vector).then(|| unsafe { LLVMGetVectorSize(self.raw) })
    }

    /// The width of an integer type, or of the integers of a vector type.
    pub fn scalar_width(self) -> Option<u32> {
        let element = self.vector_length().and_then(|_| self.parts().first().copied());
        element.unwrap_or(self).int_width()
    }

    /// Whether a struct type is packed.
    pub fn is_packed(self) -> bool {
        assert_eq!(self.kind(), TypeKind::Struct);
        // SAFETY: it is a struct type.
        unsafe { LLVMIsPackedStruct(self.raw) != 0 }
    }

    /// The function type that returns this type and takes `parameters`.
    pub fn function(self, parameters: &[Type<'c>]) -> Type<'c> {
        let mut raw: Vec<_> = parameters.iter().map(|t| t.raw).collect();
        // SAFETY: `raw` holds `len` types of one context.
        Type::new(unsafe { LLVMFunctionType(self.raw, raw.as_mut_ptr(), raw.len() as u32, 0) })
    }

    /// Its kind.
    pub fn kind(self) -> TypeKind {
        // SAFETY: as for `context`.
        unsafe { LLVMGetTypeKind(self.raw) }.into()
    }

    /// Whether it is a pointer, of any address space.
    pub fn is_pointer(self) -> bool {
        self.kind() == TypeKind::Pointer
    }

    /// Whether it is `void`.
    pub fn is_void(self) -> bool {
        self.kind() == TypeKind::Void
    }

    /// The width of an integer type in bits; none for other types.
    pub fn int_width(self) -> Option<u32> {
        // SAFETY: the width is asked of integer types only.
        (self.kind() == TypeKind::Integer).then(|| unsafe { LLVMGetIntTypeWidth(self.raw) })
    }

    /// The address space of a pointer type.
    pub fn address_space(self) -> u32 {
        assert!(self.is_pointer(), "only pointers have an address space");
        // SAFETY: it is a pointer type.
        unsafe { LLVMGetPointerAddressSpace(self.raw) }
    }

    /// The result type of a function type.
    pub fn result(self) -> Type<'c> {
        assert_eq!(self.kind(), TypeKind::Function);
        // SAFETY: it is a function type.
        Type::new(unsafe { LLVMGetReturnType(self.raw) })
    }

    /// The parameter types of a function type.
    pub fn parameters(self) -> Vec<Type<'c>> {
        assert_eq!(self.kind(), TypeKind::Function);
        // SAFETY: it is a function type, and the array has room for each parameter.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.raw) as usize];
            LLVMGetParamTypes(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(Type::new).collect()
        }
    }

    /// Whether a function type has variable arguments (`...`).
    pub fn is_vararg(self) -> bool {
        assert_eq!(self.kind(), TypeKind::Function);
        // SAFETY: it is a function type.
        unsafe { LLVMIsFunctionVarArg(self.raw) != 0 }
    }

    /// The parts of this type: the fields of a struct, or the element of an array or vector.
    pub fn parts(self) -> Vec<Type<'c>> {
        match self.kind() {
            TypeKind::Struct => {
                // SAFETY: it is a struct type and the index is below its count.
                let count = unsafe { LLVMCountStructElementTypes(self.raw) };
                (0..count).map(|i| Type::new(llvm!(LLVMStructGetTypeAtIndex(self.raw, i)))).collect()
            }
            TypeKind::Array | TypeKind::Vector | TypeKind::ScalableVector => {
                // SAFETY: sequential types have an element type.
                vec![Type::new(unsafe { LLVMGetElementType(self.raw) })]
            }
            _ => Vec::new(),
        }
    }

    /// The number of bytes that a store of this type writes, in this module's data layout.
    pub fn store_size(self, module: &Module<'c>) -> u64 {
        // SAFETY: the layout belongs to the module.
        unsafe { LLVMStoreSizeOfType(LLVMGetModuleDataLayout(module.raw()), self.raw) }
    }

    /// The stride of an array of this type in bytes, in this module's data layout.
    pub fn alloc_size(self, module: &Module<'c>) -> u64 {
        // SAFETY: the layout belongs to the module.
        unsafe { LLVMABISizeOfType(LLVMGetModuleDataLayout(module.raw()), self.raw) }
    }

    /// The alignment in bytes, in this module's data layout.
    pub fn alignment(self, module: &Module<'c>) -> u32 {
        // SAFETY: the layout belongs to the module.
        unsafe { LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(module.raw()), self.raw) }
    }

    /// The offset in bytes of a struct type's field.
    pub fn field_offset(self, module: &Module<'c>, field: u32) -> u64 {
        assert_eq!(self.kind(), TypeKind::Struct);
        // SAFETY: it is a struct type; the layout belongs to the module.
        unsafe { LLVMOffsetOfElement(LLVMGetModuleDataLayout(module.raw()), self.raw, field) }
    }

    /// The type as IR text.
    pub fn text(self) -> String {
        // SAFETY: LLVM returns a C string that is ours to dispose of.
        unsafe { super::value::take_message(LLVMPrintTypeToString(self.raw)) }
    }
}

/// Constants of a type.
impl<'c> Type<'c> {
    /// The integer constant of this integer type.
    pub fn constant(self, value: u64) -> Value<'c> {
        assert!(self.int_width().is_some(), "an integer constant needs an integer type");
        // SAFETY: it is an integer type.
        Value::new(unsafe { LLVMConstInt(self.raw, value, 0) })
    }

    /// The integer constant with every bit set.
    pub fn all_ones(self) -> Value<'c> {
        assert!(self.int_width().is_some(), "an integer constant needs an integer type");
        // SAFETY: it is an integer type.
        Value::new(unsafe { LLVMConstAllOnes(self.raw) })
    }

    /// The constant of this float type that is nearest to `value`.
    pub fn real(self, value: f64) -> Value<'c> {
        // SAFETY: LLVM rounds to the type, which is that of a float: callers ensure this.
        Value::new(unsafe { LLVMConstReal(self.raw, value) })
    }

    /// Zero, null, or an aggregate of those.
    pub fn zero(self) -> Value<'c> {
        // SAFETY: as for `context`.
        Value::new(unsafe { LLVMConstNull(self.raw) })
    }

    /// `poison`.
    pub fn poison(self) -> Value<'c> {
        // SAFETY: as for `context`.
        Value::new(unsafe { LLVMGetPoison(self.raw) })
    }

    /// The constant struct of these fields; it is packed if this struct type is.
    pub fn structure_constant(self, fields: &[Value<'c>]) -> Value<'c> {
        assert_eq!(self.kind(), TypeKind::Struct);
        let mut raw: Vec<_> = fields.iter().map(|v| v.raw).collect();
        // SAFETY: `raw` holds `len` constants of one context; it is a struct type.
        unsafe {
            let packed = LLVMIsPackedStruct(self.raw);
            Value::new(LLVMConstStructInContext(self.context(), raw.as_mut_ptr(), raw.len() as u32, packed))
        }
    }

    /// A constant packed struct of these fields, in this type's context.
    pub fn packed_constant(self, fields: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = fields.iter().map(|v| v.raw).collect();
        // SAFETY: `raw` holds `len` constants of one context.
        Value::new(unsafe { LLVMConstStructInContext(self.context(), raw.as_mut_ptr(), raw.len() as u32, 1) })
    }

    /// The constant array of elements of this type.
    pub fn constant_array(self, elements: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = elements.iter().map(|v| v.raw).collect();
        // SAFETY: `raw` holds `len` constants of this type.
        Value::new(unsafe { LLVMConstArray2(self.raw, raw.as_mut_ptr(), raw.len() as u64) })
    }
}
