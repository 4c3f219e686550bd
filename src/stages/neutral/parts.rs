//! The neutral code in parts: the resolved module is cut, and each part goes separately through the stages that all
//! archs share, in parallel with the others and with its own entry in the cache. A changed kernel therefore costs its
//! part only.
//!
//! The reports must not depend on the places where the code was cut. If the stages report anything about a part, the
//! whole module goes through them instead, and the parts are given up. The entry of such a part records this, so that
//! later builds do not make the other parts first.
//!
//! Functions as values belong in one part ([`crate::analysis::partition`]), but before the stages nearly all code has
//! some. Parts that still have them afterwards are therefore made again, as one part.

use super::entry::{Entry, Found, needs_debug_information};
use super::kept_module::Kept;
use super::legalize::replace_aliases;
use super::make::make;
use super::options::NeutralOptions;
use super::types::{KernelFacts, LoweredCode, Made, Neutral, NeutralJob, Source, Validated};
use crate::analysis::partition::{Code, Part, partition};
use crate::contract::builtin::FUNCTION_POINTER;
use crate::contract::kernel::{Kernel, KernelSet};
use crate::contract::panic_table::{DevicePanic, PanicTable};
use crate::diagnostics::Diagnostics;
use crate::distribution::SliceModule;
use crate::error::{Failure, Result};
use crate::job::Job;
use crate::llvm::{Context, Module};
use crate::passes::launch::launch_bounds::Bounds;
use crate::passes::panic::number_panics::Numbering;
use crate::stages::parts::most_parts;
use crate::stages::work::Ended;

/// Makes the neutral code in parts. None if the code is not cut.
pub(super) fn in_parts<'a>(job: &NeutralJob<'a, '_, '_>) -> Result<Option<Neutral<'a>>> {
    let all = job.lanes.job;
    let most = most_parts(all);
    // Only the whole module is instrumented for the checker, which numbers its accesses.
    if all.debug || all.sanitize || most.is_some_and(|most| most.get() == 1) || has_handed_functions(&job.module) {
        return Ok(None);
    }
    let copy = without_debug_information(&job.module, all.device_panic);
    let module = copy.as_ref().unwrap_or(&job.module);
    let parts = partition(module, job.kernels, most, Code::Resolved);
    if parts.is_empty() {
        return Ok(None);
    }
    let sources = parts.iter().map(|part| PartSource::new(module, part, job.kernels)).collect();
    let Some(mut made) = make_all(job, sources)? else { return Ok(None) };
    if let Some(joined) = join(&made, parts, module) {
        let source = PartSource::new(module, &joined, job.kernels);
        let Some(whole) = make_all(job, vec![source])? else { return Ok(None) };
        made.retain(|part| !part.has_function_values);
        made.extend(whole);
        made.sort_by_key(|part| part.kernels[0]);
    }
    Ok(Some(assemble(made, job.kernels.len(), all)))
}

/// A copy of the module that can be cut, without debug information that no panic needs; none if the module has nothing
/// of it.
fn without_debug_information<'c>(module: &Module<'c>, panic: DevicePanic) -> Option<Module<'c>> {
    let is_needed = panic == DevicePanic::Report || needs_debug_information(module);
    let strips = module.has_debug_information() && !is_needed;
    (strips || !module.aliases().is_empty()).then(|| {
        let copy = module.duplicate();
        replace_aliases(&copy);
        if strips {
            copy.strip_debug();
        }
        copy
    })
}

/// Whether the program passes functions as values to kernels. All kernels may call them, and are then in one part.
fn has_handed_functions(module: &Module<'_>) -> bool {
    module.function(FUNCTION_POINTER).is_some_and(|function| function.is_used())
}

/// A part of the resolved module.
struct PartSource {
    /// Its kernels, by number.
    numbers: Vec<usize>,
    kernels: KernelSet,
    bitcode: Vec<u8>,
}

impl PartSource {
    fn new<'c>(module: &Module<'c>, part: &Part<'c>, kernels: &KernelSet) -> Self {
        let chosen: Vec<Kernel> = part.kernels.iter().map(|kernel| kernels[*kernel].clone()).collect();
        Self { numbers: part.kernels.clone(), kernels: chosen.into(), bitcode: part.cut_out(module).bitcode() }
    }
}

