//! Reports code that a device cannot run, and defines the functions for panics and allocation.
//!
//! After: each remaining arch can run the module, or `diagnostics` has an error.

use std::collections::HashSet;

use super::simplify::prune;
use super::skip_refused::skip_refused;
use super::work::Work;
use crate::analysis::keep_heap::kernels_that_keep_heap;
use crate::analysis::recursion::{calls_through_pointers, recursive_kernels};
use crate::bundle::Runtime;
use crate::checks::check_atomics::check_atomics;
use crate::checks::check_convergence::check_convergence;
use crate::checks::check_device::{Candidate, find_missing_intrinsics, find_violations};
use crate::checks::check_intrinsics::check_intrinsics;
use crate::checks::note_recursion::note_recursion;
use crate::contract::builtin;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::PanicTable;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::error::Result;
use crate::job::Job;
use crate::llvm::Module;
use crate::passes::builtins::fold_query::fold_query;
use crate::passes::launch::launch_bounds::{Bounds, take_launch_bounds};
use crate::passes::launch::launch_state::mark_launch_state;
use crate::passes::library::lower_allocation::lower_allocation;
use crate::passes::panic::merge_panics::merge_panics;
use crate::passes::panic::report_host_calls::report_host_calls;
use crate::passes::panic::report_masks::report_masks;
use crate::passes::panic::report_panics::report_panics;
use crate::passes::panic::report_stack::report_stack;
use crate::stage::Stage;
use crate::targets::{Arch, Stack};

/// The simplified device module, with the findings of earlier stages.
pub struct Simplified<'a, 'c> {
    /// The module.
    pub module: &'a Module<'c>,
    /// Its kernels.
    pub kernels: &'a KernelSet,
    /// Code that a device may not be able to run.
    pub candidates: &'a [Candidate],
    /// Kernels whose barriers are proven to be uniform.
    pub proven: &'a HashSet<String>,
    /// Whether the source calls `__offload_arch()`.
    pub asks_arch: bool,
}

/// Facts about a kernel that registration needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelFacts {
    /// Whether the kernel takes the launch state.
    pub takes_state: bool,
    /// Whether the kernel allocates memory.
    pub needs_heap: bool,
    /// Whether a later launch may access that memory.
    pub keeps_heap: bool,
    /// The largest block, in threads, that the kernel promises; 0 without a promise.
    pub threads_per_block: u32,
}

/// The result of validation.
pub struct Validated<'a> {
    /// The archs that are not refused.
    pub archs: Vec<&'a Arch>,
    /// Whether the stack size of the kernels is known only at run time.
    pub recurses: bool,
    /// Facts about each kernel, without the promises, which depend on the archs that are built.
    pub kernels: Vec<KernelFacts>,
    /// The promises about launches.
    pub bounds: Bounds,
}

/// Validates a module for the archs of a job.
pub fn validate<'a>(
    job: &'a Job,
    work: &Work<'_>,
    simplified: &Simplified<'_, '_>,
    panics: &mut PanicTable,
    diagnostics: &mut Diagnostics,
) -> Result<Validated<'a>> {
    let Simplified { module, kernels, .. } = *simplified;
    let bounds = check(job, simplified, diagnostics)?;
    let archs = skip_refused(job, &job.archs.iter().collect::<Vec<_>>(), diagnostics)?;
    if diagnostics.has_errors() {
        return Ok(Validated { archs, recurses: false, kernels: Vec::new(), bounds });
    }
    for arch in archs.iter().filter(|arch| arch.target.stack() != Stack::Host) {
        let notes = note_recursion(module, kernels, arch.options.stack_bytes());
        notes.into_iter().for_each(|d| diagnostics.push(d.target(&arch.name)));
    }
    let recursive = recursive_kernels(module, kernels);
    let recurses = !recursive.is_empty() || calls_through_pointers(module);
    let panicking = define_panics(job, simplified, &archs, recursive, panics);
    merge_panics(module);
    report_panics(module);
    let need_heap = lower_allocation(module, kernels)?;
    let keep_heap = kernels_that_keep_heap(module, kernels, &need_heap);
    let take_state = mark_launch_state(module, kernels, &panicking);
    let facts = take_state.into_iter().zip(need_heap).zip(keep_heap);
    let facts = facts.map(|((takes_state, needs_heap), keeps_heap)| KernelFacts {
        takes_state,
        needs_heap,
        keeps_heap,
        threads_per_block: 0,
    });
    work.emit_module(Stage::Validate, module)?;
    Ok(Validated { archs, recurses, kernels: facts.collect(), bounds })
}

