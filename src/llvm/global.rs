//! What has a symbol: functions, global variables, aliases.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMUnnamedAddr, LLVMVisibility};
use std::ffi::CStr;

use super::value::c_name;
use super::{Linkage, Type, Value, shim};

// The methods hand a live value to the LLVM call of the same name, after checking the kind where LLVM would read another
// kind's memory; `unsafe` has no other reason here.

/// Functions, global variables, aliases.
impl<'c> Value<'c> {
    /// Whether it has no body or initialiser here.
    pub fn is_declaration(self) -> bool {
        assert!(self.is_global());
        unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }

    /// Its linkage.
    pub fn linkage(self) -> Linkage {
        assert!(self.is_global());
        unsafe { LLVMGetLinkage(self.raw) }.into()
    }

    /// Sets its linkage; local linkage takes its visibility away, as LLVM wants.
    pub fn set_linkage(self, linkage: Linkage) {
        assert!(self.is_global());
        unsafe { LLVMSetLinkage(self.raw, linkage.into()) }
    }

    /// Attaches metadata of 32-bit numbers to a function, such as `!reqd_work_group_size`, or to an instruction.
    pub fn set_metadata_numbers(self, name: &str, numbers: &[u32]) {
        assert!(self.is_function() || self.is_instruction());
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let kind = LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as u32);
            let i32 = LLVMInt32TypeInContext(context);
            let number = |n: &u32| LLVMValueAsMetadata(LLVMConstInt(i32, (*n).into(), 0));
            let mut all: Vec<_> = numbers.iter().map(number).collect();
            let node = LLVMMDNodeInContext2(context, all.as_mut_ptr(), all.len());
            if self.is_function() {
                LLVMGlobalSetMetadata(self.raw, kind, node);
            } else {
                LLVMSetMetadata(self.raw, kind, LLVMMetadataAsValue(context, node));
            }
        }
    }

    /// Attaches `!vec_type_hint` to a kernel: the type that it computes with, here `uint4` of OpenCL C.
    pub fn hint_vectors(self) {
        assert!(self.is_function());
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let kind = LLVMGetMDKindIDInContext(context, c"vec_type_hint".as_ptr(), 13);
            let i32 = LLVMInt32TypeInContext(context);
            let values = [LLVMGetPoison(LLVMVectorType(i32, 4)), LLVMConstInt(i32, 0, 0)];
            let mut all = values.map(|value| LLVMValueAsMetadata(value));
            LLVMGlobalSetMetadata(self.raw, kind, LLVMMDNodeInContext2(context, all.as_mut_ptr(), all.len()));
        }
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

    /// Says that a global variable may hold another value than its initialiser when the program starts.
    pub fn set_externally_initialized(self, yes: bool) {
        assert!(self.is_global_variable());
        unsafe { LLVMSetExternallyInitialized(self.raw, yes.into()) }
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
        unsafe { shim::ofc_erase_global(self.raw) }
    }
}
