//! Declarations of the C++ functions in this folder.

use inkwell::llvm_sys::prelude::{
    LLVMBasicBlockRef, LLVMContextRef, LLVMDbgRecordRef, LLVMMemoryBufferRef, LLVMMetadataRef, LLVMModuleRef,
    LLVMTypeRef, LLVMValueRef,
};
use inkwell::llvm_sys::target_machine::LLVMTargetMachineRef;
use std::ffi::{c_char, c_int, c_uint, c_void};

use super::bisect::Callback;

/// ```c
/// struct ofc_member { const char *name; const char *bytes; size_t length; };
/// ```
#[repr(C)]
pub(super) struct Member {
    pub(super) name: *const c_char,
    pub(super) bytes: *const c_char,
    pub(super) length: usize,
}

/// ```c
/// struct ofc_symbol {
///   const char *name;
///   size_t name_length;
///   const char *section;
///   size_t section_length;
///   const char *comdat;
///   size_t comdat_length;
///   uint64_t common_size;
///   int undefined, weak, common, function;
///   unsigned visibility;
/// };
/// ```
#[repr(C)]
pub(super) struct Symbol {
    pub(super) name: *const c_char,
    pub(super) name_length: usize,
    pub(super) section: *const c_char,
    pub(super) section_length: usize,
    pub(super) comdat: *const c_char,
    pub(super) comdat_length: usize,
    pub(super) common_size: u64,
    pub(super) undefined: c_int,
    pub(super) weak: c_int,
    pub(super) common: c_int,
    pub(super) function: c_int,
    pub(super) visibility: c_uint,
}

// Functions of LLVM's C API that the bindings lack.
unsafe extern "C" {
    /// 1 is a declaration of a variable.
    pub(super) fn LLVMDbgRecordGetKind(record: LLVMDbgRecordRef) -> c_int;
    pub(super) fn LLVMDbgRecordGetDebugLoc(record: LLVMDbgRecordRef) -> LLVMMetadataRef;
    pub(super) fn LLVMDbgVariableRecordGetValue(record: LLVMDbgRecordRef, operand: c_uint) -> LLVMValueRef;
}

