//! Globals: functions, global variables, aliases.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMUnnamedAddr, LLVMVisibility};
use std::ffi::{CStr, c_char};

use super::value::{c_name, take_message};
use super::{Linkage, Type, Value, shim};

/// An address in values of a type of the source, and the variable whose type has led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerInType {
    /// The file of the variable, which may be relative to `folder`.
    pub file: String,
    /// The folder in which the compiler ran; empty if it is unknown.
    pub folder: String,
    /// The line of the variable.
    pub line: u32,
    /// The name of the type.
    pub name: String,
    /// The fields that lead to the address, as in `name.data_ptr`; empty if the type is an address itself.
    pub path: String,
}

impl PointerInType {
    /// Reads a message of LLVM's allocator; none for null.
    fn take(raw: *mut c_char) -> Option<Self> {
        if raw.is_null() {
            return None;
        }
        // SAFETY: the message is taken once.
        let text = unsafe { take_message(raw) };
        let mut lines = text.split('\n').map(str::to_owned);
        let line = lines.next()?.parse().ok()?;
        let (folder, file, name, path) = (lines.next()?, lines.next()?, lines.next()?, lines.next()?);
        Some(PointerInType { file, folder, line, name, path })
    }
}

/// Functions, global variables, aliases.
impl<'c> Value<'c> {
    /// Whether it has no body or initialiser in this module.
    pub fn is_declaration(self) -> bool {
        assert!(self.is_global());
        llvm!(LLVMIsDeclaration(self.raw) != 0)
    }

    /// Whether nothing outside its module can name it: `internal` or `private`.
    pub fn has_local_linkage(self) -> bool {
        matches!(self.linkage(), Linkage::Internal | Linkage::Private)
    }

    /// Its linkage.
    pub fn linkage(self) -> Linkage {
        assert!(self.is_global());
        llvm!(LLVMGetLinkage(self.raw)).into()
    }

    /// Sets its linkage. Local linkage resets its visibility, as LLVM requires.
    pub fn set_linkage(self, linkage: Linkage) {
        assert!(self.is_global());
        llvm!(LLVMSetLinkage(self.raw, linkage.into()))
    }

