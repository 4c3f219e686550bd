//! Executes several threads of a row at once, in vectors.
//!
//! LLVM vectorises the loop over the threads of a block if its body is straight code. It does not if the body has
//! loops, bounds checks or branches, as kernels for GPUs have. This vectoriser needs no loop without side exits: it
//! follows the control flow of one thread, as long as the threads agree on it (`facts/divergence.rs`), and computes
//! values that differ between threads in vectors (`facts/shapes.rs`, `widen.rs`). Where the threads do not agree, each
//! of them executes scalar code, up to the place where they converge (`scalar_path.rs`). Threads may run in any order
//! between two barriers, so the results are those of the threads one after another, to the bit.

use super::assumed_affine;
use super::assumptions;
use super::compaction;
use super::cost;
use super::first_thread;
use super::flatten;
use super::group::{Lanes, Rising, shapes_of};
use super::masked;
use super::memory::{selected_elements, soa_arrays, transposed};
use super::scalar_path::Code;
use super::trip_counts;
use super::undo_jump_threading;
use super::widen;
use crate::llvm::{Function, Linkage, Module, Opcode, Place, Value};
use crate::spmd::cause::{Cause, Reason};
use crate::spmd::facts::divergence::{self, Plan};
use crate::spmd::facts::shape::is_element;
use crate::spmd::facts::waits::may_wait;
use crate::spmd::options::{VectorOptions, When};
use crate::spmd::region::slots::Kept;
use crate::spmd::region::versions::{Group, Vectorized};

/// Creates a version of `function` for several threads, unless it is not suitable, or would not be faster. `affine`
/// are the numbers of its parameters that differ by one from thread to thread, and `kept` the slots from which it
/// loads. Whether it is faster does not matter if it is wanted always.
pub(crate) fn vectorize_function<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    affine: &[usize],
    kept: &[Kept<'c>],
    options: VectorOptions,
) -> Result<Vectorized<'c>, Cause> {
    let affine: Vec<_> = affine.iter().map(|number| Rising { number: *number, step: 1 }).collect();
    let width = options.width(module, function, &affine);
    let vectorized = in_groups(module, function, Lanes { affine: &affine, kept, options, width });
    masked::lower_to_branches(module);
    soa_arrays::erase_starts(module);
    vectorized
}

/// Rewrites the code of one thread into forms that can be executed by several at once.
fn prepare<'c>(module: &Module<'c>, clone: Function<'c>, Lanes { affine, kept, options, width }: Lanes<'_, 'c>) {
    trip_counts::name_counts(clone, shapes_of(module, clone, affine, width), module);
    compaction::narrow_counts(module, clone);
    let parameters = clone.parameters();
    let rising: Vec<Value<'c>> = affine.iter().map(|rising| parameters[rising.number]).collect();
    first_thread::split_tests(clone, &rising);
    let shapes = || {
        let mut shapes = shapes_of(module, clone, affine, width);
        assumptions::assume(&mut shapes, clone, affine, kept);
        shapes
    };
    selected_elements::choose_indices(module, clone);
    if options.unrolls
        && transposed::may_have(module, clone, width)
        && let Ok(plan) = divergence::plan(shapes(), clone)
    {
        transposed::unroll(module, clone, &plan);
    }
    if !soa_arrays::of_thread(clone).is_empty()
        && let Ok(plan) = divergence::plan(shapes(), clone)
    {
        soa_arrays::put_side_by_side(module, clone, &plan, options);
    }
    if let Ok(plan) = divergence::plan(shapes(), clone) {
        undo_jump_threading::undo_jump_threading(module, clone, &plan);
        flatten::flatten(module, clone, &plan);
    }
    if assumed_affine::may_have(clone)
        && let Ok(plan) = divergence::plan(shapes(), clone)
    {
        assumed_affine::insert(module, clone, &plan);
    }
}

