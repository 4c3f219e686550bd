//! Consecutive bounds checks, each of which fails in turn, in kernels with a barrier and without one: the error is that
//! of the first check that fails, with its index, and nothing is written after it. The lengths are arguments, or among
//! the bytes of one argument.

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

extern "C" fn entry<F: Fn() + Copy>(arguments: *const F) {
    let closure = unsafe { *arguments };
    closure()
}

/// The lengths of three slices of the same numbers, and the first two indices.
type Tabled = ([usize; 3], [usize; 2]);

/// Launches a kernel whose checks are rows of a table. The line of each check is one after that of the one before.
fn tabled(device: &Device, values: *const u32, out: *mut u32, given: Tabled, waits: bool) -> (Result<(), String>, u32) {
    let (lengths, [i, j]) = given;
    let [la, lb, lc] = lengths;
    let line = line!() + 6;
    let closure = move || {
        let slice = |len: usize| unsafe { std::slice::from_raw_parts(values, len) };
        let (a, b, c) = (slice(la), slice(lb), slice(lc));
        unsafe { *out = 1 };
        #[rustfmt::skip]
        let mut sum = a[i]
            + b[i] * 2
            + c[i - 1] * 3
            + a[i + 1] * 4
            + b[i - 1] * 7
            + b[j] * 5;
        if waits {
            offload::sync_threads();
        }
        for k in j..j + 3 {
            sum += b[k + 1];
            sum += c[k] * 6;
        }
        unsafe { *out = sum };
    };
    fn launch<F: Fn() + Copy>(device: &Device, closure: F) -> Result<(), String> {
        let (size, align) = (size_of::<F>(), align_of::<F>());
        let kernel = unsafe { offload::__offload_kernel_block(entry::<F> as *const (), size, align) };
        device.try_launch(kernel, Shape::linear(1, 1), &[argument(&closure)])
    }
    (launch(device, closure), line)
}

/// The checks of [`tabled`] in their order: the distance of the line, the slice and the index.
fn checks_of([i, j]: [usize; 2]) -> Vec<(u32, usize, usize)> {
    let straight = [(0, 0, i), (1, 1, i), (2, 2, i - 1), (3, 0, i + 1), (4, 1, i - 1), (5, 1, j)];
    let in_loop = (j..j + 3).flat_map(|k| [(10, 1, k + 1), (11, 2, k)]);
    straight.into_iter().chain(in_loop).collect()
}

/// The result of [`tabled`].
fn sum_of(n: &[u32], [i, j]: [usize; 2]) -> u32 {
    let straight = n[i] + n[i] * 2 + n[i - 1] * 10 + n[i + 1] * 4 + n[j] * 5;
    straight + (j..j + 3).map(|k| n[k + 1] + n[k] * 6).sum::<u32>()
}

/// Launches kernels with all lengths, and returns how many errors or results are wrong.
fn try_tabled(device: &Device, numbers: &[u32]) -> usize {
    let (values, out) = (device.upload(numbers), device.upload(&[0u32]));
    let mut wrong = 0;
    for case in 0..2 * 6 * 6 * 6 {
        let lengths = [case / 2, case / 12, case / 72].map(|case| [0, 2, 3, 5, 6, 10][case % 6]);
        let at = [[2, 4], [3, 1]][case % 7 % 2];
        let (said, line) = tabled(device, values.as_ptr(), out.as_mut_ptr(), (lengths, at), case % 2 == 1);
        let failed = checks_of(at).into_iter().find(|(_, slice, index)| *index >= lengths[*slice]);
        let right = match failed {
            None => said.is_ok() && out.read() == [sum_of(numbers, at)],
            Some((distance, slice, index)) => {
                let place = format!("checks.rs:{}:", line + distance);
                let text = format!("the len is {} but the index is {index} ", lengths[slice]);
                said.as_ref().is_err_and(|e| e.contains(&place) && e.contains(&text)) && out.read() == [1]
            }
        };
        if !right {
            println!("{lengths:?}, {at:?}: {said:?}, {:?}, expected {failed:?} after line {line}", out.read());
            wrong += 1;
        }
    }
    wrong
}

/// The parameters of a thread of [`try_looped`]: the loop, its first index, the number of iterations, a limit, and the
/// stride of two of the loops.
type Loop = (u32, usize, usize, usize, usize);

/// The stride of most loops.
const STRIDE: usize = 4;

