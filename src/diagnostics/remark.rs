//! Remarks: how code is executed, and why not faster. `--remarks` asks for them.

use clap::ValueEnum;
use clap::builder::PossibleValue;

/// The step of the compiler that a remark is about: the value of `--remarks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// How many threads of a block the processor executes at once.
    Vectorize,
    /// Accesses of GPUs that are not coalesced.
    Memory,
    /// Accesses of GPUs through generic pointers.
    Pointers,
    /// Loops that divide the warps of GPUs.
    Loops,
    /// Checks in inner loops on GPUs.
    Checks,
    /// Registers of GPUs that are kept in memory.
    Spills,
}

impl Topic {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Vectorize, Self::Memory, Self::Pointers, Self::Loops, Self::Checks, Self::Spills];

    /// The name in both printed forms.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vectorize => "vectorize",
            Self::Memory => "memory",
            Self::Pointers => "pointers",
            Self::Loops => "loops",
            Self::Checks => "checks",
            Self::Spills => "spills",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::Vectorize => "on the CPU, how many threads are executed together",
            Self::Memory => "on GPUs, accesses of neighbouring threads to distant elements",
            Self::Pointers => "on GPUs, pointers to any address space",
            Self::Loops => "on GPUs, loops that the threads of a warp leave at different times",
            Self::Checks => "on GPUs, checks in inner loops",
            Self::Spills => "on GPUs, registers that are kept in memory, where the code of the image tells",
        }
    }
}

impl ValueEnum for Topic {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.help()))
    }
}

/// The facts of a remark, for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The step that it is about.
    pub topic: Topic,
    /// The kernel.
    pub kernel: String,
    /// The number of the kernel's region, from 1. None on GPUs.
    pub region: Option<usize>,
    /// The cause, in words with hyphens; none if the code is as fast as the step makes it.
    pub cause: Option<&'static str>,
    /// How many threads are executed together; none if that is not known.
    pub width: Option<u32>,
}
