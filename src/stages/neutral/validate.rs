//! Reports code that a device cannot run, and defines the functions for panics and allocation.
//!
//! After: each remaining arch can run the module, or `diagnostics` has an error.

use super::options::NeutralOptions;
use super::types::{KernelFacts, LoweredCode, Simplified, Validated};
use crate::analysis::callees::AddressTaken;
use crate::analysis::keep_heap::kernels_that_keep_heap;
use crate::analysis::location::function_location;
use crate::analysis::reach::Reach;
use crate::analysis::recursion::recursive_kernels;
use crate::bundle::Runtime;
use crate::checks::check_address_spaces::check_address_spaces;
use crate::checks::check_atomics::check_atomics;
use crate::checks::check_convergence::check_convergence;
use crate::checks::check_device::{find_missing_bodies, find_missing_intrinsics, find_violations};
use crate::checks::check_features::check_features;
use crate::checks::check_integer_widths::check_integer_widths;
use crate::checks::check_intrinsics::check_intrinsics;
use crate::checks::note_recursion::note_recursion;
use crate::contract::kernel::{FoundBy, Kernel, KernelSet};
use crate::contract::panic_table::{DevicePanic, PanicTable};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Failure, Result};
use crate::llvm::Module;
use crate::passes::calls::end_mistyped_calls::end_mistyped_calls;
use crate::passes::debug::show_user_lines::show_user_lines;
use crate::passes::launch::fold_late_constants::is_of_late_constant;
use crate::passes::launch::launch_bounds::{Bounds, take_launch_bounds};
use crate::passes::launch::launch_state::mark_launch_state;
use crate::passes::launch::lower_host_calls::lower_host_calls;
use crate::passes::launch::mark_read_only_loads::mark_read_only_loads;
use crate::passes::launch::mark_unrolled_loops::mark_unrolled_loops;
use crate::passes::launch::take_parameters::{scalars, specializes_block_dim, take_parameters};
use crate::passes::launch::take_restrict::{restricts, take_restrict};
use crate::passes::legalize::prune::prune;
use crate::passes::library::lower_allocation::{HeapUse, lower_allocation};
use crate::passes::panic::merge_panics::merge_panics;
use crate::passes::panic::report_host_calls::report_host_calls;
use crate::passes::panic::report_masks::report_masks;
use crate::passes::panic::report_panics::report_panics;
use crate::passes::panic::report_stack::report_stack;
use crate::passes::pass::{Passes, pass};
use crate::stages::device_libraries::with_libraries;
use crate::stages::fold_arch::{answers, fold_arch};
use crate::stages::work::Ended;
use crate::targets::{Arch, GENERIC, Limits, Stack, known_features};

/// Validates a module for the archs of a job. Ends the work if the module has errors. `built` chooses among the archs
/// once all refusals are known.
pub fn validate<'a>(
    passes: &Passes,
    module: &Module<'_>,
    kernels: &KernelSet,
    mut simplified: Simplified,
    options: &NeutralOptions<'a>,
    built: impl FnOnce(&[&'a Arch], &mut Diagnostics) -> Result<Vec<&'a Arch>>,
    diagnostics: &mut Diagnostics,
) -> Result<Validated<'a>, Failure<Ended>> {
    let Checked { bounds, recursion, refusals } = check(passes, module, kernels, &simplified, options, diagnostics)?;
    let archs = built(&options.archs.iter().collect::<Vec<_>>(), diagnostics)?;
    if diagnostics.has_errors() {
        return Err(Failure::Reason(Ended));
    }
    let generic = options.generic.iter().flat_map(|generic| &generic.checked);
    let limited = |arch: &&Arch| arch.target.stack() != Stack::Host;
    let noted = archs.iter().copied().filter(limited).map(|arch| (arch, &arch.name[..]));
    // All archs have stacks of the same size, so one speaks for those that are not built.
    let noted = noted.chain(generic.clone().find(limited).map(|arch| (arch, GENERIC)));
    for (arch, name) in noted {
        let notes = note_recursion(module, kernels, arch.options.stack_bytes());
        notes.into_iter().for_each(|d| diagnostics.push(d.target(name)));
    }
    let running: Vec<_> = archs.iter().copied().chain(generic).collect();
    let code = lower(passes, module, kernels, &running, options, (&mut simplified.panics, recursion))?;
    diagnostics.extend(refuse_launch_state(module, kernels, &code.kernels, options.runtime));
    if diagnostics.has_errors() {
        return Err(Failure::Reason(Ended));
    }
    Ok(Validated { archs, code, bounds, panics: simplified.panics, refusals })
}

