//! The kernarg segment: explicit arguments, and the hidden ones that the notes ask for (AMDGPUUsage, "Kernel Argument
//! Metadata Map" and "Implicit Kernel Arguments").

use crate::memory::location::{PRIVATE_APERTURE, SHARED_APERTURE};
use crate::object::metadata::Argument;

/// The size of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Shared memory in addition to the kernel's variables.
    pub(crate) dynamic_shared: u32,
}

impl Extent {
    /// The threads of a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// The buffers that hidden arguments point to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) printf_buffer: u64,
}

/// The pattern of unwritten bytes; a kernel that reads them is noticed by its results.
const UNUSED: u8 = 0xcb;

/// The bytes of the segment. `explicit` has the bytes of each argument that is not hidden.
pub(crate) fn segment(
    arguments: &[Argument],
    size: usize,
    explicit: impl Fn(usize, &Argument) -> Vec<u8>,
    extent: &Extent,
    hidden: &Hidden,
) -> Vec<u8> {
    let mut bytes = vec![UNUSED; size];
    let mut number = 0;
    for argument in arguments {
        let value = if argument.kind.starts_with("hidden_") {
            hidden_value(&argument.kind, extent, hidden).to_le_bytes().to_vec()
        } else {
            number += 1;
            explicit(number - 1, argument)
        };
        let count = argument.size.min(value.len());
        if let Some(place) = bytes.get_mut(argument.offset..argument.offset + count) {
            place.copy_from_slice(&value[..count]);
        }
    }
    bytes
}

fn hidden_value(kind: &str, extent: &Extent, hidden: &Hidden) -> u64 {
    let axis = match kind.as_bytes().last() {
        Some(b'y') => 1,
        Some(b'z') => 2,
        _ => 0,
    };
    let dimensions = match (extent.grid, extent.block) {
        ([_, _, z], [_, _, bz]) if z > 1 || bz > 1 => 3,
        ([_, y, _], [_, by, _]) if y > 1 || by > 1 => 2,
        _ => 1,
    };
    match kind {
        "hidden_block_count_x" | "hidden_block_count_y" | "hidden_block_count_z" => extent.grid[axis].into(),
        "hidden_group_size_x" | "hidden_group_size_y" | "hidden_group_size_z" => extent.block[axis].into(),
        "hidden_grid_dims" => dimensions,
        "hidden_printf_buffer" => hidden.printf_buffer,
        "hidden_private_base" => PRIVATE_APERTURE >> 32,
        "hidden_shared_base" => SHARED_APERTURE >> 32,
        "hidden_dynamic_lds_size" => extent.dynamic_shared.into(),
        // Blocks are whole, and there is no offset; nothing of the others exists.
        _ => 0,
    }
}

/// The packet of the queue (HSA Runtime, `hsa_kernel_dispatch_packet_t`).
pub(crate) fn packet(extent: &Extent, private: usize, shared: usize, object: u64, kernarg: u64) -> [u8; 64] {
    let mut packet = [0; 64];
    let mut put = |at: usize, bytes: &[u8]| packet[at..at + bytes.len()].copy_from_slice(bytes);
    put(2, &3u16.to_le_bytes());
    for axis in 0..3 {
        put(4 + 2 * axis, &(extent.block[axis] as u16).to_le_bytes());
        put(12 + 4 * axis, &extent.grid[axis].wrapping_mul(extent.block[axis]).to_le_bytes());
    }
    put(24, &(private as u32).to_le_bytes());
    put(28, &(shared as u32).to_le_bytes());
    put(32, &object.to_le_bytes());
    put(40, &kernarg.to_le_bytes());
    packet
}

#[cfg(test)]
mod tests {
    use super::{Extent, Hidden, segment};
    use crate::object::metadata::Argument;

    #[test]
    fn hidden_arguments_follow_the_notes() {
        let argument = |offset, size, kind: &str| Argument { offset, size, kind: kind.to_owned() };
        let arguments = [
            argument(0, 4, "by_value"),
            argument(8, 4, "hidden_block_count_y"),
            argument(12, 2, "hidden_group_size_x"),
        ];
        let extent = Extent { grid: [5, 6, 7], block: [8, 1, 1], dynamic_shared: 0 };
        let bytes = segment(&arguments, 16, |_, _| vec![1, 2, 3, 4], &extent, &Hidden::default());
        assert_eq!(bytes, [1, 2, 3, 4, 0xcb, 0xcb, 0xcb, 0xcb, 6, 0, 0, 0, 8, 0, 0xcb, 0xcb]);
    }
}
