//! The forms of a file with all images, for other tools.

use super::{Bundle, Image, ImageKind, fatbinary, hip_bundle};
use crate::error::{Error, Result};

/// `--bundle-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BundleFormat {
    /// LLVM's containers of all images.
    #[default]
    Offload,
    /// A CUDA fat binary of PTX and machine code.
    Fatbin,
    /// A bundle of code objects for HIP.
    Hip,
}

impl BundleFormat {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Offload, Self::Fatbin, Self::Hip];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Offload => "offload",
            Self::Fatbin => "fatbin",
            Self::Hip => "hip",
        }
    }

    fn holds(self, image: &Image) -> bool {
        match self {
            Self::Offload => true,
            Self::Fatbin => fatbinary::holds(image),
            Self::Hip => hip_bundle::holds(image),
        }
    }
}

impl Bundle {
    /// The file with the images that this form can hold; an error if it can hold none.
    pub fn in_format(&self, format: BundleFormat) -> Result<Vec<u8>> {
        if !self.images().is_empty() && !self.images().iter().any(|image| format.holds(image)) {
            return Err(Error::new(format!("no image fits into a bundle of the form `{}`", format.name())));
        }
        match format {
            BundleFormat::Offload => Ok(self.containers()),
            BundleFormat::Fatbin => fatbinary::write(self.images()),
            BundleFormat::Hip => Ok(hip_bundle::write(self.images())),
        }
    }

    /// The archs with an image that this form cannot hold, without duplicates.
    pub fn not_in(&self, format: BundleFormat) -> Vec<&str> {
        // The code for the CPU is in the program.
        let others = self.images().iter().filter(|image| image.kind != ImageKind::None && !format.holds(image));
        let mut archs: Vec<_> = others.map(|image| image.arch.as_str()).collect();
        archs.dedup();
        archs
    }
}
