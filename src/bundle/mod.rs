//! The bundle: all images in a fixed order, the kernel table, and the host object that contains both.
//!
//! [`Registration`] creates the object with images, tables and constructor; [`HostObject`] merges it with the host code
//! and the device code for the CPU; [`Contents`] reads all of it. `docs/format.md` describes the layout.

mod bodies;
mod bytes;
mod calls;
mod compression;
mod cuda;
mod diff;
mod dump;
mod fat_images;
pub mod fatbinary;
mod format;
mod hip;
pub mod hip_bundle;
mod host_object;
mod kernel_table;
pub mod launcher_files;
mod linked;
mod mgpu;
pub mod offload_binary;
mod offloadrt;
mod omptarget;
mod own_symbols;
mod panic_texts;
mod registration;
mod registration_object;
mod relocatable;
mod resources;
mod symbol;

pub use bodies::bodies_object;
pub use compression::{Compression, read_images};
pub use diff::Differences;
pub use dump::Contents;
pub use format::BundleFormat;
pub use host_object::HostObject;
pub use linked::{LinkedFile, Stripped};
pub use offload_binary::ImageView;
pub use own_symbols::{name_cpu_entries, name_handles};
pub use registration::{KernelRow, Registration};
pub use resources::{CodeSize, Resources};

/// The kind of an image. The numbers are LLVM's `ImageKind` (`llvm/Object/OffloadBinary.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum ImageKind {
    /// An empty image, whose code is in the host object.
    None = 0,
    /// An ELF object: an AMD code object, an x86 shared object.
    Object = 1,
    /// LLVM bitcode.
    Bitcode = 2,
    /// NVIDIA machine code.
    Cubin = 3,
    /// NVIDIA's container of several images.
    Fatbinary = 4,
    /// PTX text.
    Ptx = 5,
    /// SPIR-V words.
    Spirv = 6,
}

impl ImageKind {
    /// All kinds, by number.
    const ALL: [Self; 7] =
        [Self::None, Self::Object, Self::Bitcode, Self::Cubin, Self::Fatbinary, Self::Ptx, Self::Spirv];

    /// The kind with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The name in messages and in `inspect --json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Object => "object",
            Self::Bitcode => "bitcode",
            Self::Cubin => "cubin",
            Self::Fatbinary => "fatbinary",
            Self::Ptx => "ptx",
            Self::Spirv => "spirv",
        }
    }

    /// The end of the name of a file with such an image.
    pub fn extension(self) -> &'static str {
        match self {
            Self::None => "bin",
            Self::Object => "co",
            Self::Bitcode => "bc",
            Self::Fatbinary => "fatbin",
            Self::Spirv => "spv",
            Self::Cubin | Self::Ptx => self.name(),
        }
    }
}

/// Device code for one arch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The kind of its bytes.
    pub kind: ImageKind,
    /// The device triple, such as `nvptx64-nvidia-cuda`.
    pub triple: String,
    /// The arch with the user's name, such as `sm_80` or `gfx90a:xnack+`.
    pub arch: String,
    /// Further keys and values in the container: `driver` is the oldest driver that loads the image.
    pub strings: Vec<(String, String)>,
    /// The code.
    pub bytes: Vec<u8>,
}

impl Image {
    /// Whether the image is registered with a runtime, or its code is in the program.
    fn is_registered(&self, runtime: Runtime) -> bool {
        match runtime {
            Runtime::Offloadrt | Runtime::None => true,
            Runtime::Omptarget => self.kind == ImageKind::None || omptarget::reads(self.kind),
            Runtime::Liboffload => self.kind != ImageKind::Spirv,
            Runtime::Cuda => fatbinary::holds(self),
            Runtime::Hip => hip_bundle::holds(self),
            Runtime::Mgpu => mgpu::reads(self),
        }
    }
}

/// All images, in an order that depends only on the images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    images: Vec<Image>,
}

