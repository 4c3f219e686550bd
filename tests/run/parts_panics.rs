//! Panics in kernels of different parts of an image (`--parts`): each part numbers its messages and locations itself,
//! and the runtime must find those of the right part.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, global_id_x, Device, Kernel, Shape};

/// The kinds of panics of a kernel.
const KINDS: u32 = 6;
const THREADS: u32 = 32;

/// The location of the caller is a value at run time.
#[track_caller]
#[inline(never)]
fn checked(value: u32, least: u32) -> u32 {
    if value < least {
        panic!("too small");
    }
    value
}

/// A kernel, and the line of its panics. `$text` is in the messages that only this kernel has.
macro_rules! kernel {
    ($name:ident, $text:literal, $divisor:literal) => {
        mod $name {
            use super::*;

            /// That of the invocation of the macro, and so of all its panics.
            pub const LINE: u32 = line!();

            pub extern "C" fn call(kind: u32, out: *mut u32) {
                let i = global_id_x();
                let table = [i; $divisor];
                let chosen = if i == 7 { kind } else { KINDS };
                let value = if chosen == 0 { table[(i * $divisor) as usize] } else { i };
                let value = if chosen == 1 { value / (value - 7) } else { value };
                let value = if chosen == 2 { panic!(concat!("a text of ", $text)) } else { value };
                let value = if chosen == 3 { checked(value, 8 * $divisor) } else { value };
                let value = if chosen == 4 {
                    assert_eq!(value, 8, concat!($text, " differs"));
                    0
                } else {
                    value
                };
                let value = if chosen == 5 { value.checked_sub(8).expect(concat!($text, " expects")) } else { value };
                unsafe { *out.add(i as usize) = value + $divisor };
            }
        }
    };
}

kernel!(one, "one", 3);
kernel!(two, "two", 5);
kernel!(three, "three", 9);
kernel!(four, "four", 11);

/// The message of a panic.
fn message(kind: u32, name: &str, divisor: u32) -> String {
    match kind {
        0 => format!("index out of bounds: the len is {divisor} but the index is {}", 7 * divisor),
        1 => "attempt to divide by zero".to_owned(),
        2 => format!("a text of {name}"),
        3 => "too small".to_owned(),
        4 => format!("assertion `left == right` failed: {name} differs"),
        _ => format!("{name} expects"),
    }
}

fn main() {
    let device = Device::open();
    let mut wrong = 0;
    let mut check = |name: &str, divisor: u32, kernel: *const Kernel, line: u32| {
        for kind in 0..=KINDS {
            let out = device.allocate::<u32>(THREADS as usize);
            let to = out.as_mut_ptr();
            let arguments = [argument(&kind), argument(&to)];
            let said = device.try_launch(kernel, Shape::linear(THREADS, THREADS), &arguments);
            if kind == KINDS {
                let right =
                    said.is_ok() && out.read().iter().enumerate().all(|(i, value)| *value == i as u32 + divisor);
                wrong += usize::from(!right);
                continue;
            }
            let said = said.expect_err("thread 7 panics");
            let text = message(kind, name, divisor);
            let place = format!("kernel `{name}::call` panicked at tests/run/parts_panics.rs:{line}:");
            if !said.contains(&place) || !said.contains(&format!(": {text} (block 0, thread 7)")) {
                println!("{said}\nshould have `{place}` and `{text}`");
                wrong += 1;
            }
        }
    };
    check("one", 3, unsafe { offload::__offload_kernel(one::call as *const ()) }, one::LINE);
    check("two", 5, unsafe { offload::__offload_kernel(two::call as *const ()) }, two::LINE);
    check("three", 9, unsafe { offload::__offload_kernel(three::call as *const ()) }, three::LINE);
    check("four", 11, unsafe { offload::__offload_kernel(four::call as *const ()) }, four::LINE);
    offload::verdict("parts_panics", &format!("{} panics", 4 * KINDS), wrong);
}
