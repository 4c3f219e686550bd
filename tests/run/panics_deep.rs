//! Panics below the kernel: in a recursive function, in a callee from a table, in a loop, and in an allocation.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// The sum of 16 leaves; one may not be reached.
#[inline(never)]
fn tree(depth: u32, leaf: u32, first: u32) -> u32 {
    if depth == 0 {
        assert!(first != leaf, "leaf {leaf} is reached");
        return 1;
    }
    tree(depth - 1, leaf, 2 * first) + tree(depth - 1, leaf, 2 * first + 1)
}

extern "C" fn descends(only: u32, out: *mut u32) {
    let id = offload::global_id_x();
    let value = tree(4, if id == only { 5 } else { 99 }, 0);
    unsafe { *out.add(id as usize) = value }
}

trait Step: Sync {
    fn step(&self, value: u32) -> u32;
}

struct Fixed([u32; 4]);
struct Divided(u32);

impl Step for Fixed {
    fn step(&self, value: u32) -> u32 {
        self.0[value as usize]
    }
}

impl Step for Divided {
    fn step(&self, value: u32) -> u32 {
        self.0 / value.wrapping_sub(5)
    }
}

static STEPS: [&dyn Step; 2] = [&Fixed([16; 4]), &Divided(32)];

extern "C" fn through_table(only: u32, out: *mut u32) {
    let id = offload::global_id_x();
    let mut value = 0;
    for round in 0..6 {
        let at = if id == only { round } else { 3 + 4 * (round & 1) };
        value = STEPS[(round & 1) as usize].step(at);
    }
    unsafe { *out.add(id as usize) = value }
}

extern "C" fn reserves(only: u32, out: *mut u32) {
    let id = offload::global_id_x();
    let kept: Vec<u32> = Vec::with_capacity(if id == only { usize::MAX / 2 } else { 16 });
    unsafe { *out.add(id as usize) = kept.capacity() as u32 }
}

fn main() {
    let device = Device::open();
    let out = device.upload(&[0u32; 128]);
    let (shape, address) = (Shape::linear(128, 32), out.as_mut_ptr());
    let file = file!();
    let cases = [
        (kernel!(descends), format!("`descends` panicked at {file}:12:9: leaf {{}} is reached")),
        (
            kernel!(through_table),
            format!("`through_table` panicked at {file}:33:9: index out of bounds: the len is 4 but the index is 4"),
        ),
        // Until 1.91 rustc passes its place to this panic.
        (kernel!(reserves), "capacity overflow".to_owned()),
    ];
    let mut wrong = 0;
    for (kernel, wanted) in &cases {
        for only in [3u32, 128, 127, 128] {
            let said = device.try_launch_with_heap(*kernel, shape, 1 << 16, &[argument(&only), argument(&address)]);
            let wanted = format!("{wanted} (block {}, thread {})", only / 32, only % 32);
            let right = match &said {
                Err(text) => text.ends_with(&wanted),
                Ok(()) => only == 128 && out.read().iter().all(|value| *value == 16),
            };
            if !right {
                eprintln!("wrong: thread {only}: {said:?}, wanted {wanted}");
                wrong += 1;
            }
        }
    }
    offload::verdict("panics_deep", &format!("{} ways", cases.len()), wrong);
}
