//! The folder of the cache, and its size.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::UsageError;
use crate::cache::{Cache, LIMIT};
use crate::cli::cache_arguments::CacheArguments;

/// The cache that the options and the environment name; none if it is switched off, or if there is no folder for it.
pub fn cache(arguments: &CacheArguments) -> Result<Option<Cache>, UsageError> {
    // A folder on the command line is a later word than the environment's.
    let off = || arguments.cache_dir.is_none() && variable("OFFLOADC_NO_CACHE").is_some_and(|value| value != "0");
    if arguments.no_cache || off() {
        return Ok(None);
    }
    let named = arguments.cache_dir.clone().or_else(|| variable("OFFLOADC_CACHE_DIR").map(PathBuf::from));
    let Some(folder) = named.or_else(users_folder) else { return Ok(None) };
    Ok(Some(Cache::new(folder.join("entries"), limit()?, arguments.cache_why)))
}

/// The folder for caches of the XDG Base Directory Specification, which ignores relative paths.
fn users_folder() -> Option<PathBuf> {
    let named = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(Path::new(&variable("HOME")?).join(".cache"));
    named.or_else(home).map(|folder| folder.join("offloadc"))
}

/// The most bytes of the cache: `OFFLOADC_CACHE_SIZE` in MiB.
fn limit() -> Result<u64, UsageError> {
    let Some(text) = variable("OFFLOADC_CACHE_SIZE") else { return Ok(LIMIT) };
    let number = text.to_str().and_then(|text| text.parse::<u64>().ok()).and_then(|number| number.checked_mul(1 << 20));
    let error = || UsageError::new("`OFFLOADC_CACHE_SIZE` is not a number of MiB");
    number.ok_or_else(|| error().help("type a number: `OFFLOADC_CACHE_SIZE=1000`"))
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
