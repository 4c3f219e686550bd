//! The files that determine a link's output in addition to flags and inputs, as one number: offloadc itself, its LLVM,
//! the runtime's library, the tools and math libraries that options or the environment select, and the files that
//! options add to device code. Cargo compares
//! flags, so this number is one of them.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};

use crate::contract::platform::Platform;
use crate::error::Failure;
use crate::job::UsageError;
use crate::linker::{Link, NoLink};
use crate::stages::runtime_library;
use crate::system::identity::{identity, shared_llvm};
use crate::targets::MathLibrary;

/// The fingerprint of links by `linker` with these options. Wrong options are reported at once.
pub(super) fn fingerprint(linker: &Path, options: &[String], platform: Platform) -> Result<u64, Failure<UsageError>> {
    let link = Link::new(options.iter().map(OsString::from).collect()).map_err(refused)?;
    let mut hash = DefaultHasher::new();
    for file in files(linker, &link, platform) {
        // A missing file does not influence the output, or is reported where it is needed.
        let identity = identity(&file).unwrap_or_default();
        hash.write_usize(identity.len());
        hash.write(&identity);
    }
    hash.write(link.real_linker().as_encoded_bytes());
    Ok(hash.finish())
}

pub(super) fn refused(no_link: NoLink) -> Failure<UsageError> {
    Failure::Reason(match no_link {
        NoLink::Options(end) => UsageError::new(end.text.trim_start_matches("error: ").trim_end()),
        NoLink::Usage(error) => error,
    })
}

/// The files; their number and order are always the same.
fn files(linker: &Path, link: &Link, platform: Platform) -> Vec<PathBuf> {
    let job = &link.job;
    let runtime = runtime_library::runtime_words(job.runtime, platform).unwrap_or_default();
    let mut files = vec![linker.to_path_buf(), runtime.first().map(PathBuf::from).unwrap_or_default()];
    // It converts modules of a newer LLVM.
    files.push(linker.with_file_name("offloadc-dis"));
    // It leaves crates as bitcode.
    files.push(linker.with_file_name("offloadc-rustc"));
    files.extend([job.tools.lld.clone(), job.tools.ptxas.clone().unwrap_or_default()]);
    for arch in job.archs.iter().filter(|_| job.math.library == MathLibrary::Vendor) {
        files.push(arch.target.vendor_math(&arch.options).unwrap_or_default());
    }
    files.extend(job.device_bitcode.iter().map(|file| file.path.clone()));
    files.extend(job.pass_plugins.iter().map(|plugin| plugin.path.clone()));
    files.extend(shared_llvm().iter().cloned());
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_the_output_decides_the_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let linker = folder.path().join("ld");
        let of = |bytes: &str, options: &[&str]| {
            std::fs::write(&linker, bytes).unwrap();
            let options: Vec<_> =
                ["--offloadc=--runtime=none"].iter().chain(options).map(|o| (*o).to_owned()).collect();
            fingerprint(&linker, &options, Platform::default())
        };
        let first = of("one", &[]).unwrap();
        assert_eq!(of("one", &[]).unwrap(), first);
        assert_ne!(of("two", &[]).unwrap(), first);
        assert_ne!(of("one", &["--offload-linker=clang"]).unwrap(), first);
        let unknown = of("one", &["--offload-arch=none-such"]);
        assert!(matches!(unknown, Err(Failure::Reason(error)) if error.message.contains("unknown arch")));
        assert!(of("one", &["--offloadc=--none-such"]).is_err());
        assert!(shared_llvm().len() <= 1);
    }
}
