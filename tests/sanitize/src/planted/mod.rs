//! Kernels with one error each.

mod barriers;
mod bounds;
mod grids;
mod races;
mod unwritten;

use std::mem::MaybeUninit;

use offload::{Device, DeviceBuffer, Grid, Result, prelude::*};

use crate::{Case, LEN, block_of, with_zeros};

pub const CASES: &[Case] = &[
    ("missing_barrier", |device| with_zeros(device, races::missing_barrier, block_of(64))),
    ("second_round", |device| with_zeros(device, races::second_round, block_of(64))),
    ("write_after_read", |device| with_zeros(device, races::write_after_read, block_of(64))),
    ("reduction_tail", |device| with_zeros(device, races::reduction_tail, block_of(64))),
    ("wrong_stride", |device| with_zeros(device, races::wrong_stride, Grid::for_len(64, 32))),
    ("same_flag", |device| with_zeros(device, races::same_flag, block_of(32))),
    ("missing_fence", |device| with_zeros(device, races::missing_fence, block_of(64))),
    ("missing_warp_barrier", |device| with_zeros(device, races::missing_warp_barrier, block_of(32))),
    ("plain_read_of_atomic", |device| with_zeros(device, races::plain_read_of_atomic, block_of(64))),
    ("halved_index", halved_index),
    ("block_scope", |device| with_zeros(device, grids::block_scope, Grid::for_len(128, 32))),
    ("result_of_other_block", |device| with_zeros(device, grids::result_of_other_block, Grid::for_len(128, 32))),
    ("last_block_relaxed", |device| with_zeros(device, grids::last_block_relaxed, Grid::for_len(128, 32))),
    ("histogram", |device| with_zeros(device, grids::histogram, Grid::for_len(128, 32))),
    ("stencil_in_place", |device| with_zeros(device, grids::stencil_in_place, Grid::for_len(128, 32))),
    ("overlapping_slices", overlapping_slices),
    ("unordered_streams", unordered_streams),
    ("unordered_read", unordered_read),
    ("launch_sized_off_by_one", |device| {
        with_zeros(device, bounds::launch_sized_off_by_one, block_of(64).with_shared_bytes(64 * 4))
    }),
    ("shared_off_by_one", |device| with_zeros(device, bounds::shared_off_by_one, block_of(64))),
    ("negative_index", |device| with_zeros(device, bounds::negative_index, block_of(32))),
    ("behind_a_host_slice", behind_a_host_slice),
    ("behind_a_local_array", |device| with_zeros(device, bounds::behind_a_local_array, block_of(32))),
    ("swapped_dimensions", swapped_dimensions),
    ("freed_box", |device| with_zeros(device, bounds::freed_box, block_of(1).with_heap_bytes(1 << 12))),
    ("misaligned_pair", |device| with_zeros(device, bounds::misaligned_pair, block_of(1))),
    ("unwritten_shared", |device| with_zeros(device, unwritten::unwritten_shared, block_of(64))),
    ("unwritten_index", |device| with_zeros(device, unwritten::unwritten_index, block_of(1))),
    ("unwritten_box", |device| with_zeros(device, unwritten::unwritten_box, block_of(1).with_heap_bytes(1 << 12))),
    ("unwritten_output", unwritten_output),
    ("unwritten_condition", |device| with_zeros(device, unwritten::unwritten_condition, block_of(32))),
    ("unwritten_minimum", |device| with_zeros(device, unwritten::unwritten_minimum, block_of(32))),
    ("shuffle_after_return", |device| with_zeros(device, barriers::shuffle_after_return, block_of(32))),
    ("shuffle_in_a_branch", |device| with_zeros(device, barriers::shuffle_in_a_branch, block_of(32))),
    ("changing_condition", |device| with_zeros(device, barriers::changing_condition, block_of(32))),
    ("return_before_a_barrier", |device| with_zeros(device, barriers::return_before_a_barrier, block_of(32))),
];

fn halved_index(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let mut values = DeviceBuffer::from_host(&stream, &[0_u32; LEN])?;
    races::halved_index.launch(&stream, block_of(64), (&mut values,))?;
    stream.synchronize()
}

fn overlapping_slices(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let values = DeviceBuffer::from_host(&stream, &[0_u32; LEN])?;
    grids::overlapping_slices.launch(&stream, block_of(64), (values.as_raw(), values.as_raw()))?;
    stream.synchronize()
}

fn unordered_streams(device: &Device) -> Result<()> {
    let (first, second) = (device.new_stream()?, device.new_stream()?);
    let values = DeviceBuffer::from_host(&first, &[0_u32; LEN])?;
    first.synchronize()?;
    grids::unordered_streams.launch(&first, block_of(64), (values.as_raw(),))?;
    grids::unordered_streams.launch(&second, block_of(64), (values.as_raw(),))?;
    device.synchronize()
}

/// The second stream waits for an event that is recorded before the launch, not after it.
fn unordered_read(device: &Device) -> Result<()> {
    let (first, second) = (device.new_stream()?, device.new_stream()?);
    let values = DeviceBuffer::from_host(&first, &[0_u32; LEN])?;
    let sums = DeviceBuffer::from_host(&second, &[0_u32; LEN])?;
    second.synchronize()?;
    let early = first.record()?;
    grids::unordered_write.launch(&first, block_of(64), (values.as_raw(),))?;
    second.wait(&early)?;
    grids::unordered_read.launch(&second, block_of(64), (values.as_raw(), sums.as_raw()))?;
    device.synchronize()
}

fn behind_a_host_slice(device: &Device) -> Result<()> {
    let (input, mut output) = (vec![1_u32; 64], vec![0_u32; 64]);
    bounds::behind_a_host_slice.launch(&device.default_stream(), block_of(64), (&input[..], &mut output[..]))
}

fn swapped_dimensions(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let image = DeviceBuffer::from_host(&stream, &[0_u32; 32])?;
    bounds::swapped_dimensions.launch(&stream, Grid::for_rows(8, 4, (8, 4)), (image.as_raw(), 8))?;
    stream.synchronize()
}

fn unwritten_output(device: &Device) -> Result<()> {
    let mut output = [MaybeUninit::<u32>::uninit(); 32];
    unwritten::unwritten_output.launch(&device.default_stream(), block_of(32), (&mut output[..],))
}
