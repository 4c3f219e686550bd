//! The archs of a command line.

use super::UsageError;
use crate::cli::options::Options;
use crate::diagnostics::nearest::in_a_sentence;
use crate::system::tool::Tools;
use crate::targets::{self, Arch, GENERIC, LookupError, PORTABLE};

/// What decides the image that no device runs as it is, and of which `offloadc finish` makes an image for any arch.
#[derive(Clone)]
pub struct GenericArchs {
    /// The archs for which the code is checked beside those of the build: all that are known. What only such an arch
    /// refuses is kept in the image.
    pub checked: Vec<Arch>,
    /// The names of those among them for which a refusal is an error of the build.
    pub portable: Vec<String>,
}

/// The archs of `--offload-arch` and `--offload-arch-optional`, and whether `generic` is among them.
pub(super) fn archs_and_generic(
    options: &Options,
    tools: &Tools,
) -> Result<(Vec<Arch>, Option<GenericArchs>), UsageError> {
    let (generic, names): (Vec<String>, Vec<String>) = names(options).into_iter().partition(|name| name == GENERIC);
    let mut archs = archs(&names, targets::lookup_all)?;
    archs.iter_mut().try_for_each(|arch| choose(arch, options, tools).map_err(UsageError::new))?;
    let generic = (!generic.is_empty()).then(|| generic_image(options, &archs, tools));
    Ok((archs, generic.transpose()?))
}

/// With `--skip-refused-archs`, no refusal is an error of the build.
fn generic_image(options: &Options, built: &[Arch], tools: &Tools) -> Result<GenericArchs, UsageError> {
    let portable = archs(&[PORTABLE.to_owned()], targets::lookup_all)?;
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
    Ok(GenericArchs { checked, portable: portable.into_iter().map(|arch| arch.name).collect() })
}

/// Applies the options of targets.
fn choose(arch: &mut Arch, options: &Options, tools: &Tools) -> Result<(), String> {
    let target = arch.target;
    arch.options = options.target_options.clone();
    target.choose(arch, &options.target_options, tools)
}

/// The archs of `--offload-arch`, or `cpu`, and those of `--offload-arch-optional`.
fn names(options: &Options) -> Vec<String> {
    let default = ["cpu".to_string()];
    let named = if options.offload_arch.is_empty() { &default[..] } else { &options.offload_arch };
    [named, &options.offload_arch_optional].concat()
}

/// The names of the archs that may be left out.
pub(super) fn optional_archs(options: &Options, archs: &[Arch]) -> Vec<String> {
    let is_optional = |name: &String| options.skip_refused_archs || options.offload_arch_optional.contains(name);
    archs.iter().map(|arch| arch.name.clone()).filter(is_optional).collect()
}

/// The archs of a list without duplicates.
fn archs(list: &[String], lookup: impl Fn(&str) -> Result<Vec<Arch>, LookupError>) -> Result<Vec<Arch>, UsageError> {
    let mut archs: Vec<Arch> = Vec::new();
    for name in list {
        for arch in lookup(name).map_err(|error| unknown_arch(name, error))? {
            if archs.iter().all(|seen| seen.name != arch.name) {
                archs.push(arch);
            }
        }
    }
    Ok(archs)
}

pub(super) fn unknown_arch(name: &str, error: LookupError) -> UsageError {
    let (message, nearest) = match error {
        _ if name.is_empty() => ("an arch in `--offload-arch` is empty".to_string(), Vec::new()),
        LookupError::Unknown(nearest) => (format!("unknown arch `{name}`"), nearest),
        LookupError::Missing(nearest) => (format!("the LLVM in use cannot compile for `{name}`"), nearest),
    };
    let error = in_a_sentence(&nearest).into_iter().fold(UsageError::new(message), UsageError::help);
    error.help("`offloadc --print-targets` lists all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_missing_archs_differ() {
        let near = || vec!["sm_80".to_string(), "sm_86".to_string()];
        let unknown = archs(&["sm_8".to_string()], |_| Err(LookupError::Unknown(near()))).err().unwrap();
        assert_eq!(unknown.message, "unknown arch `sm_8`");
        assert_eq!(unknown.help[0], "the nearest are `sm_80`, `sm_86`");
        let missing = archs(&["sm_999".to_string()], |_| Err(LookupError::Missing(near()))).err().unwrap();
        assert_eq!(missing.message, "the LLVM in use cannot compile for `sm_999`");
    }
}
