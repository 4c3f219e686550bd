//! The job of one arch in a separate process: it compiles a slice.

use std::path::{Path, PathBuf};

use crate::cache::{Key, entry, image};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::distribution::{NotSlice, Slice};
use crate::error::{Context as _, Error, ExitCode, Failure, Result};
use crate::stages::archs::ArchJob;
use crate::stages::device::names;
use crate::stages::parts::Parts;
use crate::stages::specialize::specialize_slice;
use crate::stages::work::{Ended, Lanes};
use crate::system::identity::job_compiler;
use crate::system::scratch;
use crate::targets::{Arch, DeviceJob, DeviceOutput, Share};

/// Compiles the job's only input, a slice, for its only arch. Adds the files that were read to `files`.
pub fn slice_job(
    lanes: &Lanes<'_>,
    diagnostics: &mut Diagnostics,
    files: &mut Vec<PathBuf>,
) -> Result<(), Failure<Ended>> {
    let job = lanes.job;
    let ([path], [named]) = (&job.inputs[..], &job.archs[..]) else { return Ok(()) };
    let slice = read(path).map_err(Ended::with(diagnostics))?;
    files.push(path.clone());
    let arch = arch_of(&slice, named, lanes).map_err(Ended::with(diagnostics))?;
    let work = lanes.arch(0, &arch);
    let slice = specialize_slice(work.passes(), slice, &job.specialize).map_err(Ended::with(diagnostics))?;
    let tools = lanes.tools(&named.name);
    let parts = Parts::new(&slice, job);
    let device = slice.job(&arch, Share::Whole, &tools, work.passes());
    let output = match (ArchJob { lanes, number: 0, arch: &arch, slice: &slice, parts: &parts }).run() {
        Err(error) if error.exit_code() != ExitCode::Internal && !error.is_of_output() => {
            let note = format!("this is the job of {}", names(&slice.kernels));
            diagnostics.push(Diagnostic::from(&error).target(&arch.name).note(note));
            return Err(Failure::Reason(Ended));
        }
        output => output?,
    };
    match &job.image_file {
        Some(sink) => Ok(sink.write(&image_file((&slice, &parts), &device, &output)?)?),
        None => Ok(()),
    }
}

/// The image with the key of its job, as an entry of the cache. A build that takes it compares the key with its own.
fn image_file((slice, parts): (&Slice, &Parts<'_>), device: &DeviceJob<'_>, output: &DeviceOutput) -> Result<Vec<u8>> {
    let key = Key::of_image(&slice.code(), device, parts.count, &job_compiler()?).context("cannot identify the job")?;
    entry::write(&key, &image::write(output))
}

/// The arch with the options that the slice was made with.
fn arch_of(slice: &Slice, named: &Arch, lanes: &Lanes<'_>) -> Result<Arch, Failure<Diagnostic>> {
    if !slice.archs.contains(&named.name) {
        return Err(Failure::Reason(not_checked(&slice.archs, named, &lanes.job.inputs[0])));
    }
    if let Some(word) = slice.options.differing(&lanes.job.target_options) {
        return Err(Failure::Reason(made_otherwise(&word, &lanes.job.inputs[0])));
    }
    let options = slice.options.on_machine(&named.options);
    let mut arch = Arch { options: options.clone(), ..named.clone() };
    arch.target.settle(&mut arch, slice.platform, lanes.job.runtime)?;
    let chosen = arch.target.choose(&mut arch, &options, &lanes.job.tools);
    chosen.map_err(|error| Failure::Reason(Diagnostic::from(&Error::new(error))))?;
    Ok(arch)
}

/// Code that an arch cannot run is found before a slice is written.
fn not_checked(archs: &[String], named: &Arch, path: &Path) -> Diagnostic {
    let archs: Vec<_> = archs.iter().map(|arch| format!("`{arch}`")).collect();
    let message = format!("the slice `{}` was not checked for `{}`", path.display(), named.name);
    Diagnostic::coded(Code::NoSlice, message)
        .note(format!("it was checked for {}", archs.join(", ")))
        .help("name the arch in `--offload-arch` where the slice is written")
}

/// A slice contains the options of its build, and all its jobs have them.
fn made_otherwise(word: &str, path: &Path) -> Diagnostic {
    let message = format!("the slice `{}` was written without `{word}`", path.display());
    Diagnostic::coded(Code::NoSlice, message).help("name the option where the slice is written")
}

fn read(path: &Path) -> Result<Slice, Failure<Diagnostic>> {
    let bytes = scratch::read_or_stdin(path)?;
    Slice::read(&bytes).map_err(|failure| match failure {
        Failure::Reason(reason) => Failure::Reason(refusal(&reason, path)),
        Failure::Operation(error) => Failure::Operation(error),
    })
}

/// Why a file cannot be compiled.
fn refusal(reason: &NotSlice, path: &Path) -> Diagnostic {
    let shown = path.display();
    let (message, help) = match reason {
        NotSlice::Other => (format!("`{shown}` is not a slice"), "`offloadc --emit=slice` writes slices"),
        NotSlice::Damaged => (format!("`{shown}` is a damaged slice"), "write it again with `offloadc --emit=slice`"),
        NotSlice::Version { program, .. } => {
            (format!("`{shown}` is a slice of another {program}"), "run jobs with the programs that wrote the slice")
        }
    };
    let diagnostic = Diagnostic::coded(Code::NoSlice, message).help(help);
    match reason {
        NotSlice::Version { was, here, .. } => diagnostic.note(format!("it was written by {was}; this is {here}")),
        NotSlice::Other | NotSlice::Damaged => diagnostic,
    }
}
