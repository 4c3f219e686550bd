//! The files of `--device-bitcode`: reads those that archs of the job need, and links them for the checks of one arch.

use std::path::Path;

use super::machine::machine_of;
use super::neutral::options::NeutralOptions;
use super::read::checked_as_written;
use super::work::Ended;
use crate::contract::kernel::KernelSet;
use crate::contract::math::Native;
use crate::contract::triples;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Failure, Result};
use crate::input::file::Input;
use crate::job::{DeviceBitcode, Job};
use crate::llvm::{Context, Module};
use crate::passes::library::link_device_bitcode::{File, Misfit, link_device_bitcode};
use crate::passes::library::name_math::name_math;
use crate::passes::pass::{Passes, pass};
use crate::rust_std::demangle::demangle;
use crate::targets::{Arch, DeviceLibrary};

/// Reads the files. A file that cannot be used ends the work.
pub fn read_libraries(job: &Job, diagnostics: &mut Diagnostics) -> Result<Vec<DeviceLibrary>, Failure<Ended>> {
    let mut libraries = Vec::new();
    for file in &job.device_bitcode {
        let archs: Vec<_> = NeutralOptions::new(job).checked().filter(|arch| file.is_for(arch)).collect();
        if archs.is_empty() {
            continue;
        }
        match read(file, &archs, job) {
            Ok(library) => libraries.push(library),
            Err(Failure::Reason(found)) => diagnostics.extend(found),
            Err(Failure::Operation(error)) => return Err(error.into()),
        }
    }
    if diagnostics.has_errors() { Err(Failure::Reason(Ended)) } else { Ok(libraries) }
}

fn read(file: &DeviceBitcode, archs: &[&Arch], job: &Job) -> Result<DeviceLibrary, Failure<Vec<Diagnostic>>> {
    let one = |diagnostic| Failure::Reason(vec![diagnostic]);
    let input = Input::read(&file.path, &job.reader).map_err(one)?;
    let mut modules = input.modules();
    let (Some(bytes), None) = (modules.next(), modules.next()) else {
        let message = format!("{} contains several modules", input.display());
        return Err(one(Diagnostic::coded(Code::DeviceBitcode, message).help("join them with `llvm-link`")));
    };
    let context = Context::create();
    let module = checked_as_written(&context, &input, bytes).map_err(|failure| match failure {
        Failure::Reason(diagnostic) => one(diagnostic),
        Failure::Operation(error) => Failure::Operation(error),
    })?;
    if !module.inline_asm().is_empty() {
        let message = format!("{} has assembly outside of functions", input.display());
        let help = "only functions become part of device code: write the assembly within one";
        return Err(one(Diagnostic::coded(Code::DeviceBitcode, message).help(help)));
    }
    let mut unfit = Vec::new();
    for arch in archs {
        unfit.extend(why_unfit(&module, arch, job, &file.path)?.map(|found| found.target(&arch.name)));
    }
    if !unfit.is_empty() {
        return Err(Failure::Reason(unfit));
    }
    module.set_triple(triples::ours(&module.triple()));
    Ok(DeviceLibrary { arch: file.arch.clone(), name: input.display(), bitcode: module.bitcode() })
}

/// Why an arch cannot use a file. A module that names neither triple nor data layout is for all archs.
fn why_unfit(module: &Module<'_>, arch: &Arch, job: &Job, path: &Path) -> Result<Option<Diagnostic>> {
    let machine = machine_of(arch, job.opt_level, &arch.processor.features)?;
    let (triple, layout) = (module.triple(), module.data_layout());
    let wanted = arch.processor.triple;
    let path = path.display();
    let message = if !triple.is_empty() && !runs_on(&triple, arch) {
        format!("`{path}` is compiled for `{triple}`, and `{}` needs `{wanted}`", arch.name)
    } else if !layout.is_empty() && !machine.fits_layout(&layout) {
        format!("`{path}` has the data layout `{layout}`, and `{}` needs `{}`", arch.name, machine.data_layout())
    } else {
        return Ok(None);
    };
    let help = "compile it for this arch, and name the arch: `--device-bitcode=ARCH=FILE`";
    Ok(Some(Diagnostic::coded(Code::DeviceBitcode, message).help(help)))
}

/// Whether code for `triple` runs on an arch.
fn runs_on(triple: &str, arch: &Arch) -> bool {
    let of_processor = triples::processor_in(triple);
    triples::family(triple) == triples::family(arch.processor.triple)
        && of_processor.is_none_or(|code| triples::covers(&code, &arch.processor.cpu))
}

/// A copy of a module with the functions of the files for an arch, and their faults; none if there is no such file.
pub(super) fn with_libraries<'c>(
    passes: &Passes,
    module: &Module<'c>,
    kernels: &KernelSet,
    arch: &Arch,
    options: &NeutralOptions<'_>,
) -> Result<Option<(Module<'c>, Vec<Diagnostic>)>> {
    let files = files(options.libraries, arch);
    if files.is_empty() {
        return Ok(None);
    }
    let own = module.duplicate();
    own.set_machine(&machine_of(arch, options.level, &arch.processor.features)?);
    let misfits = pass!(passes, link_device_bitcode(&own, kernels, &files)?)?;
    pass!(passes, name_math(&own, &|function, _| function.native != Native::Nowhere))?;
    Ok(Some((own, misfits.iter().map(|(file, misfit)| diagnostic(file, misfit)).collect())))
}

/// The files for an arch.
pub(super) fn files<'a>(libraries: &'a [DeviceLibrary], arch: &Arch) -> Vec<File<'a>> {
    DeviceLibrary::of(libraries, arch).iter().map(|library| (&library.name[..], &library.bitcode[..])).collect()
}

fn diagnostic(file: &str, misfit: &Misfit) -> Diagnostic {
    let (message, help) = match misfit {
        Misfit::Type { symbol, called, defined } => (
            format!("{file} defines `{symbol}` as `{defined}`, and the program calls it as `{called}`"),
            "declare it in the program as the file defines it: pass a struct by a pointer, and no pointer with an \
             address space",
        ),
        Misfit::Kernel(name) => (format!("{file} defines `{name}`, the name of a kernel"), "rename one of the two"),
        Misfit::Builtin { function, builtin } => (
            format!("`{}` of {file} calls `{builtin}`, which only the program may call", demangle(function)),
            "call it in the kernel, before or after the function; files may ask for the position of the thread",
        ),
    };
    Diagnostic::coded(Code::DeviceBitcode, message).help(help)
}
