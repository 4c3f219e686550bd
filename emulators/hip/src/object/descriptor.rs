//! Kernel descriptors (AMDGPUUsage, "Kernel Descriptor" and the tables of COMPUTE_PGM_RSRC1 to 3).

use crate::generation::Generation;
use crate::mode::Mode;

/// The setup that a descriptor asks of the hardware.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Descriptor {
    pub(crate) shared_bytes: usize,
    pub(crate) private_bytes: usize,
    pub(crate) kernarg_bytes: usize,
    /// From the descriptor to the first instruction.
    pub(crate) entry: i64,
    pub(crate) mode: Mode,
    pub(crate) vector_count: u16,
    pub(crate) scalar_count: u16,
    /// The first vector register that is an accumulator.
    pub(crate) accumulators: u16,
    pub(crate) lanes: usize,
    pub(crate) uses_dynamic_stack: bool,
    /// Whether the waves of a block share the first cache: GCN unless TG_SPLIT, RDNA unless WGP_MODE.
    pub(crate) one_cache: bool,
    pub(crate) user: UserRegisters,
    pub(crate) system: SystemRegisters,
}

/// Which values stand in the first scalar registers, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserRegisters {
    pub(crate) private_segment_buffer: bool,
    pub(crate) dispatch_pointer: bool,
    pub(crate) queue_pointer: bool,
    pub(crate) kernarg_pointer: bool,
    pub(crate) dispatch_id: bool,
    pub(crate) flat_scratch: bool,
    pub(crate) private_segment_size: bool,
    /// How many there are in all: the system's registers follow them.
    pub(crate) count: u16,
    /// How many words of the arguments are there already, and from which word on.
    pub(crate) preloaded: (u16, u16),
}

/// Which values follow them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SystemRegisters {
    pub(crate) block: [bool; 3],
    pub(crate) block_info: bool,
    pub(crate) private_segment: bool,
}

/// The size of a descriptor.
pub(crate) const BYTES: usize = 64;

impl Descriptor {
    /// Reads a descriptor.
    pub(crate) fn read(bytes: &[u8; BYTES], generation: Generation) -> Descriptor {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let entry = u64::from(word(16)) | u64::from(word(20)) << 32;
        let (rsrc3, rsrc1, rsrc2) = (word(44), word(48), word(52));
        let properties = word(56) & 0xffff;
        let has = |bit: u32| properties >> bit & 1 != 0;
        let preload = word(56) >> 16;
        let vector_count = ((rsrc1 & 0x3f) + 1) as u16 * 8;
        let accumulators = match generation {
            Generation::Gcn => (((rsrc3 & 0x3f) + 1) * 4) as u16,
            Generation::Rdna => vector_count,
        };
        Descriptor {
            shared_bytes: word(0) as usize,
            private_bytes: word(4) as usize,
            kernarg_bytes: word(8) as usize,
            entry: entry as i64,
            mode: Mode(rsrc1 >> 12 & 0xff | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9),
            vector_count,
            scalar_count: match generation {
                Generation::Gcn => ((rsrc1 >> 6 & 0xf) + 1) as u16 * 8,
                // All waves have all of them.
                Generation::Rdna => 106,
            },
            accumulators,
            lanes: if has(10) { 32 } else { 64 },
            uses_dynamic_stack: has(11),
            one_cache: match generation {
                Generation::Gcn => rsrc3 >> 16 & 1 == 0,
                Generation::Rdna => rsrc1 >> 29 & 1 == 0,
            },
            user: UserRegisters {
                private_segment_buffer: has(0),
                dispatch_pointer: has(1),
                queue_pointer: has(2),
                kernarg_pointer: has(3),
                dispatch_id: has(4),
                flat_scratch: has(5),
                private_segment_size: has(6),
                count: (rsrc2 >> 1 & 0x1f) as u16,
                preloaded: ((preload & 0x7f) as u16, (preload >> 7) as u16),
            },
            system: SystemRegisters {
                block: [rsrc2 >> 7 & 1 != 0, rsrc2 >> 8 & 1 != 0, rsrc2 >> 9 & 1 != 0],
                block_info: rsrc2 >> 10 & 1 != 0,
                private_segment: rsrc2 & 1 != 0,
            },
        }
    }
}
