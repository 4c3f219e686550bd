//! Kernels, and the parameter table that host and devices share.

use std::ops::{Deref, DerefMut};

pub use super::abi::ParameterKind;
use crate::llvm::{Function, Module};

/// The attribute of a kernel's parameter that leads to a struct which the kernel takes by value. Each thread may change
/// its own copy, as with `byval`.
pub const OWN_COPY: &str = "offload-own-copy";

impl ParameterKind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Value, Self::Pointer, Self::Block, Self::Words];

    /// The name in messages and in `inspect --json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Pointer => "pointer",
            Self::Block => "block",
            Self::Words => "words",
        }
    }
}

/// One row of a kernel's parameter table; offsets and sizes in bytes, within the packed argument buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The offset of the bytes in the packed argument buffer.
    pub offset: u32,
    /// The number of bytes.
    pub size: u32,
    /// Their alignment.
    pub align: u32,
    /// How the bytes are interpreted.
    pub kind: ParameterKind,
    /// For a pointer, the memory that it leads to, if the IR has its size.
    pub extent: Option<Extent>,
}

/// A scalar among the bytes of the arguments, such as a number or a struct of numbers, as the source declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The offset of its bytes in the packed argument buffer.
    pub offset: u32,
    /// The number of bytes, at least one.
    pub size: u32,
    /// Whether the code should be compiled for its value once that is known.
    pub is_specialized: bool,
}

impl Scalar {
    /// Where its bytes end.
    pub fn end(self) -> u32 {
        self.offset + self.size
    }
}

/// The memory that a pointer leads to: `dereferenceable(N)` in the IR, which rustc writes for a reference to a type of
/// known size. A launch that receives host memory copies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The number of bytes.
    pub bytes: u64,
    /// Whether the kernel may read them; false if the parameter is `writeonly`.
    pub read: bool,
    /// Whether the kernel may write them; false if the parameter is `readonly`.
    pub written: bool,
}

impl Extent {
    /// The text in messages after the kind of the parameter.
    pub fn text(self) -> String {
        let verb = match (self.read, self.written) {
            (true, true) => "reads and writes",
            (true, false) => "reads",
            (false, true) => "writes",
            (false, false) => "uses none of",
        };
        format!("{verb} {} bytes", self.bytes)
    }

    /// OpenMP's word for the direction of the copies.
    pub fn direction(self) -> &'static str {
        match (self.read, self.written) {
            (true, true) => "tofrom",
            (true, false) => "to",
            (false, true) => "from",
            (false, false) => "alloc",
        }
    }
}

/// How an entry receives its arguments (see "One table describes kernel arguments" in
/// docs/internals/launches.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Integers, floats and raw pointers, one IR parameter each.
    Plain,
    /// One pointer to a struct that the launch copies: its size and alignment in bytes.
    Block {
        /// Size of the argument struct.
        size: u32,
        /// Alignment of the argument struct.
        align: u32,
    },
}

/// The kinds of marks that make a function a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundBy {
    /// A GPU kernel calling convention.
    CallingConvention,
    /// A pointer in section `.offload.kernels`.
    Section,
    /// A call of `__offload_kernel` or `__offload_kernel_block`.
    Marker,
    /// `--kernel=GLOB`.
    Option,
    /// A name for other launchers, in section `.offload.exports`.
    Export,
}

impl Form {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Form::Plain => "plain",
            Form::Block { .. } => "block",
        }
    }
}

impl FoundBy {
    /// The mark in words.
    pub fn name(self) -> &'static str {
        match self {
            FoundBy::CallingConvention => "its calling convention",
            FoundBy::Section => "section `.offload.kernels`",
            FoundBy::Marker => "a marker call",
            FoundBy::Option => "`--kernel`",
            FoundBy::Export => "its export",
        }
    }
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The name of the entry point in the device module and in all images: `[A-Za-z0-9_]+`, unique.
    pub name: String,
    /// The host function's symbol.
    pub symbol: String,
    /// The demangled name for messages.
    pub display: String,
    /// How it receives its arguments.
    pub form: Form,
    /// The parameter table.
    pub parameters: Vec<Parameter>,
    /// The first mark that made it a kernel.
    pub found_by: FoundBy,
}

