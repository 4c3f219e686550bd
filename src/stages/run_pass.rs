//! Runs one pass alone on a module: `--run-pass`.
//!
//! The lists of all stages are walked, and every other pass is skipped (`passes/pass.rs`). The pass therefore receives
//! the arguments of its stage and of the arch's target. The walk ends after the first list that has the pass.

use std::path::PathBuf;
use std::sync::Arc;

use super::device::{flavor, new_machine, optimize};
use super::kernels::find_kernels;
use super::machine::complete_layout;
use super::neutral::legalize::legalize;
use super::neutral::options::NeutralOptions;
use super::neutral::simplify::simplify;
use super::neutral::validate::{Recursion, lower};
use super::read::{Program, checked};
use super::resolve::resolve;
use super::work::{Ended, Lanes};
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{PanicCounts, PanicTable};
use crate::contract::platform::Platform;
use crate::diagnostics::{Diagnostic, Diagnostics, Severity};
use crate::error::{Error, Failure, Result};
use crate::input::bodies::Bodies;
use crate::input::sysroot::Sysroot;
use crate::job::Job;
use crate::llvm::{Context, Module};
use crate::passes::host::define_host_builtins::define_host_builtins;
use crate::passes::host::drop_stand_ins::drop_stand_ins;
use crate::passes::launch::fold_late_constants::fold_late_constants;
use crate::passes::launch::launch_bounds::take_launch_bounds;
use crate::passes::launch::mark_read_only_loads::mark_read_only_loads;
use crate::passes::launch::specialize_kernel::specialize_kernel;
use crate::passes::launch::take_parameters::take_parameters;
use crate::passes::launch::take_restrict::take_restrict;
use crate::passes::legalize::prune::prune;
use crate::passes::pass::{Passes, pass};
use crate::passes::table::Row;
use crate::targets::{Arch, DeviceJob, Share, kernel_conventions};

/// Runs the pass on the one input, and prints the module. The files that are read are added to `files`.
pub fn run_pass(
    lanes: &Lanes<'_>,
    pass: &Row,
    diagnostics: &mut Diagnostics,
    files: &mut Vec<PathBuf>,
) -> Result<(), Failure<Ended>> {
    let program = Program::read(lanes.job, diagnostics).ok_or(Failure::Reason(Ended))?;
    let context = Context::create();
    let Some((input, bytes)) = program.modules().next() else { return Ok(()) };
    files.push(input.path.clone());
    let module = checked(&context, input, bytes).map_err(Ended::with(diagnostics))?;
    complete_layout(&module)?;
    let job = &lanes.job.settle(Platform::of(&module.triple()).unwrap_or_default())?;
    let [arch] = &job.archs[..] else { return Ok(()) };
    let lanes = &lanes.of(job);
    let found = find_kernels(&module, &job.kernel_globs, &kernel_conventions());
    diagnostics.extend(found.diagnostics);
    if diagnostics.has_errors() {
        return Err(Failure::Reason(Ended));
    }
    let (kernels, work) = (&found.kernels, lanes.arch(0, arch));
    let (passes, tools) = (work.passes(), &lanes.tools(&arch.name));
    let (runtime, level) = (job.runtime, job.opt_level);
    let (hash, share) = (&program.hash(), Share::Whole);
    let (before, libraries, plugins) = (PanicCounts::default(), &[], &[]);
    let device = DeviceJob {
        arch,
        kernels,
        before,
        runtime,
        hash,
        level,
        share,
        standalone: false,
        libraries,
        plugins,
        tools,
        passes,
    };
    let module = walk(module, &device, job)?;
    if !passes.has_run() {
        let message = format!("the pass `{}` does not run for `{}` on this module", pass.name, arch.name);
        diagnostics.push(Diagnostic::new(Severity::Error, message));
        return Err(Failure::Reason(Ended));
    }
    Ok(job.module_output.write(module.text().as_bytes()).map_err(Error::of_output)?)
}

/// Walks the lists of passes until the pass has run.
fn walk<'c>(module: Module<'c>, device: &DeviceJob<'_>, job: &Job) -> Result<Module<'c>> {
    let passes = device.passes;
    before_archs(passes, &module, device.kernels, device.arch, job)?;
    if passes.has_run() {
        return Ok(module);
    }
    pass!(passes, fold_late_constants(&module, &job.specialize))?;
    let values = &job.specialize.values;
    if let Some(problem) = pass!(passes, specialize_kernel(&module, device.kernels, values))? {
        return Err(Error::new(problem));
    }
    if passes.has_run() {
        return Ok(module);
    }
    let module = flavor(passes, module, device)?;
    if !passes.has_run() {
        optimize(passes, &module, device, &new_machine(device, &device.arch.processor.features)?)?;
    }
    Ok(module)
}

/// The lists that all archs share.
fn before_archs(passes: &Passes, module: &Module<'_>, kernels: &KernelSet, arch: &Arch, job: &Job) -> Result<()> {
    let sysroot = Sysroot { path: job.sysroot.clone(), triple: module.triple(), echo: job.verbose };
    let (reader, tokens) = (Arc::clone(&job.reader), job.tokens.clone());
    let mut bodies = Bodies::new(job.libraries.clone(), &job.library_folders, sysroot, reader, tokens);
    pass!(passes, drop_stand_ins(module))?;
    pass!(passes, define_host_builtins(module)?)?;
    let unresolved = resolve(passes, module, kernels, &mut bodies, &job.math)?;
    let options = NeutralOptions::new(job);
    let legalized = legalize(passes, module, kernels, &unresolved, &options)?;
    simplify(passes, module, kernels, legalized, &options)?;
    pass!(passes, prune(module)?)?;
    pass!(passes, take_parameters(module, kernels))?;
    pass!(passes, take_launch_bounds(module, kernels))?;
    pass!(passes, take_restrict(module, kernels))?;
    pass!(passes, mark_read_only_loads(module))?;
    lower(passes, module, kernels, &[arch], &options, (&mut PanicTable::default(), Recursion::default()))?;
    Ok(())
}
