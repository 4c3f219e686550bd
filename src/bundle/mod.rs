//! The bundle: every image in a fixed order, the entry table, and the host object that carries both.

/// What an image's bytes are. The numbers are LLVM's `ImageKind` (`llvm/Object/OffloadBinary.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum ImageKind {
    /// An empty image: the code lies in the host object itself.
    None = 0,
    /// An ELF object: an AMD code object, an x86 shared object.
    Object = 1,
    /// LLVM bitcode.
    Bitcode = 2,
    /// NVIDIA machine code.
    Cubin = 3,
    /// NVIDIA's container of several.
    Fatbinary = 4,
    /// PTX text.
    Ptx = 5,
    /// SPIR-V words.
    Spirv = 6,
}

/// Device code for one arch, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// What the bytes are.
    pub kind: ImageKind,
    /// The device triple, such as `nvptx64-nvidia-cuda`.
    pub triple: String,
    /// The arch as the user spells it, such as `sm_80` or `gfx90a:xnack+`.
    pub arch: String,
    /// The code.
    pub bytes: Vec<u8>,
}

/// Whose registration the host object carries, and whose entry convention the kernels follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Runtime {
    /// liboffloadrt, this project's own.
    Offloadrt,
    /// LLVM's libomptarget.
    Omptarget,
    /// No registration: the images and handles only.
    None,
}
