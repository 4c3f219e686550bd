//! The options for the form of images in the output.

use clap::{Args, ValueEnum};

use crate::bundle::BundleFormat;

/// How images are stored.
#[derive(Clone, Debug, Default, Args)]
pub struct BundleArguments {
    /// Whether images in the object are compressed [default: zstd, if it pays, in builds with `-O` and without `-g`]
    ///
    /// It pays if the images become smaller by a quarter, and by 16 KiB. The images of all archs are compressed
    /// together, and decompressed at the first launch on a device that loads images. Only offloadrt decompresses them.
    /// The output of `--emit=bundle` is not compressed.
    #[arg(long, value_name = "METHOD", value_enum)]
    pub compress: Option<Compress>,

    /// The form of the output of `--emit=bundle`
    ///
    /// A form of a vendor holds the images for the GPUs of this vendor, and the others are left out with a warning.
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub bundle_format: BundleFormat,
}

/// `--compress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compress {
    /// With zstd
    Zstd,
    /// Not at all
    None,
}
