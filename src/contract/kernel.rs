//! Kernels: what was found, how, and the one parameter table that host and devices agree on.

pub use super::abi::ParameterKind;

impl ParameterKind {
    /// Its name for people and in `inspect --json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Pointer => "pointer",
            Self::Block => "block",
        }
    }
}

/// One row of a kernel's parameter table; offsets and sizes in bytes, within the packed argument buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Where the bytes stand in the packed argument buffer.
    pub offset: u32,
    /// How many bytes there are.
    pub size: u32,
    /// Their alignment.
    pub align: u32,
    /// What they are.
    pub kind: ParameterKind,
    /// Of a pointer, the memory behind it, where the IR says how much that is.
    pub extent: Option<Extent>,
}

/// The memory behind a pointer: `dereferenceable(N)` in the IR, which is what rustc makes of a reference to a type of
/// known size. It is what a launch that is given host memory moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// How many bytes there are.
    pub bytes: u64,
    /// Whether the kernel may read them; it does not where the parameter is `writeonly`.
    pub read: bool,
    /// Whether it may write them; it does not where the parameter is `readonly`.
    pub written: bool,
}

impl Extent {
    /// For people, behind the kind of the parameter.
    pub fn text(self) -> String {
        let verb = match (self.read, self.written) {
            (true, true) => "reads and writes",
            (true, false) => "reads",
            (false, true) => "writes",
            (false, false) => "uses none of",
        };
        format!("{verb} {} bytes", self.bytes)
    }

    /// OpenMP's word for what is to be copied.
    pub fn direction(self) -> &'static str {
        match (self.read, self.written) {
            (true, true) => "tofrom",
            (true, false) => "to",
            (false, true) => "from",
            (false, false) => "alloc",
        }
    }
}

/// How an entry takes its arguments (see "Kernel arguments have one truth" in ARCHITECTURE.md).
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

/// Which mark made a function a kernel.
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
}

impl Form {
    /// The word for people.
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
        }
    }
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The entry point's name in the device module and in every image: `[A-Za-z0-9_]+`, unique.
    pub name: String,
    /// The host function's symbol.
    pub symbol: String,
    /// The demangled name, for people.
    pub display: String,
    /// How its arguments travel.
    pub form: Form,
    /// The parameter table.
    pub parameters: Vec<Parameter>,
    /// The first mark that made it a kernel.
    pub found_by: FoundBy,
}

impl Kernel {
    /// Size in bytes of the packed argument buffer: the end of the last parameter, rounded up to its alignment.
    pub fn argument_bytes(&self) -> u32 {
        let end = self.parameters.last().map_or(0, |p| p.offset + p.size);
        end.next_multiple_of(self.argument_align())
    }

    /// Whether anything is known of the memory behind its pointers.
    pub fn has_extents(&self) -> bool {
        self.parameters.iter().any(|p| p.extent.is_some())
    }

    /// Alignment in bytes of the packed argument buffer; 8 at least.
    pub fn argument_align(&self) -> u32 {
        self.parameters.iter().map(|p| p.align).max().unwrap_or(8).max(8)
    }
}

/// The kernels of a compilation: ordered as found in the module, names unique.
pub type KernelSet = Vec<Kernel>;

impl Kernel {
    /// The hidden symbol of a kernel's cpu entry in the object of this hash.
    pub fn cpu_symbol(&self, hash: &str) -> String {
        format!("__offload_cpu.{hash}.{}", self.name)
    }

    /// The hidden symbol of a kernel's handle in the object of this hash.
    pub fn handle_symbol(&self, hash: &str) -> String {
        format!("__offload_handle.{hash}.{}", self.name)
    }
}