impl Bundle {
    /// The archs without an image that is registered with a runtime, without duplicates.
    pub fn unregistered(&self, runtime: Runtime) -> Vec<&str> {
        let (registered, others): (Vec<_>, Vec<_>) = self.images.iter().partition(|image| image.is_registered(runtime));
        let mut archs: Vec<_> = others.iter().map(|image| image.arch.as_str()).collect();
        archs.retain(|arch| !registered.iter().any(|image| image.arch == *arch));
        archs.dedup();
        archs
    }

    /// Sorts images by triple, arch and kind. Images that are equal in all three remain in the given order; identical
    /// images are kept once.
    pub fn new(mut images: Vec<Image>) -> Self {
        images.sort_by(|a, b| (&a.triple, &a.arch, a.kind).cmp(&(&b.triple, &b.arch, b.kind)));
        images.dedup();
        Self { images }
    }

    /// The images, sorted.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// The containers, one after another, as they are embedded into the host object and written by `--emit=bundle`.
    pub fn containers(&self) -> Vec<u8> {
        offload_binary::write(&self.images).bytes
    }
}

/// The runtime with which the host object registers its images. It also determines the entry convention of kernels. The
/// numbers are in kernel tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Runtime {
    /// liboffloadrt, this project's own.
    Offloadrt = 0,
    /// LLVM's libomptarget.
    Omptarget = 1,
    /// No registration; only images and handles.
    None = 2,
    /// NVIDIA's libcudart.
    Cuda = 3,
    /// AMD's HIP.
    Hip = 4,
    /// LLVM's liboffload, through this project's own.
    Liboffload = 5,
    /// The functions that code of MLIR calls.
    Mgpu = 6,
}

impl Runtime {
    /// All runtimes, by number.
    const ALL: [Self; 7] =
        [Self::Offloadrt, Self::Omptarget, Self::None, Self::Cuda, Self::Hip, Self::Liboffload, Self::Mgpu];

    /// The runtime with this number in the kernel table.
    fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Offloadrt => "offloadrt",
            Self::Omptarget => "omptarget",
            Self::None => "none",
            Self::Cuda => "cuda",
            Self::Hip => "hip",
            Self::Liboffload => "liboffload",
            Self::Mgpu => "mgpu",
        }
    }

    /// Whether a runtime of this project launches the kernels. It passes them the launch state, without which a panic
    /// cannot be reported.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Offloadrt | Self::Omptarget | Self::Liboffload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(triple: &str, arch: &str, kind: ImageKind) -> Image {
        Image { kind, triple: triple.into(), arch: arch.into(), strings: Vec::new(), bytes: vec![kind as u8; 3] }
    }

    #[test]
    fn kinds_and_runtimes_are_their_numbers() {
        for number in 0..7 {
            assert_eq!(ImageKind::from_number(number).map(|kind| kind as u16), Some(number));
        }
        assert_eq!(ImageKind::from_number(7), None);
        for number in 0..7 {
            let runtime = Runtime::from_number(number).unwrap();
            assert_eq!(runtime as u32, number);
        }
        assert_eq!(Runtime::from_number(7), None);
    }

    #[test]
    fn the_order_of_images_is_theirs_alone() {
        let images = [
            image("amd", "gfx90a:xnack+", ImageKind::Object),
            image("amd", "gfx90a", ImageKind::Object),
            image("nv", "sm_80", ImageKind::Ptx),
            image("nv", "sm_80", ImageKind::Cubin),
            image("nv", "sm_100", ImageKind::Ptx),
        ];
        let bundle = Bundle::new(images.to_vec());
        let reversed = Bundle::new(images.iter().rev().cloned().collect());
        assert_eq!(bundle, reversed);
        assert_eq!(bundle.containers(), reversed.containers());
        let order: Vec<_> = bundle.images().iter().map(|i| format!("{} {}", i.arch, i.kind.name())).collect();
        assert_eq!(order, ["gfx90a object", "gfx90a:xnack+ object", "sm_100 ptx", "sm_80 cubin", "sm_80 ptx"]);
    }
}
