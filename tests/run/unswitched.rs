//! A divergent condition in a loop with barriers: `-O` splits the loop into two.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 64;

#[unsafe(link_section = ".offload.shared")]
static mut VALUES: [u32; THREADS] = [0; THREADS];

extern "C" fn steps(count: u32, out: *mut u32) {
    let thread = offload::thread_id_x() as usize;
    let first = thread == 0;
    unsafe {
        VALUES[thread] = thread as u32;
        offload::sync_threads();
        let mut step = 0;
        while step < count {
            if first {
                VALUES[step as usize % THREADS] += VALUES[(step as usize + 1) % THREADS];
            }
            offload::sync_threads();
            step += 1;
        }
        *out.add(thread) = VALUES[thread];
    }
}

fn main() {
    let count = offload::number_argument(1, 150);
    let device = Device::open();
    let out = device.upload(&[0u32; THREADS]);
    let shape = Shape::linear(THREADS as u32, THREADS as u32);
    device.launch(kernel!(steps), shape, &[argument(&count), argument(&out.as_mut_ptr())]);
    let mut expected: Vec<u32> = (0..THREADS as u32).collect();
    for step in 0..count as usize {
        expected[step % THREADS] = expected[step % THREADS].wrapping_add(expected[(step + 1) % THREADS]);
    }
    let wrong = out.read().iter().zip(&expected).filter(|(got, wanted)| got != wanted).count();
    offload::verdict("unswitched", &format!("{count} steps"), wrong);
}
