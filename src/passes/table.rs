//! The table of all passes, which has the names for `--print-before`, `--print-after` and `--run-pass`.

/// A pass. It has the name of its function.
#[derive(Debug)]
pub struct Row {
    /// The name.
    pub name: &'static str,
    /// How it runs.
    pub runs: Runs,
    /// Whether code is also correct without it, so that `--bisect-passes` may skip it.
    pub is_optional: bool,
}

/// How a pass runs, and whether `--run-pass` can run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// On a module, with the options of the command line and the target.
    Alone,
    /// On one function after another, within the pass of this name. It can run without the other parts.
    PartOf(&'static str),
    /// With results of earlier passes, so not alone, for this reason.
    With(&'static str),
    /// Called by the pass of this name, and never by a stage or a target.
    Inside(&'static str),
}

use Runs::{Alone, Inside, PartOf, With};

/// A name and how it runs.
const fn row(name: &'static str, runs: Runs) -> Row {
    Row { name, runs, is_optional: false }
}

/// The row of a pass that only makes code better.
const fn optional(name: &'static str) -> Row {
    Row { name, runs: Alone, is_optional: true }
}

const ENTRY_POINTS: Runs = With("it needs the entry points that `lower_kernel_abi` has made");
const PANIC_TABLE: Runs = With("it needs the table that `lower_panics` has made");
const SPLITTING: Runs = With("it works on the copy that the stage `split` has made");
const MARKS: Runs = With("it needs the kernels of all modules of the program");

/// Every pass: those of `src/passes/` by folder, then those of the stages' own, then those of `src/spmd/` and of one
/// target.
#[rustfmt::skip]
pub static PASSES: &[Row] = &[
    row("align_memory", Alone),
    row("compare_as_numbers", Alone),
    row("declare_shared_arrays", Alone),
    row("infer_address_spaces", ENTRY_POINTS),
    row("keep_null", Alone),
    row("place_allocas", Alone),
    row("place_globals", Alone),
    row("retype_pointers", Alone),
    row("specialize", Inside("infer_address_spaces")),

    row("drop_compiler_fences", Alone),
    row("lower_atomics", Alone),
    row("lower_constant_atomics", Alone),
    row("lower_private_atomics", Alone),
    row("name_scopes", Alone),
    row("order_with_fences", Alone),

    row("define_leave", Alone),
    row("describe_intrinsics", Alone),
    row("drop_prints", Alone),
    row("fold_features", Alone),
    row("fold_query", Alone),
    row("link_text", Alone),
    row("lower_builtins", Alone),
    row("lower_intrinsics", Alone),

    row("copy_byval", ENTRY_POINTS),
    row("end_mistyped_calls", Alone),
    row("lower_function_pointers", Alone),
    row("lower_recursion", Alone),
    row("pass_in_memory", Inside("inline_into_kernels")),

    row("agree_on_returns", Alone),
    row("drop_convergent", Alone),
    row("keep_exit_values", Alone),
    row("mark_convergent", Alone),
    row("mask_operations", Alone),
    row("repair_convergence", Alone),

    row("keep_variables", Alone),
    row("show_user_lines", Alone),

    row("divide_exactly", Alone),
    row("drop_shift_flags", Alone),
    row("expand_arithmetic", PartOf("legalize_functions")),
    row("expand_bitcasts", PartOf("legalize_functions")),
    row("expand_conversions", Alone),
    row("expand_vectors", Alone),
    row("freeze_guarded_shifts", Alone),
    row("freeze_narrow_indices", Alone),
    row("hide_byte_products", Alone),
    row("hide_low_bytes", Alone),
    row("hide_sign_bytes", Alone),
    row("keep_carries", Alone),
    row("keep_product_masks", Alone),
    row("keep_zero_signs", Alone),
    row("mask_truncations", Alone),
    row("narrow_word_products", Alone),
    row("split_aggregates", Alone),
    row("split_conditions", Alone),
    row("split_copies", Alone),
    row("split_copies_of", PartOf("legalize_functions")),
    row("split_integers", Alone),
    row("split_products", Alone),
    row("split_statics", Alone),
    row("widen_signs", Alone),

    row("define_host_builtins", Alone),
    row("drop_stand_ins", Alone),
    row("number_marks", MARKS),

    row("bound_threads", Alone),
    optional("compare_indices"),
    row("fold_late_constants", Alone),
    row("lower_host_calls", Alone),
    row("lower_kernel_abi", Alone),
    row("mark_launch_state", Alone),
    row("pass_launch_state", Alone),
    row("mark_read_only_loads", Alone),
    row("mark_unrolled_loops", Alone),
    row("specialize_kernel", Alone),
    row("take_launch_bounds", Alone),
    row("take_parameters", Alone),
    row("take_restrict", Alone),

    row("define_host_intrinsics", Inside("translate_host")),
    row("legalize_linked", Inside("link_math")),
    row("lower_relative_tables", Alone),
    row("strip_host", Inside("strip_host_of_module")),
    row("translate_host", Alone),

    row("call_host_std", SPLITTING),
    row("end_formatting", Alone),
    row("fix_hash_keys", Alone),
    row("float_rules", Alone),
    row("flush_subnormals", Alone),
    row("link_device_bitcode", With("it needs the files of `--device-bitcode`")),
    row("link_math", Alone),
    row("lower_allocation", Alone),
    row("lower_fast_functions", Alone),
    row("lower_math", Inside("lower_math_functions")),
    row("lower_memory_functions", Alone),
    row("match_call_types", Alone),
    row("name_math", Alone),
    row("name_math_by_symbol", Alone),
    row("take_float_rules", Alone),

    optional("drop_counters"),
    optional("merge_exits"),
    optional("simplify_counts"),
    row("keep_loop_entries", Alone),
    row("drop_loop_entries", Alone),

    row("hide_lines", Alone),
    row("restore_lines", Alone),
    row("lower_panics", Alone),
    row("forget_unused", Alone),
    row("inline_panic_texts", Inside("resolve_panics")),
    row("lower_thread_exit", Inside("inline_into_kernels")),
    row("leave_after_barriers", Alone),
    row("number_threads", Alone),
    row("leave_as_waves", Alone),
    optional("hoist_checks"),
    optional("join_checks"),
    optional("lift_checks"),
    optional("merge_panics"),
    row("merge_reports", Alone),
    row("report_host_calls", Alone),
    row("report_masks", Alone),
    row("name_callers", PANIC_TABLE),
    row("number_panics", With("it needs the numbers of the other parts of the device code")),
    row("report_panics", Alone),
    row("report_stack", Alone),
    row("require_lanes", Alone),
    row("resolve_panics", PANIC_TABLE),

    row("check_accesses", Alone),
    row("check_values", Alone),
    row("drop_settled_checks", Alone),
    row("expose_accesses", Alone),

    row("erase_unused_declarations", SPLITTING),
    row("take_entries", SPLITTING),
    row("finish_host", MARKS),
    row("link_functions", With("it needs the functions of other generic images")),
    row("link_bodies", Alone),
    row("replace_aliases", Alone),
    row("strip_host_of_module", Alone),
    row("describe_builtins", Alone),
    row("reset_flags", Alone),
    row("lower_unwinding", Alone),
    row("prune", Alone),
    row("optimize_for_all", Alone),
    row("prune_around", Alone),
    row("erase_unneeded_panics", Alone),
    row("lower_math_functions", Alone),
    row("run_pipeline", Alone),

    row("bound_launches", Alone),
    row("keep_line_directives", Alone),
    row("branch_to_private", Alone),
    row("strengthen_atomics", Alone),
    row("name_locals_apart", With("only code that is cut into parts has it")),
    row("keep_limits_apart", Alone),
    row("add_disjoint", Alone),
    row("set_code_object_version", Alone),
    row("allow_contraction", Alone),
    row("strip_debug", Alone),
    optional("fuse_products"),
    row("scalarize_masked_accesses", Alone),
    row("erase_fixed_hints", Alone),
    row("hide_print", Alone),
    row("inline_into_kernels", Alone),
    row("pass_dynamic_shared", Alone),
    row("set_conventions", Alone),
    row("lower_hints", Alone),
    row("expand_reductions", Alone),
    row("scalarize", Alone),
    row("legalize_functions", Alone),
    row("erase_calls", PartOf("legalize_functions")),
    row("leave_at_traps", PartOf("legalize_functions")),
    row("return_at_dead_ends", PartOf("legalize_functions")),
    row("name_library_functions", PartOf("legalize_functions")),
    row("order_with_barriers", PartOf("legalize_functions")),
    row("align_locals", PartOf("legalize_functions")),
    row("step_over_unknown_types", PartOf("legalize_functions")),
    row("load_pointers_as_integers", PartOf("legalize_functions")),
    row("join_pointers_as_integers", PartOf("legalize_functions")),
    row("expand_memory_calls", PartOf("legalize_functions")),
    row("expand_bits", PartOf("legalize_functions")),
    row("lower_wide_switches", Alone),
    row("hold_global_addresses", Alone),
    row("fit_composites", Alone),
    row("drop_dead_code", Alone),
    row("leave_loops_whole", Alone),
    row("drop_loop_hints", Alone),
    row("convert_chosen_numbers", Alone),
    row("return_pointers_to_bytes", Alone),
    row("join_pointers_to_bytes", Alone),
    row("drop_memory_effects", Alone),
    row("keep_sums", Alone),
    row("define_print", Alone),
    row("call_host_directly", Alone),
    row("check_callees", Alone),
    row("keep_mask_panic", Alone),
    row("inline_stops", Alone),
    optional("scan_in_one_pass"),
    row("mark_block_atomics", Alone),
    row("pass_thread", Alone),
    row("locate_glue", Alone),
    row("show_position", With("it needs the thread's position that `pass_thread` has passed")),
    row("mark_inlined", Alone),
    row("inline_marked", Alone),
    optional("unroll_inner_loops"),
    row("link_warp", Alone),
    row("internalize_kernels", With("it needs the thread's position that `pass_thread` has passed")),
    optional("hoist_position"),
    optional("convert_phis_to_selects"),
    row("split_regions", Alone),
    optional("promote_slots"),
    optional("hoist_uniform_loads"),
    optional("speculate_stores"),
    optional("version_uniform_branches"),
    optional("version_low_bits"),
    optional("version_trip_counts"),
    optional("guard_loop_iterations"),
    optional("split_row_ranges"),
    optional("vectorize"),
    row("lower_to_branches", Inside("vectorize")),
    row("erase_starts", Inside("vectorize")),
    row("emit_entries", Alone),
    row("relax_block_atomics", Alone),
    row("release_mask_panic", Alone),
    row("drop_convergent_attributes", Alone),
    row("clear_sections", Alone),
    row("probe_stacks", Alone),
    row("keep_shared_bytes", Alone),
    row("drop_unused", Alone),
    row("announce_variables", Alone),
    row("count_lines", Alone),
    row("bound_code", Alone),
];

impl Row {
    /// The pass of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PASSES.iter().find(|row| row.name == name)
    }

    /// The pass of which this one is a part.
    pub fn part_of(&self) -> Option<&'static str> {
        match self.runs {
            PartOf(whole) => Some(whole),
            _ => None,
        }
    }
}
