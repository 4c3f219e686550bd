//! Consecutive bounds checks, each of which fails in turn, in kernels with a barrier and without one: the error is that
//! of the first check that fails, with its index, and nothing is written behind it.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// The sum of five elements, and of one whose index is in memory.
#[inline(always)]
fn sum(values: &[u32], [a, b, c, d, e]: [usize; 5]) -> u32 {
    let sum = values[a] + values[b] * 2 + values[c] * 3 + values[d] * 4 + values[e] * 5;
    sum + values[values[a] as usize]
}

extern "C" fn straight(values: *const u32, len: usize, at: [usize; 5], out: *mut u32) {
    let values = unsafe { std::slice::from_raw_parts(values, len) };
    unsafe { *out = 1 };
    let sum = sum(values, at);
    unsafe { *out = sum };
}

extern "C" fn around_a_barrier(values: *const u32, len: usize, at: [usize; 5], out: *mut u32) {
    let values = unsafe { std::slice::from_raw_parts(values, len) };
    unsafe { *out = 1 };
    let first = values[at[0]] + values[at[1]];
    offload::sync_threads();
    let sum = sum(values, at) + first;
    unsafe { *out = sum };
}

fn main() {
    let device = Device::open();
    let numbers: Vec<u32> = (0..10).map(|i| 9 - i).collect();
    let values = device.upload(&numbers);
    let out = device.upload(&[0u32]);
    let shape = Shape::linear(1, 1);
    let mut wrong = 0;
    for (kernel, twice) in [(kernel!(straight), false), (kernel!(around_a_barrier), true)] {
        for failing in 0..64 {
            // Each check with a bit in the number fails, with an index of its own.
            let at: [usize; 5] = std::array::from_fn(|k| if failing >> k & 1 == 1 { 100 + k } else { k });
            // The last one's index is the first element, 9, or beyond the end.
            let len: usize = if failing >> 5 & 1 == 1 { 9 } else { 10 };
            let first = (0..5).find(|k| failing >> k & 1 == 1).map(|k| 100 + k).or((len == 9).then_some(9));
            let (from, to) = (values.as_ptr(), out.as_mut_ptr());
            let arguments = [argument(&from), argument(&len), argument(&at), argument(&to)];
            let said = device.try_launch(kernel, shape, &arguments);
            let right = match first {
                None => {
                    let n = &numbers;
                    let sum = n[0] + n[1] * 2 + n[2] * 3 + n[3] * 4 + n[4] * 5 + n[9];
                    said.is_ok() && out.read() == [if twice { sum + n[0] + n[1] } else { sum }]
                }
                Some(index) => {
                    let text = format!("the len is {len} but the index is {index}");
                    said.as_ref().is_err_and(|error| error.contains(&text)) && out.read() == [1]
                }
            };
            if !right {
                println!("{failing:06b}: {said:?}, {:?}, expected {first:?}", out.read());
                wrong += 1;
            }
        }
    }
    offload::verdict("checks", "two kernels that fail in 64 ways", wrong);
}
