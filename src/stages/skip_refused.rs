//! `--offload-arch-optional` and `--skip-refused-archs`: errors for some archs do not prevent the build for the others.
//!
//! An arch is built as a whole or left out. An error for all archs, for one that the job must have, or for no arch in
//! particular, remains an error.

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::error::{Context as _, Result};
use crate::job::Job;
use crate::stage::Stage;
use crate::system::output::Sink;
use crate::targets::Arch;

/// Returns the archs that the build continues with. These are all archs, unless all refused archs are optional and at
/// least one arch has no refusal. In that case the refusals become warnings, and each refused arch gets a warning that
/// it is left out.
pub fn skip_refused<'a>(job: &Job, archs: &[&'a Arch], diagnostics: &mut Diagnostics) -> Result<Vec<&'a Arch>> {
    let is_refused = |arch: &Arch| diagnostics.refusals(&arch.name).next().is_some();
    let (refused, built): (Vec<&Arch>, Vec<&Arch>) = archs.iter().copied().partition(|arch| is_refused(arch));
    let optional = refused.iter().all(|arch| job.optional_archs.contains(&arch.name));
    if !optional || refused.is_empty() || built.is_empty() {
        return Ok(archs.to_vec());
    }
    let skipped: Vec<_> = refused.iter().map(|arch| skipped(arch, diagnostics)).collect();
    diagnostics.demote_refusals();
    diagnostics.extend(skipped);
    if !diagnostics.has_errors() {
        refused.iter().try_for_each(|arch| remove_image(job, arch))?;
    }
    Ok(built)
}

fn skipped(arch: &Arch, diagnostics: &Diagnostics) -> Diagnostic {
    let mut refusals = diagnostics.refusals(&arch.name);
    let message = format!("`{}` is left out: the output has no code for it", arch.name);
    let first = refusals.next().map(|first| match first.code {
        Some(code) => format!("{} ({code})", first.message),
        None => first.message.clone(),
    });
    let more = match refusals.count() {
        0 => String::new(),
        1 => "; and one more fault".to_owned(),
        more => format!("; and {more} more faults"),
    };
    Diagnostic::coded(Code::SkippedArch, message).note(first.unwrap_or_default() + &more)
}

/// Deletes the image of an earlier build, so that it is not mistaken for the image of this build.
fn remove_image(job: &Job, arch: &Arch) -> Result<()> {
    if job.dry_run {
        return Ok(());
    }
    for path in job.sinks(Stage::Image, Some(&arch.name), None).iter().filter_map(Sink::path) {
        if path.is_file() {
            std::fs::remove_file(path).with_context(|| format!("cannot remove `{}`", path.display()))?;
        }
    }
    Ok(())
}
