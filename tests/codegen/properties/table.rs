//! A row for each pass: the random modules that show that it keeps their meaning, or the test that looks at it instead.

use super::How::{Alone, Entries, Resuming, Returning, Scalarized, Specialized, SplitEntries, Within, WithinHidden};
use super::Property;
use super::generate::Feature::*;

/// Makes the table of executed passes, and a test of each. A row names the pass, how it runs, the archs, further
/// options, and the features of its modules.
macro_rules! executed {
    ($($pass:ident: $how:ident [$($arch:literal),*] [$($option:literal),*] [$($feature:ident),*];)*) => {
        pub(super) static EXECUTED: &[Property] = &[$(Property {
            pass: stringify!($pass),
            how: $how,
            archs: &[$($arch),*],
            options: &[$($option),*],
            features: &[$($feature),*],
        }),*];
        $(#[test]
        fn $pass() {
            let property = EXECUTED.iter().find(|property| property.pass == stringify!($pass));
            property.expect("the row is its own").check();
        })*
    };
}

executed! {
    infer_address_spaces: Within ["sm_80", "gfx90a", "spirv64"] ["-O0"] [Memory, Pointers, Atomics, Calls, ByValue, Copies, Control];
    compare_as_numbers: Alone ["sm_80", "gfx90a"] [] [NumberedAddresses, Control, Integers];
    keep_null: Alone ["sm_80"] [] [SharedNulls, Control];
    place_allocas: Alone ["gfx90a"] [] [Memory, Calls, ByValue, Copies, Pointers, Control];
    place_globals: Alone ["sm_80", "gfx90a"] [] [Memory, Pointers, Atomics, Copies, OddMemory, Calls];
    retype_pointers: Alone ["spirv64"] [] [Memory, Pointers, Copies, Calls, Atomics, Control, Aggregates];

    lower_atomics: Alone ["sm_80"] [] [AtomicCalls, Control, Integers];
    lower_constant_atomics: Alone ["sm_80"] [] [AtomicCalls, Control, Integers];
    name_scopes: Alone ["sm_80", "gfx90a", "spirv64"] [] [Atomics, Control];
    order_with_fences: Alone ["sm_60"] [] [Atomics, Control];

    copy_byval: Within ["gfx90a"] ["-O0"] [ByValue, FunctionPointers, Calls, Control, Integers];
    lower_function_pointers: Alone ["gfx90a", "spirv64"] [] [FunctionPointers, Control, Integers];
    lower_recursion: Alone ["gfx90a", "spirv64"] ["--device-stack=65536"] [Recursion, ByValue, Control, Integers, Memory, Aggregates, Copies];
    inline_into_kernels: Returning ["spirv64"] [] [Calls, Leaves, Control, Aggregates, Integers, Large];

    keep_exit_values: Alone ["gfx90a"] [] [Control, Integers, Vectors, Floats];

    divide_exactly: Alone ["gfx90a"] [] [NarrowDivisions, Integers, Control];
    keep_product_masks: Alone ["gfx90a"] [] [NarrowProducts, Integers, Control];
    hide_byte_products: Alone ["gfx90a"] [] [NarrowProducts, Integers, Control];
    narrow_word_products: Scalarized ["cpu"] [] [WordProducts, Vectors, Control];
    hide_low_bytes: Alone ["cpu"] [] [Merged, Integers, Control];
    hide_sign_bytes: Alone ["gfx90a"] [] [SignBytes, Integers, Control];
    keep_carries: Alone ["gfx90a"] [] [Wide, Arithmetic, Carries, Integers, Control];
    expand_arithmetic: Alone ["spirv64"] [] [Arithmetic, Integers, Odd, Wide, Control];
    expand_bitcasts: Alone ["spirv64"] [] [Bitcasts, Vectors, OddVectors, Control];
    expand_bits: Alone ["spirv64"] [] [Bits, Control, Integers];
    expand_conversions: Alone ["sm_80"] [] [Conversions, Floats, Wide, Control];
    expand_vectors: Alone ["sm_80"] [] [PartialSums, Vectors, Control];
    expand_memory_calls: Alone ["spirv64"] [] [LongCopies, Copies, Control];
    expand_reductions: Alone ["spirv64"] [] [Reductions, Vectors, Control];
    widen_signs: Alone ["spirv64"] [] [Conversions, Floats, Control];
    mask_truncations: Alone ["spirv64"] [] [Truncations, Integers, Control];
    split_aggregates: Alone ["spirv64"] [] [Aggregates, Control, Integers];
    split_copies: Alone ["sm_80", "gfx90a"] [] [Copies, LongCopies, Control];
    split_copies_of: Alone ["spirv64"] [] [Copies, LongCopies, Control];
    split_integers: Alone ["spirv64"] [] [Wide, Odd, Integers, Counts, Control];
    split_products: Alone ["sm_80"] [] [Products, Wide, Control];
    split_statics: Alone ["spirv64"] [] [OddMemory, Control];

    lower_kernel_abi: Alone ["sm_80", "gfx90a"] [] [Parameters, Memory, Control];
    pass_launch_state: Alone ["sm_80", "gfx90a"] [] [LaunchState, Calls, Control];

    specialize_kernel: Specialized ["sm_80"] [] [Parameters, Memory, Calls, Integers, Control];

    lower_relative_tables: Alone ["sm_80"] [] [Distances, Control, Integers];
    translate_host: Alone ["sm_80"] [] [HostInstructions, Vectors, Control];
    replace_aliases: Alone ["sm_80"] [] [Aliases, Memory, Control];
    strip_host_of_module: Alone ["sm_80"] [] [Calls, Aliases, Memory, Control, Integers, Unwinding];
    lower_unwinding: Alone ["sm_80"] [] [Unwinding, Control, Integers];

    lower_allocation: Alone ["sm_80"] [] [Heap, Calls, Control];
    lower_memory_functions: Alone ["sm_80", "gfx90a", "spirv64"] [] [LongCopies, Copies, Control];

    lower_panics: Alone ["sm_80"] [] [RustPanics, Calls, Control];
    merge_panics: Alone ["sm_80"] [] [Panics, Traps, Calls, Control];
    report_panics: Alone ["sm_80"] [] [Panics, Calls, Control];
    report_masks: Alone ["sm_80"] [] [Masks, Control, Integers];
    compare_indices: Alone ["sm_80"] [] [ChosenIndices, Control, Integers];
    drop_counters: Alone ["gfx90a"] [] [SteppedLoops, Control, Integers];
    merge_exits: Alone ["sm_80", "gfx90a"] [] [TwoExits, SteppedLoops, Control, Integers];
    simplify_counts: Alone ["sm_80"] [] [SteppedLoops, Control, Integers];
    hoist_checks: Alone ["sm_80"] [] [CheckedLoops, Control, Integers];
    lift_checks: Alone ["gfx90a"] [] [CheckedSides, Control, Integers];
    leave_after_barriers: Resuming ["spirv64"] [] [Barriers, Leaves, Control, Integers, Memory];
    require_lanes: Alone ["gfx90a"] [] [Masks, LanePanic, Control, Integers];
    resolve_panics: WithinHidden ["sm_80"] ["-O0"] [RustPanics, Calls, Control];

    prune: Alone ["sm_80"] [] [Calls, Control, Integers, Memory];
    optimize_for_all: Alone ["sm_80"] [] [Calls, Control, Integers, Memory, Pointers, Copies];

    scalarize_masked_accesses: Alone ["spirv64"] [] [Masked, Vectors, Control];
    scalarize: Alone ["spirv64"] [] [Vectors, OddVectors, Floats, Control, Memory];
    lower_hints: Alone ["spirv64"] [] [Hints, Masked, Control, Integers];
    legalize_functions: Alone ["spirv64"] [] [Arithmetic, Copies, LongCopies, Pointers, Bits, Traps, OddMemory, Control];
    erase_calls: Alone ["spirv64"] [] [Hints, Control, Integers];
    leave_at_traps: Alone ["spirv64"] [] [Traps, Control, Integers];
    return_at_dead_ends: Alone ["spirv64"] [] [Traps, Leaves, Control, Integers];
    align_locals: Alone ["spirv64"] [] [OddMemory, Memory, Control];
    step_over_unknown_types: Alone ["spirv64"] [] [OddMemory, Memory, Control];
    load_pointers_as_integers: Alone ["spirv64"] [] [Pointers, Memory, Control];
    join_pointers_as_integers: Alone ["spirv64"] [] [Pointers, Memory, Control];
    hold_global_addresses: Within ["spirv64"] ["-O0"] [Pointers, Memory, Control];
    lower_wide_switches: Alone ["spirv64"] [] [WideSwitches, Wide, Control];
    fit_composites: Alone ["spirv64"] [] [OddMemory, Memory, Control];
    drop_dead_code: Alone ["spirv64"] [] [Memory, Calls, Control, Integers];
    return_pointers_to_bytes: Alone ["spirv64"] [] [ReturnedPointers, Memory, Control];
    join_pointers_to_bytes: Alone ["spirv64"] [] [Pointers, Memory, Control];
    keep_sums: Alone ["spirv64"] [] [Integers, Arithmetic, Control];
    hoist_position: SplitEntries ["cpu"] [] [Threads, BlockBarriers, Control, Integers];
    convert_phis_to_selects: SplitEntries ["cpu"] [] [Threads, BlockBarriers, Control, Integers];
    promote_slots: Entries ["cpu"] [] [Threads, BlockBarriers, Control, Integers];
    hoist_uniform_loads: Entries ["cpu"] [] [Threads, BlockBarriers, Control, Integers];
    speculate_stores: Entries ["cpu"] [] [Threads, Exchanges, Control, Integers];
    version_uniform_branches: Entries ["cpu"] [] [Threads, BlockBarriers, Control, Integers];
    version_low_bits: Entries ["cpu"] [] [Threads, Partners, Control, Integers];
    version_trip_counts: Entries ["cpu"] [] [Threads, BlockSteps, Control, Integers];
    guard_loop_iterations: Entries ["cpu"] [] [Threads, GridSteps, Control, Integers];
    split_row_ranges: Entries ["cpu"] [] [Threads, BlockBarriers, Control, Integers];
    vectorize: Entries ["cpu", "cpu:x86-64-v3"] ["--cpu-vectorize=always"] [Threads, BlockBarriers, Partners, Control, Integers];
}

