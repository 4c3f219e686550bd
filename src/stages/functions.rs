//! The functions that a program passes as values, for kernels of other objects: a separate module in the generic image.
//! It goes through the stages that all archs share, as the module of the kernels does. Faults of the functions are no
//! errors of the build, because the program may never pass them to another object. The image contains the faults, and
//! such a fault is an error where its function is linked. The module has the functions without faults.

use std::collections::BTreeSet;

use super::kernels::FoundKernels;
use super::neutral::legalize::legalize;
use super::neutral::options::NeutralOptions;
use super::neutral::simplify::simplify;
use super::neutral::types::Validated;
use super::neutral::validate::validate;
use super::resolve::resolve;
use super::split::{SplitOptions, split_functions};
use super::work::{Ended, Lanes};
use crate::checks::check_linkable::{check_linkable, check_linkable_statics};
use crate::contract::panic_table::PanicTable;
use crate::contract::symbols::FUNCTION_TABLE;
use crate::diagnostics::{Diagnostic, Diagnostics, Severity};
use crate::distribution::{LinkableFunctions, NotLinkable};
use crate::error::{Error, Failure, Result};
use crate::input::bodies::Bodies;
use crate::job::GenericArchs;
use crate::llvm::{Function, Module, Value};
use crate::passes::panic::number_panics::Numbering;
use crate::stage::Stage;

/// Makes the module; none if the job has no generic image for a runtime that links functions, or the program passes no
/// function as a value.
pub fn linkable_functions<'c>(
    lanes: &Lanes<'_>,
    host: &Module<'c>,
    found: &FoundKernels<'c>,
    split: SplitOptions,
    bodies: &mut Bodies,
) -> Result<Option<LinkableFunctions>> {
    let job = lanes.job;
    let Some(generic) = job.generic.as_ref().filter(|_| split.is_linkable && !found.handed.functions.is_empty()) else {
        return Ok(None);
    };
    // No arch is built here, and none that is checked must accept the functions.
    let checked = job.archs.iter().chain(&generic.checked).cloned().collect();
    let checked = GenericArchs { checked, portable: Vec::new() };
    let options = NeutralOptions { archs: &[], generic: Some(&checked), ..NeutralOptions::new(job) };
    let options = NeutralOptions { numbering: Numbering::OfPart, ..options };
    let (first, count) = found.function_range();
    let (faults, made) = Maker { lanes, host, found, split, options, bodies }.run(count)?;
    let (bitcode, panics, refusals) = made;
    Ok(Some(LinkableFunctions { first, count, faults, refusals, panics, bitcode }))
}

/// The module, the meaning of the numbers of its panics, and the refusals of archs.
type Made = (Vec<u8>, PanicTable, Vec<Diagnostic>);

/// Why there is no module.
enum Fault {
    /// These functions cannot be linked.
    Of(Vec<NotLinkable>),
    /// A check reports this without the name of the function.
    Unknown(Vec<Diagnostic>),
}

struct Maker<'a, 'c> {
    lanes: &'a Lanes<'a>,
    host: &'a Module<'c>,
    found: &'a FoundKernels<'c>,
    split: SplitOptions,
    options: NeutralOptions<'a>,
    bodies: &'a mut Bodies,
}

impl Maker<'_, '_> {
    /// The functions of `count` that cannot be linked, and the module of the others.
    fn run(&mut self, count: usize) -> Result<(Vec<NotLinkable>, Made)> {
        let mut faults: Vec<NotLinkable> = Vec::new();
        let mut is_single = false;
        loop {
            let left_out: BTreeSet<usize> = faults.iter().map(|fault| fault.position).collect();
            if left_out.len() == count {
                return Ok((faults, Made::default()));
            }
            let more = match self.make(&left_out)? {
                Ok(made) => return Ok((faults, made)),
                Err(Fault::Of(more)) => more,
                Err(Fault::Unknown(_)) if !is_single => {
                    is_single = true;
                    self.one_by_one(count, &left_out)?
                }
                // Each of them is good alone, and all are not.
                Err(Fault::Unknown(found)) => {
                    let rest = (0..count).filter(|position| !left_out.contains(position));
                    rest.map(|position| NotLinkable { position, found: found.clone() }).collect()
                }
            };
            faults.extend(more);
            faults.sort_by_key(|fault| fault.position);
        }
    }

    /// The functions that cannot be linked, of those that are not left out.
    fn one_by_one(&mut self, count: usize, left_out: &BTreeSet<usize>) -> Result<Vec<NotLinkable>> {
        let mut faults = Vec::new();
        for position in (0..count).filter(|position| !left_out.contains(position)) {
            let others = (0..count).filter(|other| *other != position).collect();
            match self.make(&others)? {
                Ok(_) => {}
                Err(Fault::Of(found)) => faults.extend(found),
                Err(Fault::Unknown(found)) => faults.push(NotLinkable { position, found }),
            }
        }
        Ok(faults)
    }

    /// The module without the functions at some positions.
    fn make(&mut self, left_out: &BTreeSet<usize>) -> Result<Result<Made, Fault>> {
        let mut diagnostics = Diagnostics::new();
        match self.stages(left_out, &mut diagnostics) {
            Ok(made) => Ok(made.map_err(Fault::Of)),
            Err(Failure::Reason(Ended)) => {
                let errors = diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
                Ok(Err(Fault::Unknown(errors.map(|fault| Diagnostic { targets: Vec::new(), ..fault }).collect())))
            }
            Err(Failure::Operation(error)) => Err(error),
        }
    }

    fn stages(
        &mut self,
        left_out: &BTreeSet<usize>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Result<Made, Vec<NotLinkable>>, Failure<Ended>> {
        let Self { lanes, host, found, split, options, bodies } = self;
        let work = lanes.functions();
        let passes = work.passes();
        // Nothing of this is an output of a stage.
        let (module, kernels) = work.stage(Stage::Split, || split_functions(passes, host, found, left_out, *split))?;
        let module = &module;
        let unresolved = work.stage(Stage::Resolve, || resolve(passes, module, &kernels, bodies, &lanes.job.math))?;
        let legalized = work.stage(Stage::Legalize, || legalize(passes, module, &kernels, &unresolved, options))?;
        let mut faults = faults(module, check_linkable_statics);
        let simplified = work.stage(Stage::Simplify, || simplify(passes, module, &kernels, legalized, options))?;
        for fault in self::faults(module, check_linkable) {
            if faults.iter().all(|known| known.position != fault.position) {
                faults.push(fault);
            }
        }
        if !faults.is_empty() {
            return Ok(Err(faults));
        }
        let built = |archs: &[_], _: &mut _| Ok::<_, Error>(archs.to_vec());
        let validated = work
            .stage(Stage::Validate, || validate(passes, module, &kernels, simplified, options, built, diagnostics))?;
        let Validated { panics, refusals, .. } = validated;
        module.strip_debug();
        Ok(Ok((module.bitcode(), panics, refusals)))
    }
}

/// The findings of a check in the functions of the table.
fn faults<'c>(module: &Module<'c>, check: impl Fn(Function<'c>) -> Option<Diagnostic>) -> Vec<NotLinkable> {
    let listed = module.variable(FUNCTION_TABLE).and_then(Value::initializer).map(Value::operands).unwrap_or_default();
    let found = |(position, listed): (usize, Value<'c>)| {
        Some(NotLinkable { position, found: vec![check(listed.as_function()?)?] })
    };
    listed.into_iter().enumerate().filter_map(found).collect()
}
