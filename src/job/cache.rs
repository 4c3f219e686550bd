//! The folder of the cache, its size, and its server.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::UsageError;
use crate::cache::{Cache, LIMIT, Remote};
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
    Ok(Some(Cache::new(folder.join("entries"), limit()?, arguments.cache_why, remote(arguments)?)))
}

/// The server that the options and the environment name.
fn remote(arguments: &CacheArguments) -> Result<Option<Remote>, UsageError> {
    // curl and cargo know this variable of OpenSSL.
    let roots = variable("SSL_CERT_FILE").map(PathBuf::from);
    let variable = |name: &str| variable(name).map(|value| value.to_string_lossy().into_owned());
    let named = arguments.cache_remote.clone().or_else(|| variable("OFFLOADC_CACHE_REMOTE"));
    let Some(url) = named.filter(|url| !url.is_empty()) else { return Ok(None) };
    if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
        let error = UsageError::new("the address of the cache on a server does not begin with `http://` or `https://`");
        return Err(error.help("type the whole address: `--cache-remote=https://cache.example/offloadc`"));
    }
    let read_only = variable("OFFLOADC_CACHE_READ_ONLY").is_some_and(|value| value != "0");
    let seconds = variable("OFFLOADC_CACHE_TIMEOUT").map_or(Ok(TIMEOUT), |text| {
        let number = text.parse::<u64>().ok().filter(|number| (1..=3600).contains(number));
        let error = || UsageError::new("`OFFLOADC_CACHE_TIMEOUT` is not a number of seconds from 1 to 3600");
        number.ok_or_else(|| error().help("type a number: `OFFLOADC_CACHE_TIMEOUT=30`"))
    })?;
    let token = variable("OFFLOADC_CACHE_TOKEN");
    Ok(Some(Remote::new(url, token, read_only, Duration::from_secs(seconds), roots.as_deref())))
}

/// The longest time of a request to a server, in seconds.
const TIMEOUT: u64 = 10;

/// The folder for caches of the XDG Base Directory Specification, which ignores relative paths.
pub(super) fn users_folder() -> Option<PathBuf> {
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
