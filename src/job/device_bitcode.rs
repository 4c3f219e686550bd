//! `--device-bitcode`: which files are for which archs.

use std::path::{Path, PathBuf};

use super::UsageError;
use super::arch_names::unknown_arch;
use crate::cli::options::Options;
use crate::targets::{self, Arch};

/// A file with bodies of device functions.
#[derive(Clone, Debug)]
pub struct DeviceBitcode {
    /// The arch that it is for; all archs if none is named.
    pub arch: Option<String>,
    /// The file.
    pub path: PathBuf,
}

impl DeviceBitcode {
    /// Whether the file is for an arch.
    pub fn is_for(&self, arch: &Arch) -> bool {
        self.arch.as_ref().is_none_or(|name| arch.is_named(name))
    }
}

/// The files of the options.
pub(super) fn device_bitcode(options: &Options) -> Result<Vec<DeviceBitcode>, UsageError> {
    let words = &options.device_code.device_bitcode;
    if let (Some(from), [_, ..]) = (options.from, &words[..]) {
        let message = format!("`--device-bitcode` has no effect with `--from={}`", from.name());
        return Err(UsageError::new(message).help("name the file where the input is made, which contains what it adds"));
    }
    words.iter().map(|word| parse(word)).collect()
}

/// Parses `ARCH=FILE` or `FILE`. The name of an arch contains no slash.
fn parse(word: &Path) -> Result<DeviceBitcode, UsageError> {
    let named = word.to_str().and_then(|text| text.split_once('=')).filter(|(name, _)| !name.contains('/'));
    let Some((name, path)) = named else {
        return Ok(DeviceBitcode { arch: None, path: word.to_path_buf() });
    };
    match targets::lookup(name) {
        Ok(_) => Ok(DeviceBitcode { arch: Some(name.to_owned()), path: PathBuf::from(path) }),
        Err(error) => Err(unknown_arch(name, error).help("a file whose name contains `=` is `./NAME`")),
    }
}
