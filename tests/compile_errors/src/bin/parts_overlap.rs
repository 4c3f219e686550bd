//! Parts of one buffer in one launch: two halves are right, and parts that share elements are not.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn swap(mut left: DisjointSlice<u32>, mut right: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let (Some(left), Some(right)) = (left.get_mut(i), right.get_mut(i)) {
        core::mem::swap(left, right);
    }
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    let (mut left, mut right) = numbers.split_at_mut(2);
    swap.launch(&stream, Grid::for_len(2, 32), (&mut left, &mut right))?;
    let (mut first, mut second) = (numbers.part_mut(..3), numbers.part_mut(1..));
    swap.launch(&stream, Grid::for_len(2, 32), (&mut first, &mut second))?;
    let mut whole = numbers.part_mut(..);
    swap.launch(&stream, Grid::for_len(2, 32), (&mut whole.part_mut(..3), &mut whole.part_mut(1..)))
}