/// Reports code that the archs cannot run. Returns the kernels' promises about launches.
fn check(job: &Job, simplified: &Simplified<'_, '_>, diagnostics: &mut Diagnostics) -> Result<Bounds> {
    let Simplified { module, kernels, .. } = *simplified;
    let mut bounds = Bounds::default();
    if simplified.asks_arch {
        for arch in &job.archs {
            // Code for another arch is not checked, so the check runs on a copy for this arch.
            let own = module.duplicate();
            fold_query(&own, builtin::ARCH, arch.number().into());
            prune(&own)?;
            let findings = [find_faults(&own, simplified), find_misfits(&own, simplified, arch, job.runtime)];
            bounds.add(&own, kernels, Some(&arch.name));
            findings.concat().into_iter().for_each(|d| diagnostics.push(d.target(&arch.name)));
        }
        return Ok(bounds);
    }
    for mut fault in find_faults(module, simplified) {
        fault.targets = job.archs.iter().map(|arch| arch.name.clone()).collect();
        diagnostics.push(fault);
    }
    for arch in &job.archs {
        let findings = find_misfits(module, simplified, arch, job.runtime);
        findings.into_iter().for_each(|d| diagnostics.push(d.target(&arch.name)));
    }
    bounds.add(module, kernels, None);
    Ok(bounds)
}

/// Defines the panics of calls that the compiler inserts. Returns the names of the kernels that may panic.
fn define_panics(
    job: &Job,
    simplified: &Simplified<'_, '_>,
    archs: &[&Arch],
    recursive: Vec<String>,
    panics: &mut PanicTable,
) -> Vec<String> {
    let Simplified { module, kernels, .. } = *simplified;
    let mut panicking = Vec::new();
    let mut without = archs.iter().filter(|arch| arch.target.stack() == Stack::Fixed);
    if let Some(arch) = without.next().filter(|_| !recursive.is_empty()) {
        report_stack(module, job.device_panic, arch.options.stack_bytes(), panics);
        panicking = recursive;
    }
    if archs.iter().any(|arch| arch.target.stack() == Stack::Host) {
        panicking.extend(report_host_calls(module, kernels, job.device_panic, panics));
    }
    panicking.extend(report_masks(module, kernels, job.device_panic, panics));
    panicking
}

/// Reports code that no target can run.
fn find_faults(module: &Module<'_>, simplified: &Simplified<'_, '_>) -> Vec<Diagnostic> {
    let Simplified { kernels, candidates, proven, .. } = *simplified;
    let violations = [find_violations(module, kernels, candidates), take_launch_bounds(module, kernels)].concat();
    let misused = [check_intrinsics(module, kernels), check_atomics(module, kernels)].concat();
    [violations, misused, check_convergence(module, kernels, proven)].concat()
}

/// Reports code that one arch cannot run.
fn find_misfits(
    module: &Module<'_>,
    simplified: &Simplified<'_, '_>,
    arch: &Arch,
    runtime: Runtime,
) -> Vec<Diagnostic> {
    let Simplified { kernels, candidates, .. } = *simplified;
    let lacking = find_missing_intrinsics(module, kernels, candidates, &|name| arch.has_intrinsic(name));
    [lacking, arch.target.validate(module, kernels, arch, runtime)].concat()
}