unsafe extern "C" {
    pub(super) fn ofc_on_no_memory(report: extern "C" fn());
    pub(super) fn ofc_symbols(
        bytes: *const c_char,
        length: usize,
        name: *const c_char,
        each: unsafe extern "C" fn(*mut c_void, *const Symbol),
        state: *mut c_void,
        message: *mut *mut c_char,
    ) -> c_int;
    pub(super) fn ofc_features(
        triple: *const c_char,
        cpu: *const c_char,
        features: *const c_char,
        each: unsafe extern "C" fn(*mut c_void, *const c_char, c_int),
        state: *mut c_void,
    ) -> c_int;
    pub(super) fn ofc_write_archive(
        members: *const Member,
        count: usize,
        message: *mut *mut c_char,
    ) -> LLVMMemoryBufferRef;
    pub(super) fn ofc_assemble(
        machine: LLVMTargetMachineRef,
        text: *const c_char,
        length: usize,
        message: *mut *mut c_char,
    ) -> LLVMMemoryBufferRef;
    pub(super) fn ofc_emit(
        machine: LLVMTargetMachineRef,
        module: LLVMModuleRef,
        object: c_int,
        length: *mut usize,
    ) -> *mut c_void;
    pub(super) fn ofc_take_code(code: *mut c_void, out: *mut c_char);
    pub(super) fn ofc_mark_divergent_ends(function: LLVMValueRef, machine: LLVMTargetMachineRef, marks: *mut u8);
    pub(super) fn ofc_mark_divergent_results(function: LLVMValueRef, machine: LLVMTargetMachineRef, marks: *mut u8);
    pub(super) fn ofc_target_machine(
        triple: *const c_char,
        cpu: *const c_char,
        features: *const c_char,
        level: c_uint,
        position_independent: c_int,
    ) -> LLVMTargetMachineRef;
    pub(super) fn ofc_intrinsic_of_name(
        module: LLVMModuleRef,
        text: *const c_char,
        length: usize,
        count: *mut usize,
    ) -> LLVMValueRef;
    pub(super) fn ofc_add_machine_passes();
    pub(super) fn ofc_choose_machine_passes(passes: c_uint);
    pub(super) fn ofc_run_passes(
        module: LLVMModuleRef,
        text: *const c_char,
        machine: LLVMTargetMachineRef,
        level: c_char,
        workarounds: c_uint,
        plugins: *const *const c_void,
        named: *const *const c_char,
        count: usize,
        bisect: *const c_void,
        runs: Option<Callback>,
    ) -> *mut c_char;
    pub(super) fn ofc_load_pass_plugin(path: *const c_char, why: *mut *mut c_char) -> *const c_void;
    pub(super) fn ofc_check_pass_plugin(
        plugin: *const c_void,
        named: *const c_char,
        text: *const c_char,
        machine: LLVMTargetMachineRef,
        level: c_char,
        adds: *mut c_int,
    ) -> *mut c_char;
    pub(super) fn ofc_clone_definitions(module: LLVMModuleRef, keep: *mut LLVMValueRef, count: usize) -> LLVMModuleRef;
    pub(super) fn ofc_compiled_in(function: LLVMValueRef, length: *mut usize) -> *const c_char;
    pub(super) fn ofc_scope_function(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    pub(super) fn ofc_expand_gep(instruction: LLVMValueRef);
    pub(super) fn ofc_expand_division(instruction: LLVMValueRef);
    pub(super) fn ofc_expand_atomic(instruction: LLVMValueRef);
    pub(super) fn ofc_lower_private_atomic(access: LLVMValueRef);
    pub(super) fn ofc_widen_atomic(access: LLVMValueRef);
    pub(super) fn ofc_expand_reduction(call: LLVMValueRef);
    pub(super) fn ofc_expand_memory_call(call: LLVMValueRef, generic: c_uint);
    pub(super) fn ofc_retype_pointers(module: LLVMModuleRef, from: c_uint, to: c_uint);
    pub(super) fn ofc_is_repeatable(call: LLVMValueRef) -> c_int;
    pub(super) fn ofc_retype_operation(
        instruction: LLVMValueRef,
        operands: *mut LLVMValueRef,
        count: usize,
        ty: LLVMTypeRef,
    ) -> LLVMValueRef;
    pub(super) fn ofc_take_body(to: LLVMValueRef, from: LLVMValueRef);
    pub(super) fn ofc_erase_global(global: LLVMValueRef);
    pub(super) fn ofc_remove_dead_constants(global: LLVMValueRef);
    pub(super) fn ofc_compare_indices(function: LLVMValueRef);
    pub(super) fn ofc_drop_counters(function: LLVMValueRef);
    pub(super) fn ofc_merge_exits(function: LLVMValueRef);
    pub(super) fn ofc_simplify_counts(function: LLVMValueRef);
    pub(super) fn ofc_hoist_checks(function: LLVMValueRef, ballot: *const c_char);
    pub(super) fn ofc_erase_unreachable_blocks(function: LLVMValueRef);
    pub(super) fn ofc_dominators(function: LLVMValueRef, blocks: *mut LLVMBasicBlockRef, count: usize);
    pub(super) fn ofc_trip_counts(
        function: LLVMValueRef,
        headers: *const LLVMBasicBlockRef,
        counts: *mut c_uint,
        count: usize,
    );
    pub(super) fn ofc_erase_block(block: LLVMBasicBlockRef);
    pub(super) fn ofc_clear_personality(function: LLVMValueRef);
    pub(super) fn ofc_delete_body(function: LLVMValueRef);
    pub(super) fn ofc_clear_host_frame(function: LLVMValueRef);
    pub(super) fn ofc_only_reads(call: LLVMValueRef) -> c_int;
    pub(super) fn ofc_may_access_memory(call: LLVMValueRef) -> c_int;
    pub(super) fn ofc_forward_attributes(call: LLVMValueRef, callee: LLVMValueRef);
    pub(super) fn ofc_text_with_orders(module: LLVMModuleRef) -> *mut c_char;
    pub(super) fn ofc_sort_uses(module: LLVMModuleRef);
    pub(super) fn ofc_small_bitcode(module: LLVMModuleRef) -> LLVMMemoryBufferRef;
    pub(super) fn ofc_erase_named_metadata_except(module: LLVMModuleRef, kept: *const c_char);
    pub(super) fn ofc_erase_named_metadata(module: LLVMModuleRef, name: *const c_char);
    pub(super) fn ofc_named_node_count(module: LLVMModuleRef, name: *const c_char) -> c_int;
    pub(super) fn ofc_named_node(module: LLVMModuleRef, name: *const c_char, number: c_uint) -> LLVMMetadataRef;
    pub(super) fn ofc_add_named_node(module: LLVMModuleRef, name: *const c_char, node: LLVMMetadataRef);
    pub(super) fn ofc_metadata_text(metadata: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    pub(super) fn ofc_metadata_constant(metadata: LLVMMetadataRef) -> LLVMValueRef;
    pub(super) fn ofc_node_operand_count(metadata: LLVMMetadataRef) -> c_int;
    pub(super) fn ofc_node_operand(node: LLVMMetadataRef, number: c_uint) -> LLVMMetadataRef;
    pub(super) fn ofc_byval_type(function: LLVMValueRef, parameter: c_uint) -> LLVMTypeRef;
    pub(super) fn ofc_move_variable(variable: LLVMValueRef, address_space: c_uint) -> LLVMValueRef;
    pub(super) fn ofc_move_alloca(alloca: LLVMValueRef, address_space: c_uint) -> LLVMValueRef;
    pub(super) fn ofc_change_signature(
        function: LLVMValueRef,
        result: LLVMTypeRef,
        parameters: *mut LLVMTypeRef,
        count: usize,
    ) -> LLVMValueRef;
    pub(super) fn ofc_replace_call(
        call: LLVMValueRef,
        callee: LLVMValueRef,
        arguments: *mut LLVMValueRef,
        count: usize,
    ) -> LLVMValueRef;
    pub(super) fn ofc_expand_constant_users(global: LLVMValueRef);
    pub(super) fn ofc_clone_function(function: LLVMValueRef) -> LLVMValueRef;
    pub(super) fn ofc_clone_with_copies(
        function: LLVMValueRef,
        instructions: *mut LLVMValueRef,
        instruction_count: usize,
        blocks: *mut LLVMBasicBlockRef,
        block_count: usize,
    ) -> LLVMValueRef;
    pub(super) fn ofc_clone_blocks(
        from: LLVMBasicBlockRef,
        list: *mut LLVMBasicBlockRef,
        count: usize,
    ) -> LLVMBasicBlockRef;
    pub(super) fn ofc_clone_region(
        function: LLVMValueRef,
        start: LLVMBasicBlockRef,
        list: *mut LLVMBasicBlockRef,
        count: usize,
    ) -> LLVMValueRef;
    pub(super) fn ofc_demote_to_stack(instruction: LLVMValueRef) -> LLVMValueRef;
    pub(super) fn ofc_demote_phi(phi: LLVMValueRef);
    pub(super) fn ofc_describe_like(function: LLVMValueRef, other: LLVMValueRef);
    pub(super) fn ofc_locate_at_head(instruction: LLVMValueRef, inlined: LLVMValueRef, number: c_uint);
    pub(super) fn ofc_has_variables(function: LLVMValueRef) -> c_int;
    pub(super) fn ofc_keep_variables(function: LLVMValueRef);
    pub(super) fn ofc_declare_position(function: LLVMValueRef, name: *const c_char, values: *mut LLVMValueRef);
    pub(super) fn ofc_point_to_variables(function: LLVMValueRef);
    pub(super) fn ofc_drop_annotations(instruction: LLVMValueRef);
    pub(super) fn ofc_validate_words(
        words: *const u32,
        count: usize,
        is_opencl: c_int,
        instruction: *mut usize,
    ) -> *mut c_char;
    pub(super) fn ofc_needed_bits(value: LLVMValueRef, at: LLVMValueRef, is_signed: c_int) -> c_uint;
    pub(super) fn ofc_known_bits(value: LLVMValueRef, at: LLVMValueRef, known: *mut u64);
    pub(super) fn ofc_distinguish_zeros(instruction: LLVMValueRef);
    pub(super) fn ofc_split_block(instruction: LLVMValueRef, name: *const c_char) -> LLVMBasicBlockRef;
    pub(super) fn ofc_remove_predecessor(block: LLVMBasicBlockRef, predecessor: LLVMBasicBlockRef);
    pub(super) fn ofc_split_predecessors(
        block: LLVMBasicBlockRef,
        predecessors: *mut LLVMBasicBlockRef,
        count: usize,
    ) -> LLVMBasicBlockRef;
    pub(super) fn ofc_unroll_loop(latch: LLVMValueRef, count: c_uint);
    pub(super) fn ofc_copy_loop_body(header: LLVMBasicBlockRef, count: c_uint);
    pub(super) fn ofc_iterate_in_any_order(latch: LLVMValueRef, call: LLVMValueRef);
    pub(super) fn ofc_number_places(module: LLVMModuleRef, places: *mut LLVMMetadataRef, capacity: usize) -> usize;
    pub(super) fn ofc_keep_line_directives(module: LLVMModuleRef);
    pub(super) fn ofc_pointer_in_parameter(variable: LLVMValueRef) -> *mut c_char;
    pub(super) fn ofc_pointer_in_field(
        variable: LLVMValueRef,
        structure: *const c_char,
        variant: *const c_char,
        field: *const c_char,
    ) -> *mut c_char;
    pub(super) fn ofc_new_mover(to: LLVMModuleRef) -> *mut c_void;
    pub(super) fn ofc_end_mover(mover: *mut c_void);
    pub(super) fn ofc_new_linker(to: LLVMModuleRef) -> *mut c_void;
    pub(super) fn ofc_end_linker(linker: *mut c_void);
    pub(super) fn ofc_definitions(
        bytes: *const c_char,
        length: usize,
        name: *const c_char,
        each: unsafe extern "C" fn(*mut c_void, *const c_char, usize, c_uint),
        state: *mut c_void,
        message: *mut *mut c_char,
    ) -> c_int;
    pub(super) fn ofc_without_bodies(
        context: LLVMContextRef,
        bytes: *const c_char,
        length: usize,
        name: *const c_char,
        message: *mut *mut c_char,
    ) -> LLVMModuleRef;
    pub(super) fn ofc_layouts_fit(one: *const c_char, other: *const c_char) -> c_int;
    pub(super) fn ofc_link_module(linker: *mut c_void, from: LLVMModuleRef) -> c_int;
    pub(super) fn ofc_link_needed(
        mover: *mut c_void,
        to: LLVMModuleRef,
        bytes: *const c_char,
        length: usize,
        name: *const c_char,
        symbols: *const *const c_char,
        count: usize,
        lines: c_int,
        wanted: unsafe extern "C" fn(*mut c_void, LLVMValueRef) -> c_int,
        state: *mut c_void,
        message: *mut *mut c_char,
    ) -> c_int;
}