/// The loops of [`try_looped`], on the device and on the host. `note` is called in each iteration, before its check.
#[inline(always)]
fn run_loop((form, first, count, limit, stride): Loop, values: &[u32], mut note: impl FnMut(usize, u32)) {
    let values = &values[..limit.min(values.len())];
    let mut i = first;
    let mut small = first as u32;
    match form {
        0 => (0..count).for_each(|k| {
            note(k, 1);
            note(k, values[i]);
            i = i.wrapping_add(STRIDE);
        }),
        1 => (0..count).for_each(|k| {
            note(k, 1);
            note(k, values[i]);
            i = i.wrapping_sub(STRIDE);
        }),
        // The numbers wrap around before they are compared.
        2 => (0..count).for_each(|k| {
            note(k, 1);
            assert!(i >= limit, "the index is below the limit");
            note(k, values[i & 1]);
            i = i.wrapping_add(STRIDE);
        }),
        3 => (0..count).for_each(|k| {
            note(k, 1);
            assert!(small >= limit as u32, "the small index is below the limit");
            small = small.wrapping_add(STRIDE as u32);
        }),
        4 => (0..count).for_each(|k| {
            note(k, 1);
            assert!(i > limit, "the index is not above the limit");
            i = i.wrapping_sub(1);
        }),
        5 => {
            let mut k = 0;
            while k != count {
                note(k, 1);
                assert!(k != limit, "the number is the limit");
                k += 1;
            }
        }
        // The loop ends before the check fails, or it does not.
        6 => {
            for k in 0..count {
                let value = values[first.wrapping_add(k)];
                note(k, value);
                if value == 5 {
                    break;
                }
            }
        }
        // The stride is not known when the code is compiled.
        8 => (0..count).for_each(|k| {
            note(k, 1);
            note(k, values[i]);
            i = i.wrapping_add(stride);
        }),
        9 => (0..count).for_each(|k| {
            note(k, 1);
            assert!(small >= limit as u32, "the small index is below the limit");
            small = small.wrapping_add(stride as u32);
        }),
        _ => {
            for (k, at) in (first..first.saturating_add(count)).step_by(3).enumerate() {
                note(k, 1);
                note(k, values[at]);
            }
        }
    }
}

/// Launches a kernel with each loop. The notes of a thread that panics are those before its panic. They are volatile,
/// because an optimiser may drop another store before a panic.
fn try_looped(device: &Device, numbers: &[u32]) -> usize {
    const NOTES: usize = 16;
    let values = device.upload(numbers);
    let mut wrong = 0;
    let starts = [0, 3, 9, usize::MAX - 5, u32::MAX as usize - 5];
    // The product of the stride and one of these numbers wraps around.
    let counts = [0, 1, 2, 3, 9, (1 << 62) + 1];
    let strides = [1, 3, usize::MAX - 1, 1 << 31, 1 << 62, u32::MAX as usize];
    let known = (0..8 * 5 * 6 * 2)
        .map(|case| ((case % 8) as u32, starts[case / 8 % 5], counts[case / 40 % 6], [5, 10][case / 240], STRIDE));
    let unknown = (0..2 * 5 * 6 * 6).map(|case| {
        (8 + (case % 2) as u32, starts[case / 2 % 5], counts[case / 10 % 6], 5 + 5 * (case / 2 % 2), strides[case / 60])
    });
    for one in known.chain(unknown) {
        // A loop that runs for as long as that, and no check ends it.
        if one.2 > 9 && matches!(one.0, 2..=4 | 9) {
            continue;
        }
        let out = device.upload(&[0u32; NOTES]);
        let (from, to, len) = (values.as_ptr(), out.as_mut_ptr(), numbers.len());
        let closure = move || {
            let values = unsafe { std::slice::from_raw_parts(from, len) };
            let note = |k: usize, value: u32| unsafe {
                let at = to.add(k % NOTES);
                at.write_volatile(at.read_volatile().wrapping_mul(31).wrapping_add(value));
            };
            run_loop(one, values, note);
        };
        fn launch<F: Fn() + Copy>(device: &Device, closure: F) -> Result<(), String> {
            let kernel =
                unsafe { offload::__offload_kernel_block(entry::<F> as *const (), size_of::<F>(), align_of::<F>()) };
            device.try_launch(kernel, Shape::linear(1, 1), &[argument(&closure)])
        }
        let said = launch(device, closure);
        let mut notes = [0u32; NOTES];
        let host = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run_loop(one, numbers, |k, value| {
                notes[k % NOTES] = notes[k % NOTES].wrapping_mul(31).wrapping_add(value);
            });
        }));
        let right = match &host {
            Ok(()) => said.is_ok(),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or(panic.downcast_ref::<&str>().map(|text| text.to_string()));
                said.as_ref().is_err_and(|error| text.is_some_and(|text| error.contains(&text)))
            }
        };
        if !right || out.read() != notes {
            println!("{one:?}: {said:?}, {:?}, expected {notes:?}, {}", out.read(), host.is_ok());
            wrong += 1;
        }
    }
    wrong
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
            // Each check with a bit in the number fails, each with another index.
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
    wrong += try_tabled(&device, &numbers);
    std::panic::set_hook(Box::new(|_| {}));
    wrong += try_looped(&device, &numbers);
    offload::verdict("checks", "four kernels that fail in many ways", wrong);
}
