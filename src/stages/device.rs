//! A device job: it compiles the bytes of the neutral device module into the images of one arch.

use crate::contract::builtin::ARCH;
use crate::contract::math::MathFunction;
use crate::contract::symbols::{HOST_CALL, LANE_PANIC, STACK_FULL};
use crate::error::Result;
use crate::llvm::{Context, Linkage, Machine, Module};
use crate::passes::atomics::lower_atomics::name_scopes;
use crate::passes::builtins::fold_query::fold_query;
use crate::passes::builtins::lower_intrinsics::lower_intrinsics;
use crate::passes::launch::launch_bounds::take_launch_bounds;
use crate::passes::library::float_rules::flush_subnormals;
use crate::passes::library::lower_math::{MathBody, lower_math};
use crate::stage::Stage;
use crate::stages::simplify::prune;
use crate::stages::work::Work;
use crate::targets::{Arch, DeviceJob, DeviceOutput, Stack};

/// Compiles one arch. The LLVM context exists only in this function and on this thread.
pub fn compile_device(bitcode: &[u8], job: &DeviceJob<'_>, work: &Work<'_>) -> Result<DeviceOutput> {
    let arch = job.arch;
    let target = arch.target;
    let context = Context::create();
    let module = work.stage(Stage::Flavor, || {
        let module = Module::from_bitcode(&context, bitcode, "device")?;
        module.set_machine(&new_machine(job, &arch.processor.features)?);
        if module.function(ARCH).is_some() {
            fold_query(&module, ARCH, arch.number().into());
            prune_around(&module, &[STACK_FULL, HOST_CALL, LANE_PANIC])?;
            take_launch_bounds(&module, job.kernels);
        }
        if let Some(function) = module.function(STACK_FULL).filter(|_| target.stack() != Stack::Fixed) {
            function.erase_global();
        }
        if let Some(function) = module.function(HOST_CALL).filter(|_| target.stack() != Stack::Host) {
            function.erase_global();
        }
        lower_math_functions(&module, job)?;
        lower_intrinsics(&module)?;
        name_scopes(&module, &|scope| target.scope(scope));
        target.flavor(&module, job)?;
        if arch.options.math.ftz {
            flush_subnormals(&module);
        }
        work.emit_module(Stage::Flavor, &module)?;
        Ok(module)
    })?;
    continue_device(module, Stage::Flavor, job, work)
}

/// Continues with the stages after `from`.
pub fn continue_device(module: Module<'_>, from: Stage, job: &DeviceJob<'_>, work: &Work<'_>) -> Result<DeviceOutput> {
    let arch = job.arch;
    let target = arch.target;
    let machine = new_machine(job, &arch.processor.features)?;
    if from < Stage::Optimize {
        work.stage(Stage::Optimize, || {
            module.run_passes(&target.pipeline(job.level), &machine)?;
            target.finish(&module, job, &machine)?;
            work.emit_module(Stage::Optimize, &module)
        })?;
    }
    let machine = match target.late_features(&module, arch)? {
        Some(features) => new_machine(job, &features)?,
        None => machine,
    };
    let code = work.stage(Stage::Codegen, || {
        if work.wants(Stage::Codegen) {
            work.emit(Stage::Codegen, &target.assembly(&module.duplicate(), &machine)?)?;
        }
        target.codegen(&module, &machine)
    })?;
    drop(module);
    // From here the arch's code is bytes.
    let mut product = work.stage(Stage::Image, || target.image(code, job))?;
    if job.recurses && target.stack() == Stack::Limited {
        let bytes = arch.options.stack_bytes().to_string();
        product.images.iter_mut().for_each(|image| image.strings.push(("stack".to_owned(), bytes.clone())));
    }
    if let Some(image) = product.images.first() {
        work.emit(Stage::Image, &image.bytes)?;
    }
    Ok(product)
}

/// Removes functions that are not reached, except `kept`, which only the target's later passes call.
fn prune_around(module: &Module<'_>, kept: &[&str]) -> Result<()> {
    let kept: Vec<_> = kept.iter().filter_map(|name| module.function(name)).collect();
    kept.iter().for_each(|function| function.set_linkage(Linkage::External));
    prune(module)?;
    kept.iter().for_each(|function| function.set_linkage(Linkage::Internal));
    Ok(())
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

fn new_machine(job: &DeviceJob<'_>, features: &str) -> Result<Machine> {
    let target = job.arch.target;
    let facts = target.facts();
    let machine = Machine::new(facts.triple, &job.arch.processor.cpu, features, target.codegen_level(job.level), true)?;
    Ok(machine.in_separate_process(facts.separate_process))
}