/// The same for this number of threads. Masks are left in the code.
pub(super) fn in_groups<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    lanes: Lanes<'_, 'c>,
) -> Result<Vectorized<'c>, Cause> {
    let Lanes { affine, kept, options, width } = lanes;
    let when = options.when;
    if let When::Never(option) = when {
        return Err(Cause::new(Reason::Never(option)));
    }
    if let Some(cause) = unsuitable(function).or_else(|| may_wait(function)) {
        return Err(cause);
    }
    let clone = function.clone_function();
    // They may name allocas only, and scalar code receives addresses.
    let markers: Vec<_> = clone.instructions().filter(|i| i.is_lifetime_marker()).collect();
    markers.into_iter().for_each(Value::erase);
    prepare(module, clone, lanes);
    let (source, copies) = clone.clone_with_copies();
    let result = clone.function_type().result();
    let vector = if result.is_void() { result } else { result.vector(width) };
    let wide = clone.extend_signature(vector, &[]);
    clone.erase_global();
    let parameters = wide.parameters();
    let mut shapes = shapes_of(module, wide, affine, width);
    if let [_, Rising { number, .. }] = affine
        && options.of_warp
    {
        shapes.know_multiple(parameters[*number]);
    }
    assumptions::assume(&mut shapes, wide, affine, kept);
    let affine = affine.iter().map(|rising| (parameters[rising.number], rising.step)).collect();
    assumed_affine::mark(&mut shapes, wide);
    let sizes = cost::Sizes::new(width, options.long_vectors);
    let plan = divergence::plan(shapes, wide).and_then(|plan| {
        has_one_end(&plan)?;
        let slow = if when == When::Always { None } else { cost::is_faster(module, wide, &plan, sizes)? };
        Ok((plan, slow))
    });
    let (plan, slow) = plan.inspect_err(|_| [wide, source].into_iter().for_each(|function| function.erase_global()))?;
    wide.set_linkage(Linkage::Internal);
    wide.set_name(&format!("{}.vector", function.name()));
    for name in ["noundef", "range"] {
        wide.remove_attribute(Place::Return, name);
    }
    let old = wide.blocks();
    let code = Code { one: function, source, copies };
    let start = widen::widen(module, &plan, wide, &code, affine, options);
    source.erase_global();
    start.move_before(old[0]);
    wide.erase_unreachable_blocks();
    if wide.has_subprogram() {
        locate_calls(wide, function);
    }
    Ok(Vectorized { group: Group { function: wide, width }, slow })
}

/// Gives calls that have no debug location one of the function's: LLVM wants one for each call.
fn locate_calls<'c>(wide: Function<'c>, function: Function<'c>) {
    let (located, bare): (Vec<_>, Vec<_>) = wide.instructions().partition(|i| !i.frames().is_empty());
    match located.first() {
        Some(place) => bare.into_iter().filter(|i| i.is_call()).for_each(|call| call.locate_like(*place)),
        None => wide.describe_like(function),
    }
}

/// Whether an instruction of a function cannot be copied for each thread.
fn unsuitable(function: Function<'_>) -> Option<Cause> {
    let suitable = |i: Value<'_>| match i.opcode() {
        Opcode::Br | Opcode::Switch | Opcode::Ret | Opcode::Unreachable => true,
        Opcode::Alloca => i.is_fixed_alloca(),
        Opcode::Call => !i.is_musttail(),
        _ => !i.is_terminator(),
    };
    let result = function.function_type().result();
    let other = function.instructions().find(|i| !suitable(*i));
    let other = other.map(|other| Cause::at(Reason::Instruction, other));
    let has_result = result.is_void() || is_element(result);
    other.or_else(|| (!has_result).then(|| Cause::new(Reason::Instruction)))
}

fn has_one_end(plan: &Plan<'_, '_>) -> Result<(), Cause> {
    let ends: Vec<_> = plan.uniform.iter().filter_map(|b| b.terminator()).filter(|end| end.is(Opcode::Ret)).collect();
    match ends[..] {
        [_] => Ok(()),
        [first, ..] => Err(Cause::at(Reason::SeveralEnds, first)),
        [] => Err(Cause::new(Reason::NeverEnds)),
    }
}
