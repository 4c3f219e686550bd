//! `--offload-arch=generic`.

use super::UsageError;
use super::arch_names::{archs as looked_up, choose, names};
use crate::cli::options::Options;
use crate::system::tool::Tools;
use crate::targets::{self, Arch, GENERIC, PORTABLE};

/// The archs of the generic image. No device runs it as it is; `offloadc finish` makes an image for any arch from it.
#[derive(Clone)]
pub struct GenericArchs {
    /// The archs for which the code is checked in addition to those of the build: all that are known. The image keeps
    /// the refusals of these archs.
    pub checked: Vec<Arch>,
    /// The names of those among them for which a refusal is an error of the build.
    pub portable: Vec<String>,
}

/// The archs of the generic image, if it is asked for. With `--skip-refused-archs`, no refusal is an error of the
/// build.
pub(super) fn archs(options: &Options, built: &[Arch], tools: &Tools) -> Result<Option<GenericArchs>, UsageError> {
    if !names(options).iter().any(|name| name == GENERIC) {
        return Ok(None);
    }
    let portable = looked_up(&[PORTABLE.to_owned()], targets::lookup_all)?;
    let portable = if options.skip_refused_archs { Vec::new() } else { portable };
    let is_built = |arch: &Arch| built.iter().any(|own| own.name == arch.name);
    let known = portable.iter().cloned().chain(targets::all_archs()).filter(|arch| !is_built(arch));
    let mut checked: Vec<Arch> = Vec::new();
    for mut arch in known {
        // An arch that these options do not fit is checked with those of `offloadc finish`.
        if checked.iter().all(|seen| seen.name != arch.name) && choose(&mut arch, options, tools).is_ok() {
            checked.push(arch);
        }
    }
    Ok(Some(GenericArchs { checked, portable: portable.into_iter().map(|arch| arch.name).collect() }))
}