/// Passes whose results the host cannot execute, or that change no result, and the tests that look at them.
#[rustfmt::skip]
pub(super) static ELSEWHERE: &[(&str, &str)] = &[
    // Parts of executed passes, whose rows have the features that reach them.
    ("specialize", "the row of `infer_address_spaces`, and `codegen random_modules`"),
    ("pass_in_memory", "the row of `inline_into_kernels`, whose modules are large enough"),
    ("lower_thread_exit", "the row of `inline_into_kernels`, on a device where functions that leave return"),
    ("define_host_intrinsics", "the row of `translate_host`"),
    ("strip_host", "the row of `strip_host_of_module`"),
    ("inline_panic_texts", "the row of `lower_panics`, and `golden legalize/panic-text-through-a-callee`"),
    ("hide_lines", "`compiler cache_module`: kernels that read the line of a location"),
    ("restore_lines", "the same"),
    ("name_callers", "numbers of places: `projects panics`, on every device"),
    ("number_panics", "`run parts_panics`: panics of kernels in different parts"),

    // The result has several threads, or instructions of a device: the emulated GPUs and the CPU execute it.
    ("mask_operations", "`run` on the emulated NVIDIA GPU: tests/run/warp_rule.rs, warp_masks.rs"),
    ("end_formatting", "functions that nobody calls: its golden file, `projects api`"),
    ("agree_on_returns", "a barrier among threads: `run guards` on every device"),
    ("repair_convergence", "`compiler convergence`: random kernels with barriers, against an interpreter of their source"),
    ("mark_convergent", "`compiler convergence`"),
    ("drop_convergent", "`compiler convergence`"),
    ("drop_convergent_attributes", "`codegen cpu_barriers`"),
    ("declare_shared_arrays", "memory of a block: its golden file, `projects api`"),
    ("lower_builtins", "`run` on every device; `codegen gpu_targets`"),
    ("lower_intrinsics", "`run` on the emulated GPUs: tests/run/intrinsics"),
    ("strengthen_atomics", "PTX in assembly: `run` on the emulated NVIDIA GPU, and `ptxas`"),
    ("lower_private_atomics", "private memory of a device: `run` on every device, tests/run/local_atomics.rs"),
    ("add_disjoint", "modules have no disjoint `or` that is an index: its golden file, and `run` on the emulated GPU"),
    ("drop_shift_flags", "flags, which change no result: its golden file, `run` on the emulated GPU, tests/run/narrow.rs"),
    ("freeze_narrow_indices", "a freeze changes no result: its golden file, `run` on the emulated GPUs, tests/run/narrow.rs"),
    ("freeze_guarded_shifts", "a freeze changes no result: its golden file, `run` on the emulated GPU, tests/run/narrow.rs"),
    ("keep_limits_apart", "PTX in assembly: its golden file, `codegen check_costs`, and `run` on the emulated GPU"),
    ("name_locals_apart", "names of locals in PTX: `compiler parts`"),
    ("branch_to_private", "the same on the emulated NVIDIA GPU, which refuses atomics on locals"),
    ("order_with_barriers", "`run` on Intel's OpenCL; an ordering has no result on one thread"),
    ("show_position", "debug information: `projects debug`, where gdb shows the block and the thread"),
    ("locate_glue", "locations: its golden file, and `projects debug`"),
    ("keep_variables", "memory changes no result: its golden file, and `projects debug`, where gdb shows the values"),
    ("drop_compiler_fences", "a fence has no result on one thread: its golden file"),
    ("leave_as_waves", "the wave ends in the middle of the code: its golden file, `run` on the emulated GPUs, tests/run/panics"),
    ("define_leave", "the target's instruction: `run` on the emulated GPUs, tests/run/panics"),
    ("leave_loops_whole", "`compiler convergence`, on Intel's OpenCL"),
    ("drop_loop_hints", "metadata that only the SPIR-V back end reads: `golden passes/drop-loop-hints`"),
    ("set_conventions", "calling conventions of SPIR-V: `spirv-val` in `codegen random_modules`"),
    ("pass_dynamic_shared", "`run` on Intel's OpenCL: launch-sized shared memory"),
    ("drop_memory_effects", "attributes that only the SPIR-V back end reads, for devices that merge calls of several threads: `golden spirv/pure-functions`"),
    ("expose_accesses", "`projects sanitize`"),
    ("check_values", "`projects sanitize`"),
    ("drop_settled_checks", "`projects sanitize`"),
    ("check_accesses", "`projects sanitize`"),
    ("announce_variables", "`projects sanitize`"),
    ("show_user_lines", "locations: its golden file, and `projects profile`"),
    ("count_lines", "counters change no result: its golden file, and `projects profile`"),
    ("number_threads", "positions that a launch gives: `golden spirv/lanes`, `run lanes`"),
    ("bound_launches", "attributes for the back end: `codegen gpu_targets`, `golden launch-bounds`"),
    ("inline_stops", "`codegen cpu_barriers`, `codegen cpu_warps`, `run` on the CPU"),
    ("unroll_inner_loops", "loops in loops with known numbers of iterations: its golden file, `run` on the CPU, tests/run/scans.rs"),
    ("mark_inlined", "`run` on the CPU"),
    ("inline_marked", "`codegen cpu_warps`, `run` on the CPU"),
    ("link_device_bitcode", "bodies from a file: `golden flavor/device-bitcode`, `compiler device_bitcode`"),
    ("scan_in_one_pass", "memory of a block: its golden file, and `run` on the CPU, tests/run/scans.rs"),
    ("mark_block_atomics", "its golden file"),
    ("relax_block_atomics", "its golden file, `run` on the CPU"),
    ("pass_thread", "`codegen cpu_target`, `run` on the CPU"),
    ("internalize_kernels", "`codegen cpu_target`, `run` on the CPU"),
    ("lower_to_branches", "the row of `vectorize`"),
    ("erase_starts", "the row of `vectorize`"),
    ("split_regions", "`codegen cpu_barriers`, `codegen cpu_warps`, `codegen cpu_passes`, `run` on the CPU"),
    ("emit_entries", "the rows from `hoist_position` to `vectorize`, which execute its result"),
    ("link_warp", "`codegen cpu_warps`, `run` on the CPU"),
    ("keep_mask_panic", "`codegen cpu_warps`, `run` on the CPU"),
    ("release_mask_panic", "`codegen cpu_warps`, `run` on the CPU"),
    ("call_host_directly", "calls the runtime: `run` on the CPU, tests/run/host_calls.rs"),
    ("check_callees", "refuses and rewrites nothing: `codegen cpu_target`"),
    ("keep_shared_bytes", "`codegen cpu_target`, `run` on the CPU"),
    ("probe_stacks", "an attribute: `codegen cpu_guards`"),
    ("clear_sections", "`codegen cpu_target`"),
    ("drop_unused", "LLVM's own passes: `codegen cpu_target`"),
    ("bound_code", "its golden file"),

    // Text and numbers of the host's side.
    ("define_host_builtins", "`compiler host_object`"),
    ("drop_stand_ins", "`compiler host_object`"),
    ("number_marks", "`golden kernels`, `run`"),
    ("call_host_std", "functions of another crate: `projects device_std`"),
    ("take_entries", "`golden split`"),
    ("erase_unused_declarations", "`golden split`"),
    ("finish_host", "`compiler host_object`"),
    ("link_functions", "`compiler linked_functions`"),
    ("link_bodies", "`golden resolve`"),
    ("take_launch_bounds", "`golden launch-bounds`"),
    ("mark_read_only_loads", "metadata of loads: its golden file, `golden codegen/read-only`"),
    ("take_restrict", "a promise about launches: its golden file, `projects api`"),
    ("mark_unrolled_loops", "metadata of loops: its golden file, tests/run/float_rules"),
    ("align_memory", "alignments, which change no result: its golden file, `run`"),
    ("lower_host_calls", "calls the runtime: `run` on every device, tests/run/host_calls.rs"),
    ("mark_launch_state", "an attribute: its golden file"),
    ("end_mistyped_calls", "calls of another type are undefined before the pass: its golden file"),
    ("match_call_types", "calls of another type are undefined before the pass: its golden file"),
    ("fix_hash_keys", "fixed keys are other keys: its golden file, `projects crates`"),
    ("legalize_linked", "functions of the math library: `compiler math`"),

    // Math has the tables of the accuracy of each function.
    ("float_rules", "flags that permit other results: its golden file, `compiler math_options`"),
    ("take_float_rules", "attributes that permit other results: its golden file, tests/run/float_rules"),
    ("lower_fast_functions", "approximate results: its golden file, tests/run/fast"),
    ("keep_zero_signs", "what a back end adds to products: its golden file, `projects api` (numbers)"),
    ("fuse_products", "other results on purpose: its golden file, tests/run/float_rules"),
    ("flush_subnormals", "other results on purpose: `compiler math_options`"),
    ("allow_contraction", "flags that permit other results: its golden file"),
    ("link_math", "`compiler math`, `run` of the math tables"),
    ("lower_math", "`compiler math`"),
    ("lower_math_functions", "`compiler math`"),
    ("name_math", "`compiler math`"),
    ("name_math_by_symbol", "`compiler math`"),
    ("name_library_functions", "OpenCL's names: `run` of the math tables"),

    ("bound_threads", "promises about the numbers of threads: its golden file, kernels of `run` with a size of blocks"),
    ("keep_loop_entries", "its golden file, and `run copied/` on the emulated GPUs at `-Oz`"),
    ("drop_loop_entries", "the row of `keep_loop_entries`"),
    ("split_conditions", "what the vectoriser makes of four checks: its golden file, `codegen check_costs`"),
    // Panics that only some devices have; printing.
    ("forget_unused", "erases a function that nothing calls: its golden file"),
    ("join_checks", "checks without a load for the condition, which no feature makes: its golden file, tests/run/checks"),
    ("merge_reports", "the panics that `report_panics` has made: its golden file, tests/run/panics"),
    ("report_host_calls", "defines the panic of a call that only a host answers: its golden file"),
    ("report_stack", "defines the panic of a full stack: tests/run/recursion"),
    ("erase_unneeded_panics", "erases functions: its golden file"),
    ("drop_prints", "`golden flavor/print`"),
    ("link_text", "`run`: programs that print"),
    ("hide_print", "`run`: programs that print"),
    ("define_print", "`run`: programs that print"),

    // Descriptions, flags and debug information; LLVM's own passes.
    ("describe_builtins", "attributes: its golden file"),
    ("describe_intrinsics", "attributes: its golden file"),
    ("take_parameters", "attributes alone: its golden file, `tests/api`"),
    ("fold_late_constants", "constants of a program: its golden file"),
    ("fold_features", "a constant of the arch: its golden file, `run`"),
    ("fold_query", "a constant of the arch: its golden file, `run`"),
    ("reset_flags", "module flags: its golden file"),
    ("prune_around", "LLVM's passes, around a function that stays: its golden file"),
    ("run_pipeline", "LLVM's pipeline: its golden file, `run`"),
    ("keep_line_directives", "debug information: its golden file"),
    ("strip_debug", "debug information: its golden file"),
    ("set_code_object_version", "a module flag: its golden file"),
    ("erase_fixed_hints", "hints: its golden file"),
    ("convert_chosen_numbers", "constants behind a `freeze`: its golden file, `golden spirv/function-pointers`"),
];
