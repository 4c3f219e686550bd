//! Puts the images into one container, and makes the object that registers them.

use super::archs::DeviceCode;
use super::neutral::types::KernelFacts;
use super::work::Work;
use crate::bundle::{Bundle, KernelRow, Registration, Runtime, name_cpu_entries};
use crate::contract::kernel::{CpuLevels, KernelSet};
use crate::contract::panic_table::PanicTable;
use crate::contract::variable::DeviceVariable;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::Result;
use crate::job::Job;
use crate::stage::Stage;
use crate::targets::{DeviceOutput, HostCode};

/// The device's part of the host object.
pub struct Bundled {
    /// Images, tables and the constructor; none if there is neither a kernel nor an image.
    pub registration: Option<Vec<u8>>,
    /// The device code for the CPU: one object for each level of its processor.
    pub cpu: Vec<Vec<u8>>,
}

/// The names in the host's code, and their numbers.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// The kernels.
    pub kernels: &'a KernelSet,
    /// The statics that the runtime finds by their symbols.
    pub variables: &'a [DeviceVariable],
    /// The number of functions of the host that kernels call.
    pub host_functions: usize,
    /// The functions that are passed as values: the number of the first one, and how many there are.
    pub functions: (u64, usize),
    /// Whether each kernel calls such functions.
    pub calls_functions: &'a [bool],
    /// 16 hex digits that make the object's symbols unique within a program.
    pub hash: &'a str,
}

/// Bundles the code of all archs.
pub fn bundle(
    work: &Work<'_>,
    job: &Job,
    code: DeviceCode,
    names: Names<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<Bundled> {
    let (images, cpu) = gather(code.outputs);
    diagnostics.extend(unregistered(job, &images));
    diagnostics.extend(left_out(job, &images));
    if job.wants(Stage::Bundle) {
        work.emit(Stage::Bundle, &images.in_format(job.bundle_format)?)?;
    }
    let input = RegistrationInput { images, cpu: &cpu, panics: code.panics, kernels: code.kernels };
    let registration = register(job, names, &input)?;
    let named = |code: HostCode| name_cpu_entries(code.object, code.level, names.hash);
    let cpu = cpu.code.into_iter().map(named).collect::<Result<_>>()?;
    Ok(Bundled { registration, cpu })
}

/// The code that becomes part of the host object.
#[derive(Default)]
struct CpuCode {
    /// The code for each level.
    code: Vec<HostCode>,
    /// The size of each kernel's static shared memory, which is the same for all levels.
    shared_bytes: Vec<u32>,
}

/// Collects all images in their order, and the code of the archs that becomes part of the host object.
fn gather(outputs: Vec<DeviceOutput>) -> (Bundle, CpuCode) {
    let mut images = Vec::new();
    let mut cpu = CpuCode::default();
    for mut output in outputs {
        images.append(&mut output.images);
        if let Some(code) = output.host_code {
            cpu.code.push(code);
            cpu.shared_bytes = output.shared_bytes;
        }
    }
    (Bundle::new(images), cpu)
}

/// A warning about images that the form of `--emit=bundle` cannot hold.
fn left_out(job: &Job, images: &Bundle) -> Option<Diagnostic> {
    let archs: Vec<_> = images.not_in(job.bundle_format).iter().map(|arch| format!("`{arch}`")).collect();
    (job.wants(Stage::Bundle) && !archs.is_empty()).then(|| {
        let message = format!("the images for {} are not in the bundle", archs.join(", "));
        Diagnostic::coded(Code::UnregisteredImage, message)
            .note(format!("`--bundle-format={}` holds the images for one vendor's GPUs", job.bundle_format.name()))
            .help("leave the archs out, or use `--bundle-format=offload`")
    })
}

/// A warning about images that are not registered with the runtime.
fn unregistered(job: &Job, images: &Bundle) -> Option<Diagnostic> {
    let archs: Vec<_> = images.unregistered(job.runtime).iter().map(|arch| format!("`{arch}`")).collect();
    let (library, loads, help) = loaded(job.runtime)?;
    (!archs.is_empty()).then(|| {
        let archs = archs.join(", ");
        Diagnostic::coded(Code::UnregisteredImage, format!("the images for {archs} are not registered with {library}"))
            .note(loads)
            .help(help)
    })
}

/// The name of a runtime that loads some images only, and the text of the warning.
fn loaded(runtime: Runtime) -> Option<(&'static str, &'static str, &'static str)> {
    let leave_out = "name an arch that it loads, leave the others out, or use `--runtime=offloadrt`";
    Some(match runtime {
        Runtime::Offloadrt | Runtime::None => return None,
        Runtime::Omptarget => (
            "libomptarget",
            "it loads machine code only, and these images are PTX or SPIR-V",
            "name NVIDIA's assembler with `--ptxas`, leave the archs out, or use `--runtime=offloadrt`",
        ),
        Runtime::Cuda => ("libcudart", "it loads images for NVIDIA GPUs only", leave_out),
        Runtime::Hip => ("HIP", "it loads images for AMD GPUs only", leave_out),
        Runtime::Liboffload => ("liboffload", "it does not load SPIR-V", leave_out),
        Runtime::Mgpu => ("the `mgpu` functions", "they load images for GPUs only", leave_out),
    })
}

/// The input of registration.
struct RegistrationInput<'a> {
    images: Bundle,
    cpu: &'a CpuCode,
    panics: PanicTable,
    kernels: Vec<KernelFacts>,
}

/// Creates the registration object; a program without kernels and images has none.
fn register(job: &Job, names: Names<'_>, input: &RegistrationInput<'_>) -> Result<Option<Vec<u8>>> {
    let Names { kernels, variables, host_functions, functions, calls_functions, hash } = names;
    if kernels.is_empty() && input.images.images().is_empty() {
        return Ok(None);
    }
    let cpu_levels = input.cpu.code.iter().fold(CpuLevels::default(), |levels, code| levels.with(code.level));
    let none = KernelFacts::default();
    let row = |(i, kernel): (usize, _)| {
        let facts = input.kernels.get(i).unwrap_or(&none);
        KernelRow {
            kernel,
            cpu_levels,
            shared_bytes: input.cpu.shared_bytes.get(i).copied().unwrap_or(0),
            takes_state: facts.takes_state,
            needs_heap: facts.needs_heap,
            may_allocate: facts.may_allocate,
            keeps_heap: facts.keeps_heap,
            calls_host: facts.calls_host,
            calls_functions: calls_functions.get(i).copied().unwrap_or(false),
            threads_per_block: facts.threads_per_block,
            scalars: &facts.scalars,
            specializes_block_dim: facts.specializes_block_dim,
            restricts: facts.restricts,
        }
    };
    let rows: Vec<_> = kernels.iter().enumerate().map(row).collect();
    let Job { platform, runtime, compression, .. } = *job;
    let (images, panics) = (&input.images, &input.panics);
    let kernels = &rows;
    Registration { platform, runtime, hash, kernels, variables, host_functions, functions, images, compression, panics }
        .object()
        .map(Some)
}
