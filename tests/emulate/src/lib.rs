//! Kernels whose tests run on the default device. `cargo offloadc test --emulate=…` makes it an emulated GPU.

pub mod faults;
pub mod patterns;

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};

/// Each element is the sum of an element and its right neighbour; the last element is unchanged.
#[kernel]
pub fn add_neighbours(input: &[u32], mut output: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(sum) = output.get_mut(i) {
        *sum = input[i.get()] + input.get(i.get() + 1).copied().unwrap_or(0);
    }
}

/// The same, but the last thread reads outside the slice.
#[kernel]
pub fn add_without_bounds(input: &[u32], mut output: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(sum) = output.get_mut(i) {
        let own = input.as_ptr().wrapping_add(i.get());
        // SAFETY: wrong on purpose: the last element has no right neighbour.
        *sum = unsafe { *own + *own.wrapping_add(1) };
    }
}

/// The sums of a few neighbours.
pub fn sums(device: &Device) -> Result<Vec<u32>> {
    with_buffers(device, |stream, input, output| {
        add_neighbours.launch(stream, Grid::for_len(output.len(), 32), (input, &mut *output))?;
        output.to_host_vec(stream)
    })
}

fn with_buffers<T>(
    device: &Device,
    launch: impl FnOnce(&Stream, &DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Result<T>,
) -> Result<T> {
    let stream = device.default_stream();
    let input = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    let mut output = DeviceBuffer::from_host(&stream, &[0; 4])?;
    launch(&stream, &input, &mut output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_added() {
        let device = Device::new().unwrap();
        println!("tested on {}", device.name());
        assert_eq!(sums(&device).unwrap(), [3, 5, 7, 4]);
    }

    #[test]
    fn patterns_are_in_bounds() {
        patterns::launch_all(&Device::new().unwrap()).unwrap();
    }

    #[test]
    #[ignore = "the kernel reads outside a slice"]
    fn bounds_are_missing() {
        let launched = with_buffers(&Device::new().unwrap(), |stream, input, output| {
            add_without_bounds.launch(stream, Grid::for_len(output.len(), 32), (input, &mut *output))?;
            stream.synchronize()
        });
        launched.unwrap();
    }
}
