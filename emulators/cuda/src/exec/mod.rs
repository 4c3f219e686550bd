//! The execution of a launch: blocks, warps, and groups of lanes that share a program counter.

mod activation;
mod barrier;
mod block;
mod calls;
mod control;
mod copies;
mod cross;
mod data;
mod failure;
mod matrix;
mod memory;
mod print;
mod run;
mod undefined;
mod warp;
mod weak;

use emulator_core::{Counter, Memory, Schedule};

pub(crate) use failure::Failure;

use crate::program::Program;

/// Everything that a launch is.
pub(crate) struct Launch<'m> {
    /// The entry and its functions.
    pub(crate) program: &'m Program,
    /// The memory that global addresses lead to.
    pub(crate) memory: &'m Memory,
    /// Blocks along each axis.
    pub(crate) grid: [u32; 3],
    /// Threads along each axis.
    pub(crate) block: [u32; 3],
    /// Bytes of shared memory that the launch adds.
    pub(crate) dynamic_shared: u32,
    /// The address of the arguments.
    pub(crate) arguments: u64,
    /// The device as reports name it.
    pub(crate) device: &'m str,
    /// Where shared memory begins for programs.
    pub(crate) shared_begin: u64,
    /// The stack of a thread.
    pub(crate) stack: usize,
    /// The number of multiprocessors.
    pub(crate) multiprocessors: u32,
    /// The order of execution.
    pub(crate) schedule: Schedule,
    /// The number of the launch.
    pub(crate) number: u64,
    /// Whether its instructions and accesses are counted for each line.
    pub(crate) counts_lines: bool,
}

/// The counts of a launch.
pub(crate) struct Executed {
    /// The instructions of all warps.
    pub(crate) instructions: u64,
    /// The counts by the file's number and the line.
    pub(crate) lines: Option<Counter<(u32, u32)>>,
}

impl Launch<'_> {
    /// Threads in a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Blocks in the grid.
    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|extent| u64::from(*extent)).product()
    }

    /// The end of a block's shared memory.
    pub(crate) fn shared_end(&self) -> u64 {
        if self.dynamic_shared == 0 {
            self.program.shared_end
        } else {
            self.program.dynamic_begin + u64::from(self.dynamic_shared)
        }
    }

    /// The warps of all blocks.
    pub(crate) fn warps(&self) -> u64 {
        self.blocks() * u64::from(self.threads().div_ceil(32))
    }

    /// Runs all blocks; their output goes to standard output.
    pub(crate) fn run(&self) -> Result<Executed, Box<Failure>> {
        let mut printed = Vec::new();
        let result = block::run_all(self, &mut printed);
        print::write(&printed);
        result
    }
}
