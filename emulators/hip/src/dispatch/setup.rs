//! The registers of a wave when it begins (AMDGPUUsage, "Initial Kernel Execution State").

use emulator_core::Segment;

use super::arguments::Extent;
use crate::generation::Generation;
use crate::object::image::Kernel;
use crate::operand::scalar;
use crate::registers::{Bits, Registers, Row};
use crate::wave::{State, Wave};
use crate::wrong::Wrong;

/// Where the private memory of all waves would be; only sums with it are made.
const SCRATCH: u64 = 0x5000_0000_0000;

/// The state that all waves of a launch have in common.
pub(crate) struct Start {
    pub(crate) kernel: Kernel,
    pub(crate) extent: Extent,
    pub(crate) generation: Generation,
    pub(crate) kernarg: u64,
    /// The bytes of the arguments, for those that are in registers already.
    pub(crate) kernarg_bytes: Vec<u8>,
    pub(crate) packet: u64,
    /// The private memory of a thread.
    pub(crate) private_bytes: usize,
}

impl Start {
    /// The lanes of a wave.
    pub(crate) fn lanes(&self) -> usize {
        self.kernel.descriptor.lanes
    }

    /// How many waves a block has.
    pub(crate) fn waves(&self) -> usize {
        (self.extent.threads() as usize).div_ceil(self.lanes())
    }

    /// The threads of a wave: the mask of its lanes that have one.
    fn present(&self, number: usize) -> u64 {
        let rest = self.extent.threads() as usize - number * self.lanes();
        emulator_core::bits::ones(rest.min(self.lanes()) as u32)
    }

    /// The index of a thread in its block.
    pub(crate) fn thread(&self, wave: usize, lane: usize) -> [u32; 3] {
        let [x, y, _] = self.extent.block;
        let linear = (wave * self.lanes() + lane) as u32;
        [linear % x, linear / x % y, linear / x / y]
    }

    /// A wave at the kernel's first instruction. `scratch` is memory that another wave may have had.
    pub(crate) fn wave(&self, block: [u32; 3], number: usize, mut scratch: Vec<Segment>) -> Result<Wave, Wrong> {
        let descriptor = &self.kernel.descriptor;
        let lanes = self.lanes();
        let count = descriptor.vector_count;
        let mut registers = Registers::new(lanes, descriptor.scalar_count, count, descriptor.accumulators);
        scratch.iter_mut().for_each(Segment::forget_all);
        scratch.resize_with(lanes, || Segment::new(self.private_bytes));
        let present = self.present(number);
        let mut wave_offset = 0;
        if !self.generation.has_architected_scratch() {
            wave_offset = (number * self.private_bytes * lanes) as u64;
        }
        self.scalars(&mut registers, block, wave_offset)?;
        registers.set_scalar_pair(scalar::EXEC, Bits::defined(present))?;
        let mut ids = Row::new();
        for lane in 0..lanes {
            let [x, y, z] = self.thread(number, lane);
            ids.set(lane, Bits::defined((x | y << 10 | z << 20).into()));
        }
        registers.set_vector(0, present, &ids, 0)?;
        Ok(Wave {
            registers,
            pc: self.kernel.entry,
            mode: descriptor.mode,
            generation: self.generation,
            lanes,
            present,
            absent: 0,
            state: State::Running,
            scratch,
            scratch_base: SCRATCH + wave_offset,
            number,
            room: None,
            calls: Vec::new(),
        })
    }

    /// The scalar registers: first those that the kernel asks for, then those that the hardware sets.
    fn scalars(&self, registers: &mut Registers, block: [u32; 3], wave_offset: u64) -> Result<(), Wrong> {
        let (user, system) = (&self.kernel.descriptor.user, &self.kernel.descriptor.system);
        let mut values: Vec<u32> = Vec::new();
        let mut pair = |is_there: bool, value: u64| {
            if is_there {
                values.extend([value as u32, (value >> 32) as u32]);
            }
        };
        // The descriptor of private memory: swizzled words, one for each thread.
        pair(user.private_segment_buffer, SCRATCH | 1 << 63);
        pair(user.private_segment_buffer, u64::from(u32::MAX) | (1 << 23 | 3 << 21 | 1 << 19) << 32);
        pair(user.dispatch_pointer, self.packet);
        pair(user.queue_pointer, self.packet);
        pair(user.kernarg_pointer, self.kernarg);
        pair(user.dispatch_id, 0);
        pair(user.flat_scratch, SCRATCH);
        if user.private_segment_size {
            values.push(self.private_bytes as u32);
        }
        let (count, first) = user.preloaded;
        for word in first..first + count {
            let at = 4 * usize::from(word);
            let bytes = self.kernarg_bytes.get(at..at + 4).unwrap_or(&[0; 4]);
            values.push(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        }
        values.truncate(user.count.into());
        let mut number = user.count;
        for (i, value) in values.iter().enumerate() {
            registers.set_scalar(i as u16, Bits::defined((*value).into()))?;
        }
        let mut put = |is_there: bool, value: u64| -> Result<(), Wrong> {
            if is_there {
                registers.set_scalar(number, Bits::defined(value))?;
                number += 1;
            }
            Ok(())
        };
        for (is_there, index) in system.block.into_iter().zip(block) {
            put(is_there, index.into())?;
        }
        put(system.block_info, 0)?;
        let has_offset = system.private_segment && !self.generation.has_architected_scratch();
        put(has_offset, wave_offset)
    }
}