    /// Attaches metadata of 32-bit numbers to a function, such as `!reqd_work_group_size`, or to an instruction.
    pub fn set_metadata_numbers(self, name: &str, numbers: &[u32]) {
        assert!(self.is_function() || self.is_instruction());
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.raw)));
        let kind = llvm!(LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as u32));
        let i32 = llvm!(LLVMInt32TypeInContext(context));
        let number = |n: &u32| llvm!(LLVMValueAsMetadata(LLVMConstInt(i32, (*n).into(), 0)));
        let mut all: Vec<_> = numbers.iter().map(number).collect();
        let node = llvm!(LLVMMDNodeInContext2(context, all.as_mut_ptr(), all.len()));
        if self.is_function() {
            llvm!(LLVMGlobalSetMetadata(self.raw, kind, node));
        } else {
            llvm!(LLVMSetMetadata(self.raw, kind, LLVMMetadataAsValue(context, node)));
        }
    }

    /// Makes it hidden: invisible outside of the linked program.
    pub fn set_hidden(self) {
        assert!(self.is_global());
        llvm!(LLVMSetVisibility(self.raw, LLVMVisibility::LLVMHiddenVisibility))
    }

    /// Makes it protected: visible, but not replaceable by another definition.
    pub fn set_protected(self) {
        assert!(self.is_global());
        llvm!(LLVMSetVisibility(self.raw, LLVMVisibility::LLVMProtectedVisibility))
    }

    /// Whether it is hidden outside of the program or shared object.
    pub fn is_hidden(self) -> bool {
        assert!(self.is_global());
        llvm!(LLVMGetVisibility(self.raw) == LLVMVisibility::LLVMHiddenVisibility)
    }

    /// Sets the default visibility.
    pub fn set_default_visibility(self) {
        assert!(self.is_global());
        llvm!(LLVMSetVisibility(self.raw, LLVMVisibility::LLVMDefaultVisibility))
    }

    /// Makes its address significant, so that it is not merged with an equal global.
    pub fn set_significant_address(self) {
        assert!(self.is_global());
        llvm!(LLVMSetUnnamedAddress(self.raw, LLVMUnnamedAddr::LLVMNoUnnamedAddr))
    }

    /// Whether its address is insignificant, at least within its module.
    pub fn has_unnamed_address(self) -> bool {
        assert!(self.is_global());
        llvm!(LLVMGetUnnamedAddress(self.raw) != LLVMUnnamedAddr::LLVMNoUnnamedAddr)
    }

    /// Makes its address insignificant.
    pub fn set_unnamed_address(self) {
        assert!(self.is_global());
        llvm!(LLVMSetUnnamedAddress(self.raw, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr))
    }

    /// Its section; `""` if it has none.
    pub fn section(self) -> String {
        assert!(self.is_global());
        let raw = llvm!(LLVMGetSection(self.raw));
        if raw.is_null() { String::new() } else { llvm!(CStr::from_ptr(raw).to_string_lossy().into_owned()) }
    }

    /// Sets its section; `""` removes it.
    pub fn set_section(self, section: &str) {
        assert!(self.is_function() || self.is_global_variable());
        llvm!(LLVMSetSection(self.raw, c_name(section).as_ptr()))
    }

    /// Removes it from its comdat group.
    pub fn clear_comdat(self) {
        assert!(self.is_function() || self.is_global_variable());
        llvm!(inkwell::llvm_sys::comdat::LLVMSetComdat(self.raw, std::ptr::null_mut()))
    }

    /// The identity of its comdat group, if it has one.
    pub fn comdat(self) -> Option<usize> {
        if !(self.is_function() || self.is_global_variable()) {
            return None;
        }
        let raw = llvm!(inkwell::llvm_sys::comdat::LLVMGetComdat(self.raw));
        (!raw.is_null()).then_some(raw as usize)
    }

    /// The value type: of a function its function type, of a variable the type of its value, of an alias that of its
    /// aliasee.
    pub fn value_type(self) -> Type<'c> {
        assert!(self.is_global());
        Type::new(llvm!(LLVMGlobalGetValueType(self.raw)))
    }

    /// The aliasee of an alias, without further aliases and casts; itself if it is not an alias.
    pub fn aliasee(self) -> Value<'c> {
        let mut value = self.strip_constant_casts();
        while value.is_alias() {
            value = Value::new(llvm!(LLVMAliasGetAliasee(value.raw))).strip_constant_casts();
        }
        value
    }

    /// A global variable's initialiser.
    pub fn initializer(self) -> Option<Value<'c>> {
        assert!(self.is_global_variable());
        Value::maybe(llvm!(LLVMGetInitializer(self.raw)))
    }

    /// Sets or removes a global variable's initialiser.
    pub fn set_initializer(self, value: Option<Value<'c>>) {
        assert!(self.is_global_variable());
        llvm!(LLVMSetInitializer(self.raw, value.map_or(std::ptr::null_mut(), |v| v.raw)))
    }

    /// Whether a global variable is `constant`.
    pub fn is_constant_global(self) -> bool {
        assert!(self.is_global_variable());
        llvm!(LLVMIsGlobalConstant(self.raw) != 0)
    }

    /// Marks a global variable `constant` or `global`.
    pub fn set_constant_global(self, constant: bool) {
        assert!(self.is_global_variable());
        llvm!(LLVMSetGlobalConstant(self.raw, constant.into()))
    }

    /// Moves a global variable to another address space, and casts its address back at every use. Returns the new
    /// variable.
    pub fn move_variable(self, address_space: u32) -> Value<'c> {
        assert!(self.is_global_variable());
        Value::new(llvm!(shim::ofc_move_variable(self.raw, address_space)))
    }

    /// Sets whether a global variable may have another value than its initialiser when the program starts.
    pub fn set_externally_initialized(self, yes: bool) {
        assert!(self.is_global_variable());
        llvm!(LLVMSetExternallyInitialized(self.raw, yes.into()))
    }

    /// Whether a global variable is thread-local.
    pub fn is_thread_local(self) -> bool {
        self.is_global_variable() && llvm!(LLVMIsThreadLocal(self.raw) != 0)
    }

    /// The first address in values of the type that is the parameter of a global variable's type, as debug information
    /// shows it.
    pub fn pointer_in_parameter(self) -> Option<PointerInType> {
        assert!(self.is_global_variable());
        PointerInType::take(llvm!(shim::ofc_pointer_in_parameter(self.raw)))
    }

    /// The first address in this field of the instances of a structure, or of a variant of an enum, as debug
    /// information shows them. The variant of a structure is empty. The type is declared around the global variable.
    pub fn pointer_in_field(self, structure: &str, variant: &str, field: &str) -> Option<PointerInType> {
        assert!(self.is_global_variable());
        let [structure, variant, field] = [structure, variant, field].map(c_name);
        let names = (structure.as_ptr(), variant.as_ptr(), field.as_ptr());
        PointerInType::take(llvm!(shim::ofc_pointer_in_field(self.raw, names.0, names.1, names.2)))
    }

    /// The alignment of a global, alloca, load or store in bytes; 0 if it has none.
    pub fn alignment(self) -> u32 {
        llvm!(LLVMGetAlignment(self.raw))
    }

    /// Sets the alignment of a global, alloca, load or store in bytes.
    pub fn set_alignment(self, bytes: u32) {
        llvm!(LLVMSetAlignment(self.raw, bytes))
    }

    /// Removes the constant expressions that use a global and that nothing uses. LLVM keeps them when their last user
    /// disappears.
    pub fn remove_dead_constants(self) {
        assert!(self.is_global());
        llvm!(shim::ofc_remove_dead_constants(self.raw))
    }

    /// Erases a function, variable or alias without uses from its module.
    pub fn erase_global(self) {
        assert!(!self.is_used(), "{} is still used", self.name());
        llvm!(shim::ofc_erase_global(self.raw))
    }
}
