//! A device job: it compiles the bytes of the neutral device module into the images of one arch.

use crate::contract::builtin::{BLOCK_SIZE, LAUNCH_BOUNDS, MAX_REGISTERS, READ_ONLY, UNROLL};
use crate::contract::kernel::KernelSet;
use crate::contract::math::MathFunction;
use crate::contract::queries::asks_arch;
use crate::contract::symbols::{HOST_CALL, LANE_PANIC, STACK_FULL};
use crate::error::{Error, Result};
use crate::llvm::{Bisect, Context, Machine, Module, OptLevel, crash};
use crate::passes::atomics::lower_atomics::name_scopes;
use crate::passes::builtins::lower_intrinsics::lower_intrinsics;
use crate::passes::launch::launch_bounds::take_launch_bounds;
use crate::passes::launch::mark_read_only_loads::mark_read_only_loads;
use crate::passes::launch::mark_unrolled_loops::mark_unrolled_loops;
use crate::passes::legalize::prune::prune_around;
use crate::passes::library::float_rules::{float_rules, flush_subnormals};
use crate::passes::library::link_device_bitcode::link_device_bitcode;
use crate::passes::library::lower_fast_functions::lower_fast_functions;
use crate::passes::library::lower_math::{MathBody, lower_math};
use crate::passes::loops::keep_loop_entries::{drop_loop_entries, keep_loop_entries};
use crate::passes::panic::number_panics::number_panics;
use crate::passes::pass::{Passes, pass};
use crate::rust_std::demangle::demangle;
use crate::stage::Stage;
use crate::stages::device_libraries::files;
use crate::stages::device_variables::hide_variables;
use crate::stages::fold_arch::fold_arch;
use crate::stages::machine::machine_of;
use crate::stages::work::Work;
use crate::targets::{Arch, Contract, DeviceJob, DeviceOutput, Stack};

/// Compiles one arch.
pub fn compile_device(bitcode: &[u8], job: &DeviceJob<'_>, work: &Work<'_>) -> Result<DeviceOutput> {
    make_image(compile_module(bitcode, job, work)?, job, work)
}

/// The code of a module. The LLVM context exists only in this function and on this thread.
pub fn compile_module(bitcode: &[u8], job: &DeviceJob<'_>, work: &Work<'_>) -> Result<Vec<u8>> {
    let context = Context::create();
    let module =
        work.make(Stage::Flavor, |passes| flavor(passes, Module::from_bitcode(&context, bitcode, "device")?, job))?;
    compile_from(module, Stage::Flavor, job, work)
}

/// Turns the module that all archs share into a module of this arch.
pub fn flavor<'c>(passes: &Passes, own: Module<'c>, job: &DeviceJob<'_>) -> Result<Module<'c>> {
    let (module, arch, target) = (&own, job.arch, job.arch.target);
    module.set_machine(&new_machine(job, &arch.processor.features)?);
    if !target.facts().exports_variables {
        hide_variables(module);
    }
    // Code of other compilers has the target's names of scopes already.
    pass!(passes, name_scopes(module, &|scope| target.scope(scope)))?;
    let files = files(job.libraries, arch);
    if !files.is_empty() {
        let math = &arch.options.math;
        pass!(passes, link_device_bitcode(module, job.kernels, &files)?)?;
        pass!(passes, float_rules(module, math.contract() != Contract::Off, math.flags()))?;
    }
    pass!(passes, number_panics(module, job.before))?;
    if asks_arch(module) {
        fold_arch(passes, module, arch, job.standalone)?;
        pass!(passes, prune_around(module, &[STACK_FULL, HOST_CALL, LANE_PANIC])?)?;
    }
    // A module that asks for its arch, and each part of it, still has the promises of its kernels.
    if module.function(UNROLL).is_some() {
        pass!(passes, mark_unrolled_loops(module)?)?;
    }
    if [LAUNCH_BOUNDS, BLOCK_SIZE, MAX_REGISTERS].iter().any(|name| module.function(name).is_some()) {
        pass!(passes, take_launch_bounds(module, job.kernels))?;
    }
    if module.function(READ_ONLY).is_some() {
        pass!(passes, mark_read_only_loads(module))?;
    }
    pass!(passes, erase_unneeded_panics(module, target.stack()))?;
    pass!(passes, lower_math_functions(module, job)?)?;
    pass!(passes, lower_fast_functions(module, &|function| target.fast_body(function, &arch.processor))?)?;
    pass!(passes, lower_intrinsics(module)?)?;
    target.flavor(module, job)?;
    if arch.options.math.ftz {
        pass!(passes, flush_subnormals(module))?;
    }
    Ok(own)
}

/// Continues with the stages after `from`.
pub fn continue_device(module: Module<'_>, from: Stage, job: &DeviceJob<'_>, work: &Work<'_>) -> Result<DeviceOutput> {
    make_image(compile_from(module, from, job, work)?, job, work)
}

