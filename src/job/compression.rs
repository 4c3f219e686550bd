//! Whether the images of a job are compressed.

use super::UsageError;
use crate::bundle::{Compression, Runtime};
use crate::cli::bundle_arguments::Compress;
use crate::cli::options::Options;
use crate::llvm::OptLevel;

/// Whether images are compressed: in release builds if it pays. Only offloadrt can decompress them.
pub(super) fn compression(options: &Options) -> Result<Compression, UsageError> {
    let is_release = options.opt_level != OptLevel::O0 && !options.debug;
    match options.bundle.compress {
        Some(Compress::Zstd) if options.runtime != Runtime::Offloadrt => {
            let message = format!("`--runtime={}` cannot read compressed images", options.runtime.name());
            Err(UsageError::new(message).help("omit `--compress`, or type `--runtime=offloadrt`"))
        }
        Some(Compress::Zstd) => Ok(Compression::Zstd),
        None if options.runtime == Runtime::Offloadrt && is_release => Ok(Compression::WhenItPays),
        Some(Compress::None) | None => Ok(Compression::None),
    }
}
