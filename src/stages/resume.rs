//! `--from`: continues with the output of a stage of one arch.

use std::path::PathBuf;

use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::PanicCounts;
use crate::contract::platform::Platform;
use crate::contract::triples;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{ExitCode, Failure, Result};
use crate::input::file::{read_bytes, shown};
use crate::job::Job;
use crate::llvm::{Context, Module, crash};
use crate::stage::Stage;
use crate::stages::device::{continue_device, make_image, new_machine};
use crate::stages::pass_plugins::Plugins;
use crate::stages::read::{Program, checked};
use crate::stages::slice_job::slice_job;
use crate::stages::work::{Ended, Lanes, Work};
use crate::system::tool::Tools;
use crate::targets::{Arch, DeviceJob, PROGRAM, Share};

/// Runs the stages after `from`. Adds the files that were read to `files`. The job has one input and one arch, and its
/// outputs need no other stage.
pub fn resume(
    lanes: &Lanes<'_>,
    from: Stage,
    diagnostics: &mut Diagnostics,
    files: &mut Vec<PathBuf>,
) -> Result<(), Failure<Ended>> {
    if from == Stage::Slice {
        return slice_job(lanes, diagnostics, files);
    }
    if from == Stage::Codegen {
        return resume_code(lanes, diagnostics, files);
    }
    let program = Program::read(lanes.job, diagnostics).ok_or(Failure::Reason(Ended))?;
    let context = Context::create();
    let Some((input, bytes)) = program.modules().next() else { return Ok(()) };
    let module = checked(&context, input, bytes).map_err(Ended::with(diagnostics))?;
    let job = &lanes.job.settle(Platform::of(&module.triple()).unwrap_or_default())?;
    let [arch] = &job.archs[..] else { return Ok(()) };
    let lanes = &lanes.of(job);
    if let Some(diagnostic) = misfit(&module, arch) {
        diagnostics.push(diagnostic);
        return Err(Failure::Reason(Ended));
    }
    let work = lanes.arch(0, arch);
    let plugins = Plugins::load(job, diagnostics)?.optimize;
    let tools = lanes.tools(&arch.name);
    let no_kernels = KernelSet::new();
    let whole = device_job(job, arch, &no_kernels, &tools, &work);
    let device = DeviceJob { plugins: &plugins, ..whole };
    continue_device(module, from, &device, &work)?;
    files.push(input.path.clone());
    Ok(())
}

/// Makes the image of an arch from its assembly.
fn resume_code(
    lanes: &Lanes<'_>,
    diagnostics: &mut Diagnostics,
    files: &mut Vec<PathBuf>,
) -> Result<(), Failure<Ended>> {
    let Some(path) = lanes.job.inputs.first() else { return Ok(()) };
    let text = read_bytes(path)?;
    let job = &lanes.job.settle(platform_of_assembly(&text))?;
    let [arch] = &job.archs[..] else { return Ok(()) };
    let lanes = &lanes.of(job);
    let (work, tools) = (lanes.arch(0, arch), lanes.tools(&arch.name));
    let no_kernels = KernelSet::new();
    let device = device_job(job, arch, &no_kernels, &tools, &work);
    let assembled = work.stage(Stage::Codegen, || {
        let _activity = crash::activity_on_input(format_args!("assembling {}", shown(path)));
        arch.target.assemble(text, &new_machine(&device, &arch.processor.features)?, &tools)
    });
    let fault = match assembled {
        Ok(code) => match make_image(code, &device, &work) {
            Ok(_) => None,
            // The text is at fault, and no back end.
            Err(error) if error.is_of_code() => Some(error),
            Err(error) => return Err(error.into()),
        },
        Err(error) if error.exit_code() == ExitCode::Internal => return Err(error.into()),
        Err(error) => Some(error),
    };
    if let Some(error) = fault {
        let message = format!("{} cannot be assembled for `{}`: {}", shown(path), arch.name, error.message());
        let help = "`--from=codegen` takes the output of `--emit=codegen` for the same arch";
        diagnostics.push(Diagnostic::coded(Code::InvalidInput, message).help(help));
        return Err(Failure::Reason(Ended));
    }
    files.push(path.clone());
    Ok(())
}

/// The job of the stages that remain. The module's kernels are entry points already.
fn device_job<'a>(
    job: &'a Job,
    arch: &'a Arch,
    kernels: &'a KernelSet,
    tools: &'a Tools,
    work: &'a Work<'_>,
) -> DeviceJob<'a> {
    DeviceJob {
        arch,
        kernels,
        before: PanicCounts::default(),
        runtime: job.runtime,
        hash: "",
        level: job.opt_level,
        share: Share::Whole,
        standalone: false,
        libraries: &[],
        plugins: &[],
        tools,
        passes: work.passes(),
    }
}

/// The platform of the code that `--emit=codegen` has written, if the text names one.
fn platform_of_assembly(text: &[u8]) -> Platform {
    let mut named =
        text.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()?.strip_prefix(PROGRAM));
    named.next_back().and_then(|triple| Platform::of(triple.trim())).unwrap_or_default()
}

/// Why a module cannot be compiled for an arch.
fn misfit(module: &Module<'_>, arch: &Arch) -> Option<Diagnostic> {
    let (is, wanted) = (module.triple(), arch.processor.triple);
    let fits = triples::family(&is) == triples::family(wanted);
    let message = format!("the input is a module for `{is}`, but `{}` needs one for `{wanted}`", arch.name);
    let help = "`--from` takes the output of `--emit=flavor` or `--emit=optimize` for the same arch";
    (!fits).then(|| Diagnostic::coded(Code::InvalidInput, message).help(help))
}