/// Compiles a module with the stages after `from`.
fn compile_from(module: Module<'_>, from: Stage, job: &DeviceJob<'_>, work: &Work<'_>) -> Result<Vec<u8>> {
    let target = job.arch.target;
    let machine = new_machine(job, &job.arch.processor.features)?;
    if from < Stage::Optimize {
        work.change(Stage::Optimize, &module, |passes| optimize(passes, &module, job, &machine))?;
    }
    let machine = match target.late_features(&module, job.arch)? {
        Some(features) => new_machine(job, &features)?,
        None => machine,
    };
    work.stage(Stage::Codegen, || {
        let _activity = crash::activity_on_kernels(names(job.kernels));
        // Back ends depend on the order of uses. `--emit` and `--from` must see the same one.
        if work.wants(Stage::Codegen) {
            let shown = module.duplicate();
            shown.sort_uses();
            work.emit(Stage::Codegen, &target.assembly(&shown, &machine)?)?;
        }
        module.sort_uses();
        target.codegen(&module, &machine).map_err(|error| explain_stack(error, job))
    })
}

/// Rewrites LLVM's error for a stack that is too large, with the name of the user's function. `check_locals` finds
/// nearly all of them earlier, with their lines; a back end adds a few bytes.
fn explain_stack(error: Error, job: &DeviceJob<'_>) -> Error {
    let text = error.to_string();
    let number = |before: &str| text.split_once(before)?.1.split_once(')').map(|(number, _)| number);
    let function = text.split_once(" in function '").and_then(|(_, rest)| rest.split_once('\''));
    let numbers = number("stack frame size (").zip(number(" exceeds limit ("));
    let (Some((bytes, limit)), Some((symbol, _))) = (numbers, function) else { return error };
    let kernel = job.kernels.iter().find(|kernel| kernel.name == symbol);
    let (kind, name) = kernel.map_or_else(|| ("function", demangle(symbol)), |k| ("kernel", k.display.clone()));
    Error::new(format!(
        "{kind} `{name}` has {bytes} bytes of local variables and stack, and a thread of `{}` has {limit} bytes; help: keep \
        large arrays in a buffer, in which each thread has a part",
        job.arch.name
    ))
}

/// Makes the image of an arch from its code.
pub fn make_image(code: Vec<u8>, job: &DeviceJob<'_>, work: &Work<'_>) -> Result<DeviceOutput> {
    let target = job.arch.target;
    let output = work.stage(Stage::Image, || target.image(code, job))?;
    if let Some(bytes) = output.shown() {
        work.emit(Stage::Image, bytes)?;
    }
    Ok(output)
}

/// The kernels in a message: the name of the only one, or how many there are.
pub fn names(kernels: &KernelSet) -> String {
    match &kernels[..] {
        [only] => format!("kernel `{}`", only.display),
        [first, others @ ..] => format!("kernel `{}` and {} more", first.display, others.len()),
        [] => "no kernel".to_owned(),
    }
}

/// Optimises the module of an arch, and rewrites the code that its back end does not take.
pub fn optimize(passes: &Passes, module: &Module<'_>, job: &DeviceJob<'_>, machine: &Machine) -> Result<()> {
    pass!(passes, keep_loop_entries(module))?;
    pass!(passes, run_pipeline(module, job, machine)?)?;
    pass!(passes, drop_loop_entries(module))?;
    job.arch.target.finish(module, job, machine)
}

/// Runs LLVM's passes for the target, and those of plugins.
fn run_pipeline(module: &Module<'_>, job: &DeviceJob<'_>, machine: &Machine) -> Result<()> {
    let (target, bisect) = (job.arch.target, job.passes.bisect());
    module.run_extended_passes(&target.pipeline(job.level), Some(machine), job.level, job.plugins, bisect)?;
    if bisect.is_some_and(Bisect::has_skipped) {
        return module.run_passes(&target.pipeline(OptLevel::O0), machine);
    }
    Ok(())
}

/// Erases the panics of stacks and of calls of the host where the target's code comes to none of them.
fn erase_unneeded_panics(module: &Module<'_>, stack: Stack) {
    for (symbol, of) in [(STACK_FULL, Stack::Fixed), (HOST_CALL, Stack::Host)] {
        if let Some(function) = module.function(symbol).filter(|_| stack != of) {
            function.erase_global();
        }
    }
}

/// Replaces math functions by the bodies of this arch.
fn lower_math_functions(module: &Module<'_>, job: &DeviceJob<'_>) -> Result<()> {
    let Arch { target, processor, options, .. } = job.arch;
    let has = |native| target.has_math(native, processor);
    let body = |function: &MathFunction, width| match options.math.by_target() {
        true => target.math_body(function, width, options),
        false => MathBody::Portable,
    };
    let symbols = lower_math(module, &has, &body)?;
    if !symbols.is_empty() {
        target.link_vendor_math(module, job, &symbols)?;
    }
    Ok(())
}

/// The machine of a job's arch with these features.
pub fn new_machine(job: &DeviceJob<'_>, features: &str) -> Result<Machine> {
    machine_of(job.arch, job.level, features)
}