impl Kernel {
    /// The size of the packed argument buffer in bytes: the end of the last parameter, rounded up to its alignment.
    pub fn argument_bytes(&self) -> u32 {
        let end = self.parameters.last().map_or(0, |p| p.offset + p.size);
        end.next_multiple_of(self.argument_align())
    }

    /// Whether the size of the memory of one of its pointers is known.
    pub fn has_extents(&self) -> bool {
        self.parameters.iter().any(|p| p.extent.is_some())
    }

    /// The alignment of the packed argument buffer in bytes, at least 8.
    pub fn argument_align(&self) -> u32 {
        self.parameters.iter().map(|p| p.align).max().unwrap_or(8).max(8)
    }
}

/// The kernels of a compilation, in the order of the module. Names are unique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelSet(Vec<Kernel>);

impl KernelSet {
    /// No kernels.
    pub fn new() -> Self {
        Self::default()
    }

    /// The kernels' functions, those that are in the device module.
    pub fn functions<'c>(&self, module: &Module<'c>) -> impl Iterator<Item = Function<'c>> {
        self.iter().filter_map(|kernel| module.function(&kernel.name))
    }

    /// Whether a kernel's entry point has this name.
    pub fn has_name(&self, name: &str) -> bool {
        self.iter().any(|kernel| kernel.name == name)
    }
}

impl From<Vec<Kernel>> for KernelSet {
    fn from(kernels: Vec<Kernel>) -> Self {
        KernelSet(kernels)
    }
}

impl Deref for KernelSet {
    type Target = Vec<Kernel>;

    fn deref(&self) -> &Vec<Kernel> {
        &self.0
    }
}

impl DerefMut for KernelSet {
    fn deref_mut(&mut self) -> &mut Vec<Kernel> {
        &mut self.0
    }
}

impl<'a> IntoIterator for &'a KernelSet {
    type Item = &'a Kernel;
    type IntoIter = std::slice::Iter<'a, Kernel>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// The object's hash in code that is compiled before the object is known: code that depends on the kernels alone is the
/// same in every program, and can be kept. It is as long as a hash, which replaces it in the symbols' names.
pub const ANY_HASH: &str = "0000000000000000";

/// The levels of a processor, from 1, for which an object has code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuLevels(u8);

impl CpuLevels {
    /// The highest level that a handle has room for.
    pub const MOST: u32 = 4;

    /// These levels and this one.
    pub fn with(self, level: u32) -> Self {
        assert!((1..=Self::MOST).contains(&level));
        Self(self.0 | 1 << level)
    }

    /// Whether there is code for a level.
    pub fn contains(self, level: u32) -> bool {
        self.0 & 1 << level != 0
    }

    /// Whether there is no code.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there is code for levels above the first, which have room in larger handles only.
    pub fn has_higher(self) -> bool {
        self.0 > 2
    }
}

/// The start of the names of the kernels' CPU entries, in the object with this hash.
pub fn cpu_symbol_start(level: u32, hash: &str) -> String {
    let level = if level == 1 { String::new() } else { format!("_v{level}") };
    format!("__offload_cpu{level}.{hash}.")
}

/// The start of the names of the kernels' handles, in the object with this hash.
pub fn handle_symbol_start(hash: &str) -> String {
    format!("__offload_handle.{hash}.")
}

/// The start of the names of functions that kernels call on the host, in the object with this hash.
pub fn host_function_symbol_start(hash: &str) -> String {
    format!("__offload_host_function.{hash}.")
}

/// The hidden symbol of the function with this number that kernels call on the host, in the object with this hash.
pub fn host_function_symbol(number: usize, hash: &str) -> String {
    host_function_symbol_start(hash) + &number.to_string()
}

impl Kernel {
    /// The hidden symbol of the kernel's CPU entry for a level, in the object with this hash.
    pub fn cpu_symbol(&self, level: u32, hash: &str) -> String {
        cpu_symbol_start(level, hash) + &self.name
    }

    /// The hidden symbol of the kernel's handle, in the object with this hash.
    pub fn handle_symbol(&self, hash: &str) -> String {
        handle_symbol_start(hash) + &self.name
    }
}
