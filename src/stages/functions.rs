//! The functions that a program passes as values, for kernels of other objects: a module of its own in the generic
//! image. It goes through the stages that all archs share, as the module of the kernels does. What is wrong with the
//! functions is no error of the build, because the program may never pass them to another object. It is kept in the
//! image, and is an error where the functions are linked.

use super::kernels::FoundKernels;
use super::legalize::legalize;
use super::neutral::NeutralOptions;
use super::resolve::resolve;
use super::simplify::simplify;
use super::split::{SplitOptions, split_functions};
use super::validate::{Validated, validate};
use super::work::{Ended, Lanes};
use crate::checks::check_linkable::{check_linkable, check_linkable_statics};
use crate::contract::panic_table::PanicTable;
use crate::contract::symbols::FUNCTION_TABLE;
use crate::diagnostics::{Diagnostic, Diagnostics, Severity};
use crate::distribution::LinkableFunctions;
use crate::error::{Error, Failure, Result};
use crate::input::bodies::Bodies;
use crate::job::GenericArchs;
use crate::llvm::Module;
use crate::passes::panic::number_panics::Numbering;
use crate::stage::Stage;

/// Makes the module; none if the job has no generic image for a runtime that links functions, or the program passes no
/// function as a value.
pub fn linkable_functions<'c>(
    lanes: &Lanes<'_>,
    host: &Module<'c>,
    found: &FoundKernels<'c>,
    options: SplitOptions,
    bodies: &mut Bodies,
) -> Result<Option<LinkableFunctions>> {
    let job = lanes.job;
    let Some(generic) = job.generic.as_ref().filter(|_| options.is_linkable && !found.handed.functions.is_empty())
    else {
        return Ok(None);
    };
    // No arch is built here, and none that is checked must accept the functions.
    let checked = job.archs.iter().chain(&generic.checked).cloned().collect();
    let checked = GenericArchs { checked, portable: Vec::new() };
    let neutral = NeutralOptions { archs: &[], generic: Some(&checked), ..NeutralOptions::new(job) };
    let neutral = NeutralOptions { numbering: Numbering::OfPart, ..neutral };
    let mut diagnostics = Diagnostics::new();
    let made = match make(lanes, (host, found), options, neutral, bodies, &mut diagnostics) {
        Ok(made) => Some(made),
        Err(Failure::Reason(Ended)) => None,
        Err(Failure::Operation(error)) => return Err(error),
    };
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let faults = diagnostics.into_iter().filter(is_error).map(|fault| Diagnostic { targets: Vec::new(), ..fault });
    let (bitcode, panics, refusals) = made.unwrap_or_default();
    let (first, count) = found.function_range();
    Ok(Some(LinkableFunctions { first, count, faults: faults.collect(), refusals, panics, bitcode }))
}

/// The module, the meaning of the numbers of its panics, and what archs refuse.
type Made = (Vec<u8>, PanicTable, Vec<Diagnostic>);

fn make<'c>(
    lanes: &Lanes<'_>,
    (host, found): (&Module<'c>, &FoundKernels<'c>),
    split: SplitOptions,
    options: NeutralOptions<'_>,
    bodies: &mut Bodies,
    diagnostics: &mut Diagnostics,
) -> Result<Made, Failure<Ended>> {
    let work = lanes.functions();
    let passes = work.passes();
    // Nothing of this is an output of a stage.
    let (module, kernels) = work.stage(Stage::Split, || split_functions(passes, host, found, split))?;
    let module = &module;
    let unresolved = work.stage(Stage::Resolve, || resolve(passes, module, &kernels, bodies, &lanes.job.math))?;
    let legalized = work.stage(Stage::Legalize, || legalize(passes, module, &kernels, &unresolved, &options))?;
    let mut not_linkable = check_linkable_statics(module, FUNCTION_TABLE);
    let simplified = work.stage(Stage::Simplify, || simplify(passes, module, &kernels, legalized, &options))?;
    for fault in check_linkable(module, FUNCTION_TABLE) {
        if not_linkable.iter().all(|known| known.message != fault.message) {
            not_linkable.push(fault);
        }
    }
    let is_linkable = not_linkable.is_empty();
    diagnostics.extend(not_linkable);
    if !is_linkable {
        return Err(Failure::Reason(Ended));
    }
    let validated = work.stage(Stage::Validate, || {
        validate(passes, module, &kernels, simplified, &options, |archs, _| Ok::<_, Error>(archs.to_vec()), diagnostics)
    })?;
    let Validated { panics, refusals, .. } = validated;
    module.strip_debug();
    Ok((module.bitcode(), panics, refusals))
}
