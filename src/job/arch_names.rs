//! The archs that the command line names.

use super::native::native_archs;
use super::usage_error::UsageError;
use crate::cli::options::Options;
use crate::diagnostics::nearest::in_a_sentence;
use crate::system::tool::Tools;
use crate::targets::{Arch, GENERIC, LookupError, NATIVE, lookup_all};

/// The archs of `--offload-arch`, or `cpu`, and those of `--offload-arch-optional`, without the image for no arch.
pub(super) fn named_archs(options: &Options) -> Result<Vec<Arch>, UsageError> {
    let names: Vec<String> = names(options).into_iter().filter(|name| name != GENERIC).collect();
    archs(&with_native(&names)?, lookup_all)
}

/// The names of all archs of a build.
pub(super) fn names(options: &Options) -> Vec<String> {
    let default = ["cpu".to_string()];
    let named = if options.offload_arch.is_empty() { &default[..] } else { &options.offload_arch };
    [named, &options.offload_arch_optional].concat()
}

/// Applies the options of targets to an arch.
pub(super) fn choose(arch: &mut Arch, options: &Options, tools: &Tools) -> Result<(), String> {
    let target = arch.target;
    arch.options = options.target_options.clone();
    target.choose(arch, &options.target_options, tools)
}

/// The names of the archs that may be left out.
pub(super) fn optional_archs(options: &Options, all: &[Arch]) -> Result<Vec<String>, UsageError> {
    let names: Vec<String> = options.offload_arch_optional.iter().filter(|name| *name != GENERIC).cloned().collect();
    let optional = archs(&with_native(&names)?, lookup_all)?;
    let is_optional = |name: &String| options.skip_refused_archs || optional.iter().any(|arch| arch.name == *name);
    Ok(all.iter().map(|arch| arch.name.clone()).filter(is_optional).collect())
}

/// The names, with those of this machine's devices in place of `native`.
fn with_native(names: &[String]) -> Result<Vec<String>, UsageError> {
    let expand = |name: &String| if name == NATIVE { native_archs() } else { Ok(vec![name.clone()]) };
    Ok(names.iter().map(expand).collect::<Result<Vec<_>, _>>()?.concat())
}

/// The archs of a list without duplicates.
pub(super) fn archs(
    list: &[String],
    lookup: impl Fn(&str) -> Result<Vec<Arch>, LookupError>,
) -> Result<Vec<Arch>, UsageError> {
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

    #[test]
    fn sets_of_archs_are_optional_as_a_whole() {
        let words = ["offloadc", "a.bc", "--offload-arch-optional=cpu:all,portable"];
        let options = Options::parse_from_arguments(words.map(Into::into).to_vec()).unwrap();
        let all = named_archs(&options).unwrap();
        assert!(all.len() > 10 && all.iter().filter(|arch| arch.name == "cpu").count() == 1);
        assert_eq!(optional_archs(&options, &all).unwrap().len(), all.len());
    }
}
