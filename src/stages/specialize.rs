//! Code for values that launches pass: a slice whose kernels have constants in place of parameters.

use super::neutral::simplify::simplifying_passes;
use super::parts::run_across_functions;
use crate::contract::kernel::KernelSet;
use crate::contract::specialization::{LatePlace, SpecializeOptions};
use crate::diagnostics::{Code, Diagnostic};
use crate::distribution::{Slice, SliceModule};
use crate::error::{Failure, Result};
use crate::llvm::{Context, Linkage, Module};
use crate::passes::calls::end_mistyped_calls::end_mistyped_calls;
use crate::passes::launch::fold_late_constants::fold_late_constants;
use crate::passes::launch::specialize_kernel::specialize_kernel;
use crate::passes::panic::number_panics::set_counts;
use crate::passes::pass::{Passes, pass};

/// The slice for these values. Its code and the keys of its images in the cache differ from those of the slice.
pub fn specialize_slice(
    passes: &Passes,
    slice: Slice,
    options: &SpecializeOptions,
) -> Result<Slice, Failure<Diagnostic>> {
    if options.is_empty() {
        return Ok(slice);
    }
    let mut named = options.values.iter().map(|one| &one.kernel).chain(writers(options)).chain(&options.kernels);
    if let Some(unknown) = named.find(|name| !slice.kernels.has_name(name)) {
        return Err(Failure::Reason(refused(&slice, format!("the {} has no kernel `{unknown}`", file(&slice)))));
    }
    let is_kept = |number: &usize| options.keeps(&slice.kernels[*number].name);
    let kept: Vec<usize> = (0..slice.kernels.len()).filter(is_kept).collect();
    let mut modules = Vec::new();
    for own in &slice.modules {
        let numbers: Vec<usize> = own.kernels.iter().copied().filter(|number| kept.contains(number)).collect();
        let named = numbers.iter().any(|number| options.names(&slice.kernels[*number].name));
        let changes = options.has_constants() || !options.kernels.is_empty();
        let asked = named || changes && !numbers.is_empty();
        if asked {
            modules.push(specialize_module(passes, &slice, own, numbers, options)?);
        } else if !numbers.is_empty() {
            modules.push(own.clone());
        }
    }
    // Kernels have other numbers where some are left out.
    let place = |number: &mut usize| *number = kept.iter().position(|kept| kept == number).unwrap_or_default();
    modules.iter_mut().flat_map(|module| &mut module.kernels).for_each(place);
    let kernels = kept.iter().map(|number| slice.kernels[*number].clone()).collect::<Vec<_>>().into();
    Ok(Slice { modules, kernels, ..slice })
}

/// The kernels that write constants with values.
fn writers(options: &SpecializeOptions) -> impl Iterator<Item = &String> {
    options.constants.iter().filter_map(|constant| match &constant.place {
        LatePlace::Writer(kernel) => Some(kernel),
        LatePlace::Path(_) => None,
    })
}

fn specialize_module(
    passes: &Passes,
    slice: &Slice,
    own: &SliceModule,
    numbers: Vec<usize>,
    options: &SpecializeOptions,
) -> Result<SliceModule, Failure<Diagnostic>> {
    let context = Context::create();
    let module = Module::from_bitcode(&context, &own.bitcode, "device")?;
    // The module may become the only one, whose panics are not numbered later.
    set_counts(&module, own.before);
    // A kernel that is left out may be the one that writes a constant.
    pass!(passes, fold_late_constants(&module, options))?;
    for left_out in own.kernels.iter().filter(|number| !numbers.contains(number)) {
        module.function(&slice.kernels[*left_out].name).into_iter().for_each(|f| f.set_linkage(Linkage::Internal));
    }
    run_across_functions(&module, "globaldce")?;
    let kernels: KernelSet = numbers.iter().map(|number| slice.kernels[*number].clone()).collect::<Vec<_>>().into();
    if let Some(problem) = pass!(passes, specialize_kernel(&module, &kernels, &options.values))? {
        return Err(Failure::Reason(refused(slice, problem)));
    }
    run_across_functions(&module, &simplifying_passes(slice.options.level()))?;
    pass!(passes, end_mistyped_calls(&module))?;
    Ok(SliceModule { kernels: numbers, before: own.before, bitcode: module.bitcode() })
}

fn refused(slice: &Slice, message: String) -> Diagnostic {
    let names: Vec<_> = slice.kernels.iter().map(|kernel| format!("`{}`", kernel.name)).collect();
    let diagnostic = Diagnostic::coded(Code::Specialization, message);
    diagnostic.note(format!("the kernels of the {} are {}", file(slice), names.join(", ")))
}

/// The word for the file that the slice was read from. A generic image is one for other programs.
fn file(slice: &Slice) -> &'static str {
    if slice.standalone { "generic image" } else { "slice" }
}