/// Refuses kernels that take the launch state if the runtime passes none. Without a runtime, a program may pass it, but
/// the launcher of an exported kernel knows only the record of a panic.
fn refuse_launch_state<'a>(
    module: &'a Module<'_>,
    kernels: &'a KernelSet,
    facts: &'a [KernelFacts],
    runtime: Runtime,
) -> impl Iterator<Item = Diagnostic> {
    let is_refused = move |kernel: &Kernel, facts: &KernelFacts| match runtime {
        Runtime::None => {
            kernel.found_by == FoundBy::Export && (uses_state(facts) || reads_late_constant(module, kernel))
        }
        _ => facts.takes_state && !runtime.is_own(),
    };
    let taking = kernels.iter().zip(facts).filter(move |(kernel, facts)| is_refused(kernel, facts));
    taking.map(move |(kernel, facts)| {
        let (name, is_exported) = (&kernel.display, runtime == Runtime::None);
        let (need, help) = if facts.needs_heap {
            ("allocates memory", "pass a buffer to the kernel, or use `--runtime=offloadrt`")
        } else if facts.may_allocate {
            ("may call a function that allocates memory", "use `--runtime=offloadrt`, or call no addresses in memory")
        } else if facts.calls_host {
            ("calls the host", "use `--runtime=offloadrt`")
        } else if is_exported {
            ("reads a `late_const!`", "")
        } else {
            ("reports panics", "omit `--device-panic`, or type `--device-panic=trap`")
        };
        let launch = match is_exported {
            true => "the launcher of an exported kernel".to_owned(),
            false => format!("a launch with `--runtime={}`", runtime.name()),
        };
        let help = if is_exported { "pass buffers to the kernel, and leave the rest to the host" } else { help };
        let place = module.function(&kernel.name).and_then(function_location);
        let message = format!("kernel `{name}` {need}, and {launch} passes arguments only");
        Diagnostic::coded(Code::LaunchState, message).at(place).help(help)
    })
}

/// Whether a kernel uses more of its launch's state than the record of a panic.
fn uses_state(facts: &KernelFacts) -> bool {
    facts.needs_heap || facts.may_allocate || facts.calls_host
}

/// Whether a kernel reads a constant that a runtime gives to the device.
fn reads_late_constant(module: &Module<'_>, kernel: &Kernel) -> bool {
    let function = module.function(&kernel.name);
    let reached = function.map(|function| Reach::of_execution(function, &AddressTaken::of(module)).order);
    reached.unwrap_or_default().into_iter().any(|global| global.is_global_variable() && is_of_late_constant(global))
}

/// Defines the functions for panics and allocation, in a module that all archs can run.
pub fn lower(
    passes: &Passes,
    module: &Module<'_>,
    kernels: &KernelSet,
    archs: &[&Arch],
    options: &NeutralOptions<'_>,
    (panics, mut recursion): (&mut PanicTable, Recursion),
) -> Result<LoweredCode> {
    // Where the code asks for its arch, the checks have only changed copies.
    pass!(passes, end_mistyped_calls(module))?;
    recursion.add(module, kernels);
    let panicking = define_panics(passes, module, kernels, archs, recursion.kernels, options.device_panic, panics)?;
    pass!(passes, merge_panics(module))?;
    pass!(passes, report_panics(module, options.numbering))?;
    let heaps = pass!(passes, lower_allocation(module, kernels)?)?;
    let allocate: Vec<_> = heaps.iter().map(|heap| *heap != HeapUse::None).collect();
    let keep_heap = kernels_that_keep_heap(module, kernels, &allocate);
    let call_host = pass!(passes, lower_host_calls(module, kernels)?)?;
    let take_state = pass!(passes, mark_launch_state(module, kernels, &panicking))?;
    if options.profile_lines {
        pass!(passes, show_user_lines(module))?;
    }
    let facts = take_state.into_iter().zip(heaps).zip(keep_heap).zip(call_host);
    let functions = kernels.iter().map(|kernel| module.function(&kernel.name));
    let facts = facts.zip(functions).map(|((((takes_state, heap), keeps_heap), calls_host), function)| KernelFacts {
        takes_state,
        needs_heap: heap == HeapUse::Needed,
        may_allocate: heap == HeapUse::Possible,
        keeps_heap,
        calls_host,
        threads_per_block: 0,
        scalars: function.map(scalars).unwrap_or_default(),
        specializes_block_dim: function.is_some_and(specializes_block_dim),
        restricts: function.is_some_and(restricts),
    });
    Ok(LoweredCode { kernels: facts.collect() })
}

