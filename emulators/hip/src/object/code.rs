//! The instructions of an image, decoded when they are first executed and kept.

use emulator_core::Counter;

use crate::disassembler::Disassembler;
use crate::generation::Generation;
use crate::instruction::Instruction;

/// The decoded instructions of an image.
pub(crate) struct Code {
    base: u64,
    bytes: Vec<u8>,
    disassembler: Disassembler,
    generation: Generation,
    /// For each word, the number of the instruction that begins there, from 1.
    index: Vec<u32>,
    instructions: Vec<Instruction>,
    /// The counts of a launch for each address, where a profile is made.
    pub(crate) counter: Option<Counter<u64>>,
}

impl Code {
    /// Nothing is decoded yet. `bytes` are those at `base`.
    pub(crate) fn new(base: u64, bytes: Vec<u8>, device: &str) -> Option<Code> {
        let generation = Generation::of(device)?;
        let disassembler = Disassembler::new(device, "")?;
        let index = vec![0; bytes.len() / 4 + 1];
        Some(Code { base, bytes, disassembler, generation, index, instructions: Vec::new(), counter: None })
    }

    /// The number of the instruction at an address; none where there is no instruction.
    #[inline]
    pub(crate) fn at(&mut self, address: u64) -> Option<usize> {
        let offset = address.checked_sub(self.base)?;
        let slot = (offset / 4) as usize;
        if offset % 4 != 0 {
            return None;
        }
        match self.index.get(slot)? {
            0 => self.decode(slot),
            number => Some(*number as usize - 1),
        }
    }

    /// An instruction by its number.
    #[inline]
    pub(crate) fn instruction(&self, number: usize) -> &Instruction {
        &self.instructions[number]
    }

    #[cold]
    fn decode(&mut self, slot: usize) -> Option<usize> {
        let (text, size) = self.disassembler.decode(self.bytes.get(4 * slot..)?)?;
        let number = self.instructions.len();
        self.instructions.push(Instruction::new(&text, size, self.generation));
        self.index[slot] = number as u32 + 1;
        Some(number)
    }
}
