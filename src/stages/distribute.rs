//! The jobs of archs, done by a distributor. The cache is asked first, and filled afterwards.

use super::device::names;
use super::parts::Parts;
use super::work::{Lanes, Work};
use crate::cache::{Key, Subject, image};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::distribution::{Distributor, JobFiles, Slice};
use crate::error::Result;
use crate::stage::Stage;
use crate::system::identity::job_compiler;
use crate::targets::{Arch, DeviceOutput, Share};

/// An arch, and its output or the key of its job.
struct Wanted<'a> {
    arch: &'a Arch,
    work: Work<'a>,
    key: Key,
    output: Option<DeviceOutput>,
}

/// Returns the outputs of all archs. If one is missing, `diagnostics` has an error.
pub fn distribute(
    lanes: &Lanes<'_>,
    distributor: &Distributor,
    (slice, parts): (&Slice, &Parts<'_>),
    archs: &[&Arch],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<DeviceOutput>> {
    let mut all = archs.iter().enumerate().map(|job| look_up(lanes, slice, parts, job)).collect::<Result<Vec<_>>>()?;
    if all.iter().any(|wanted| wanted.output.is_none()) {
        run(lanes, distributor, slice, &mut all, diagnostics)?;
    }
    for Wanted { work, output, .. } in &all {
        if let Some(bytes) = output.as_ref().and_then(DeviceOutput::shown) {
            work.emit(Stage::Image, bytes)?;
        }
    }
    Ok(all.into_iter().filter_map(|wanted| wanted.output).collect())
}

/// The output of an arch that is in the cache.
fn look_up<'a>(
    lanes: &Lanes<'a>,
    slice: &Slice,
    parts: &Parts<'_>,
    (number, arch): (usize, &&'a Arch),
) -> Result<Wanted<'a>> {
    let (work, tools) = (lanes.arch(number, arch), lanes.tools(&arch.name));
    let device = slice.job(arch, Share::Whole, &tools, work.passes());
    let key = Key::of_image(&slice.code(), &device, parts.count, &job_compiler()?)?;
    let contents = lanes.job.cache.as_ref().and_then(|cache| cache.get(&key, Subject::Image(&arch.name)));
    let output = contents.and_then(|contents| image::read(&contents));
    Ok(Wanted { arch, work, key, output })
}

/// Has the missing outputs compiled. Those that were compiled are in the cache even if others failed.
fn run(
    lanes: &Lanes<'_>,
    distributor: &Distributor,
    slice: &Slice,
    all: &mut [Wanted<'_>],
    diagnostics: &mut Diagnostics,
) -> Result<()> {
    let mut files = JobFiles::new(distributor, slice)?;
    let missing: Vec<_> = all.iter_mut().filter(|wanted| wanted.output.is_none()).collect();
    for wanted in &missing {
        files.add(distributor, wanted.arch, &lanes.tools(&wanted.arch.name))?;
    }
    let ended = files.run(distributor, &lanes.tools("offloadc"));
    let mut faults = Vec::new();
    for wanted in missing {
        match files.output(wanted.arch, &wanted.key) {
            Ok(output) => {
                lanes.job.cache.iter().for_each(|cache| cache.put(&wanted.key, &image::write(&output)));
                wanted.output = Some(output);
            }
            Err(reason) => faults.push((&wanted.arch.name, reason)),
        }
    }
    let program = distributor.program.display();
    let lacking: Vec<&str> = faults.iter().map(|(arch, _)| arch.as_str()).collect();
    match ended {
        Ok(status) if status.success() => {
            diagnostics.extend(faults.iter().map(|(arch, reason)| unusable(distributor, slice, arch, reason)));
        }
        Ok(status) => {
            let failed = failed(format!("`{program}` failed: {status}"), slice, &lacking);
            let failed = failed.help("the messages of the program and its jobs are above").help(WITHOUT);
            // The error is about the archs whose jobs failed, so that optional ones can be left out.
            diagnostics.push(lacking.iter().fold(failed, |failed, arch| failed.target(*arch)));
        }
        Err(error) => {
            let help = "name the program by its path, or put its folder into `PATH`";
            diagnostics.push(failed(error.to_string(), slice, &lacking).help(help).help(WITHOUT));
        }
    }
    Ok(())
}

const WITHOUT: &str = "without `--distributor`, images are compiled on this machine";

/// The distributor has failed.
fn failed(message: String, slice: &Slice, lacking: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::coded(Code::DistributorFailed, message);
    if lacking.is_empty() {
        return diagnostic;
    }
    diagnostic.note(format!("there is no image of {}", names(&slice.kernels)))
}

/// The distributor has succeeded, but the output of a job cannot be used.
fn unusable(distributor: &Distributor, slice: &Slice, arch: &str, reason: &str) -> Diagnostic {
    let program = distributor.program.display();
    let message = format!("the image that `{program}` returned cannot be used");
    Diagnostic::coded(Code::UnusableImage, message)
        .target(arch)
        .note(format!("it is the image of {}; {reason}", names(&slice.kernels)))
        .help("each job must run with the same offloadc, LLVM and tools as this build, and its output must be copied back")
}