/// The recursion in a module, and in copies of it with code of other compilers.
#[derive(Default)]
pub struct Recursion {
    /// The names of the kernels that may recurse, without duplicates.
    kernels: Vec<String>,
}

impl Recursion {
    fn add(&mut self, module: &Module<'_>, kernels: &KernelSet) {
        let new = recursive_kernels(module, kernels);
        self.kernels.extend(new.into_iter().filter(|name| !self.kernels.contains(name)).collect::<Vec<_>>());
    }
}

/// The findings of the checks.
#[derive(Default)]
struct Checked {
    /// The kernels' promises about launches.
    bounds: Bounds,
    /// The recursion in code of other compilers.
    recursion: Recursion,
    /// The refusals of archs that are not built.
    refusals: Vec<Diagnostic>,
}

/// Reports code that the archs cannot run.
fn check(
    passes: &Passes,
    module: &Module<'_>,
    kernels: &KernelSet,
    simplified: &Simplified,
    options: &NeutralOptions<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Checked> {
    let mut checked = Checked::default();
    let mut refusals = Diagnostics::new();
    diagnostics.extend(pass!(passes, take_parameters(module, kernels))?);
    pass!(passes, take_restrict(module, kernels))?;
    let links = !options.libraries.is_empty();
    if simplified.asks_arch {
        diagnostics.extend(check_features(module, known_features));
    } else {
        let named = options.archs.iter().map(|arch| arch.name.clone());
        let targets: Vec<_> = named.chain(options.generic.map(|_| GENERIC.to_owned())).collect();
        let faults = find_faults(passes, module, kernels, simplified, links)?;
        diagnostics.extend(faults.into_iter().map(|fault| Diagnostic { targets: targets.clone(), ..fault }));
        checked.bounds.add(module, kernels, None);
    }
    let mut report = |found: Vec<Diagnostic>, arch: &Arch| {
        let to = if options.is_kept(arch) { &mut refusals } else { &mut *diagnostics };
        to.extend(found.into_iter().map(|d| d.target(&arch.name)));
    };
    let check = (passes, kernels, simplified, options);
    if simplified.asks_arch {
        // Code for other answers is not checked, so the check runs on a copy for each set of answers.
        let mut copies: Vec<(Vec<u64>, Module<'_>, Vec<Diagnostic>, Refused)> = Vec::new();
        for (arch, finished) in options.checked_folds(module) {
            let answers = answers(module, arch, finished);
            let known = copies.iter().position(|(of, ..)| *of == answers).unwrap_or(copies.len());
            if known == copies.len() {
                let own = module.duplicate();
                fold_arch(passes, &own, arch, finished)?;
                pass!(passes, prune(&own)?)?;
                let faults = find_faults(passes, &own, kernels, simplified, links)?;
                copies.push((answers, own, faults, Refused::default()));
            }
            let (_, own, faults, refused) = &mut copies[known];
            let misfits = find_misfits_linked(check, own, arch, &mut checked.recursion, refused)?;
            checked.bounds.add(own, kernels, Some(&arch.name));
            report([faults.clone(), misfits].concat(), arch);
        }
    } else {
        let mut refused = Refused::default();
        for arch in options.checked() {
            report(find_misfits_linked(check, module, arch, &mut checked.recursion, &mut refused)?, arch);
        }
    }
    checked.refusals = refusals.into_iter().collect();
    Ok(checked)
}

/// Reports code that one arch cannot run, with the code of `--device-bitcode`.
fn find_misfits_linked(
    (passes, kernels, simplified, options): (&Passes, &KernelSet, &Simplified, &NeutralOptions<'_>),
    module: &Module<'_>,
    arch: &Arch,
    recursion: &mut Recursion,
    refused: &mut Refused,
) -> Result<Vec<Diagnostic>> {
    if options.libraries.is_empty() {
        return Ok(find_misfits(module, kernels, simplified, arch, options.runtime, refused));
    }
    let linked = with_libraries(passes, module, kernels, arch, options)?;
    if let Some((linked, found)) = &linked {
        if !found.is_empty() {
            return Ok(found.clone());
        }
        recursion.add(linked, kernels);
    }
    let whole = linked.as_ref().map_or(module, |(linked, _)| linked);
    let missing = find_missing_bodies(whole, kernels, &simplified.candidates);
    // Each arch has a copy with different code.
    let refused = &mut Refused::default();
    Ok([missing, find_misfits(whole, kernels, simplified, arch, options.runtime, refused)].concat())
}

/// Defines the panics of calls that the compiler inserts. Returns the names of the kernels that may panic.
fn define_panics(
    passes: &Passes,
    module: &Module<'_>,
    kernels: &KernelSet,
    archs: &[&Arch],
    recursive: Vec<String>,
    panic: DevicePanic,
    panics: &mut PanicTable,
) -> Result<Vec<String>> {
    let mut panicking = Vec::new();
    let mut without = archs.iter().filter(|arch| arch.target.stack() == Stack::Fixed);
    if let Some(arch) = without.next().filter(|_| !recursive.is_empty()) {
        pass!(passes, report_stack(module, panic, arch.options.stack_bytes(), panics))?;
        panicking = recursive;
    }
    if archs.iter().any(|arch| arch.target.stack() == Stack::Host) {
        panicking.extend(pass!(passes, report_host_calls(module, kernels, panic, panics))?);
    }
    panicking.extend(pass!(passes, report_masks(module, kernels, panic, panics))?);
    Ok(panicking)
}

/// Reports code that no target can run.
fn find_faults(
    passes: &Passes,
    module: &Module<'_>,
    kernels: &KernelSet,
    simplified: &Simplified,
    links: bool,
) -> Result<Vec<Diagnostic>> {
    let violations = find_violations(module, kernels, &simplified.candidates, links);
    pass!(passes, end_mistyped_calls(module))?;
    pass!(passes, mark_unrolled_loops(module)?)?;
    let contradictions = pass!(passes, take_launch_bounds(module, kernels))?;
    pass!(passes, mark_read_only_loads(module))?;
    let misused =
        [check_intrinsics(module, kernels), check_atomics(module, kernels), check_address_spaces(module, kernels)]
            .concat();
    let too_wide = check_integer_widths(module, kernels);
    let divided = check_convergence(module, kernels, &simplified.proven, &simplified.as_written);
    Ok([violations, contradictions, misused, too_wide, divided].concat())
}

/// Reports code that one arch cannot run.
fn find_misfits(
    module: &Module<'_>,
    kernels: &KernelSet,
    simplified: &Simplified,
    arch: &Arch,
    runtime: Runtime,
    refused: &mut Refused,
) -> Vec<Diagnostic> {
    let lacking = find_missing_intrinsics(module, kernels, &simplified.candidates, &|name| arch.has_intrinsic(name));
    let (target, limits) = (arch.target.facts().name, arch.limits());
    let known = refused.0.iter().position(|(of, same, _)| *of == target && *same == limits);
    let at = known.unwrap_or_else(|| {
        let found = arch.target.validate(module, kernels, &limits, runtime);
        refused.0.push((target, limits, found));
        refused.0.len() - 1
    });
    [&lacking[..], &refused.0[at].2].concat()
}

/// The refusals of a target for one module, for each set of limits that its archs have. There are dozens of archs.
#[derive(Default)]
struct Refused(Vec<(&'static str, Limits, Vec<Diagnostic>)>);