/// The neutral module of a part.
struct PartModule {
    /// Its kernels, by number.
    kernels: Vec<usize>,
    bitcode: Vec<u8>,
    code: LoweredCode,
    bounds: Bounds,
    panics: PanicTable,
    has_function_values: bool,
}

impl PartModule {
    fn kept(kernels: Vec<usize>, Kept { bitcode, code, bounds, panics, has_function_values }: Kept) -> Self {
        Self { kernels, bitcode, code, bounds, panics, has_function_values }
    }

    fn made(kernels: Vec<usize>, made: Made<'_>) -> Self {
        let Made { bitcode, validated, depends_on_lines: _, has_function_values } = made;
        let Validated { archs: _, code, bounds, panics, refusals: _ } = validated;
        Self { kernels, bitcode, code, bounds, panics, has_function_values }
    }
}

/// Makes all parts, side by side. None if something is reported about one.
fn make_all(job: &NeutralJob<'_, '_, '_>, sources: Vec<PartSource>) -> Result<Option<Vec<PartModule>>> {
    let NeutralJob { lanes, unresolved, .. } = job;
    let (cache, options) =
        (job.cache(), NeutralOptions { numbering: Numbering::OfPart, ..NeutralOptions::new(lanes.job) });
    let one = |(number, PartSource { numbers, kernels, bitcode }): (usize, PartSource)| {
        let context = Context::create();
        let read = || Module::from_bitcode(&context, &bitcode, "device");
        let entry = match cache {
            Some(cache) => Entry::of(read()?, &kernels, &options, cache).map(|entry| (cache, entry)),
            None => None,
        };
        match entry.as_ref().and_then(|(cache, entry)| entry.get(cache)) {
            Some(Found::Findings) => return Ok(None),
            Some(Found::Module(kept)) => return Ok(Some(PartModule::kept(numbers, kept))),
            None => {}
        }
        let (work, mut diagnostics) = (lanes.shared_part(number), Diagnostics::new());
        let source = Source { module: &read()?, kernels: &kernels, options };
        let made = make(&work, source, unresolved, |archs, _| Ok(archs.to_vec()), &mut diagnostics);
        let made = match made {
            Ok(made) if diagnostics.added() == 0 && made.validated.refusals.is_empty() => made,
            Err(Failure::Operation(error)) => return Err(error),
            Ok(_) | Err(Failure::Reason(Ended)) => {
                entry.iter().for_each(|(cache, entry)| entry.keep_findings(cache));
                return Ok(None);
            }
        };
        entry.iter().for_each(|(cache, entry)| entry.keep(cache, &made));
        Ok(Some(PartModule::made(numbers, made)))
    };
    let sources = sources.into_iter().enumerate().collect();
    let made = lanes.job.tokens.largest_first(sources, |(_, source)| source.bitcode.len(), &one);
    made.into_iter().collect::<Result<Option<Vec<_>>>>()
}

/// One part of all whose functions are values; none if there is at most one.
fn join<'c>(made: &[PartModule], parts: Vec<Part<'c>>, module: &Module<'c>) -> Option<Part<'c>> {
    let chosen = made.iter().zip(parts).filter(|(made, _)| made.has_function_values);
    let chosen: Vec<_> = chosen.map(|(_, part)| part).collect();
    (chosen.len() > 1).then(|| Part::of_all(chosen, module))
}

/// The parts as the neutral code of all kernels.
fn assemble(parts: Vec<PartModule>, kernels: usize, job: &Job) -> Neutral<'_> {
    let mut panics = PanicTable::default();
    let mut code = LoweredCode { kernels: vec![KernelFacts::default(); kernels] };
    let (mut modules, mut bounds) = (Vec::new(), Vec::new());
    for part in parts {
        let before = panics.counts();
        panics.append(part.panics);
        part.kernels.iter().zip(part.code.kernels).for_each(|(kernel, facts)| code.kernels[*kernel] = facts);
        bounds.push((part.kernels.clone(), part.bounds));
        modules.push(SliceModule { kernels: part.kernels, before, bitcode: part.bitcode });
    }
    let bounds = Bounds::of_parts(&bounds, kernels, NeutralOptions::new(job).checked().map(|arch| &arch.name[..]));
    let archs = job.archs.iter().collect();
    Neutral { modules, validated: Validated { archs, code, bounds, panics, refusals: Vec::new() } }
}
