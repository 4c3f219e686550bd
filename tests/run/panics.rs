//! Every kind of panic in a kernel: what the launch says of it, and that the next launch works.

#[path = "../../examples/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" {
    fn __offload_sync_threads();
}

/// A panic in a kernel and what it says.
struct Case {
    column: u32,
    says: &'static str,
}

const fn case(column: u32, says: &'static str) -> Case {
    Case { column, says }
}

#[rustfmt::skip]
const CASES: [Case; 19] = [
    case(14, "index out of bounds: the len is 8 but the index is 300"),
    case(14, "attempt to divide by zero"),
    case(14, "attempt to calculate the remainder with a divisor of zero"),
    case(33, "called `Option::unwrap()` on a `None` value"),
    case(33, "a value is there"),
    case(41, "called `Result::unwrap()` on an `Err` value"),
    case(41, "a result is there"),
    case(16, "assertion failed: index < 8"),
    case(16, "the index 8 is {} of {}"),
    case(16, "assertion `left == right` failed"),
    case(17, "assertion `left != right` failed: both are {}"),
    case(21, "range end index 300 out of range for slice of length 8"),
    case(21, "range start index 300 out of range for slice of length 8"),
    case(21, "slice index starts at 7 but ends at 1"),
    case(15, "internal error: entered unreachable code"),
    case(15, "a literal"),
    case(15, "a {} message of {} pieces"),
    case(15, "not yet implemented"),
    case(0, "attempt to add with overflow"),
];

/// The line of case 0 below; each has one.
const FIRST: u32 = line!() + 7;

/// Panics as case `which` has it, with a value that is not known before.
#[inline(never)]
#[rustfmt::skip]
fn fail(which: u32, values: &[u32], index: usize) -> u32 {
    match which {
        0 => values[index],
        1 => 7 / values[0],
        2 => 7 % values[0],
        3 => *values.get(index).unwrap(),
        4 => *values.get(index).expect("a value is there"),
        5 => u32::try_from(index << 40).unwrap(),
        6 => u32::try_from(index << 40).expect("a result is there"),
        7 => { assert!(index < 8); 0 }
        8 => { assert!(index < 8, "the index 8 is {} of {:?}", index, values.len()); 0 }
        9 => { assert_eq!(index, values.len()); 0 }
        10 => { assert_ne!(index, values[0] as usize + 300, "both are {:>9}", index); 0 }
        11 => values[..index].len() as u32,
        12 => values[index..].len() as u32,
        13 => values[values.len() - 1..index - 299].len() as u32,
        14 => unreachable!(),
        15 => panic!("a literal"),
        16 => panic!("a {} message of {index:#x} pieces", which),
        17 => todo!(),
        _ => values[0] + 1,
    }
}

extern "C" fn panics(which: u32, only: u32, out: *mut u32) {
    let values = [0u32; 8];
    let id = offload::global_id_x();
    let mut value = id;
    if id == only || only == u32::MAX {
        value = fail(which, &values, 300 + (which as usize >> 8));
    }
    unsafe { *out.add(id as usize) = value }
}

/// A panic before, between and behind barriers.
extern "C" fn beside_barriers(places: *const u32, out: *mut u32, len: u32) {
    let out = unsafe { std::slice::from_raw_parts_mut(out, len as usize) };
    let id = offload::global_id_x();
    let mut sum = 0;
    for round in 0..3 {
        let at = unsafe { *places.add((round * len + id) as usize) };
        out[at as usize] += round;
        unsafe { __offload_sync_threads() };
        sum += out[(id ^ 1) as usize];
        unsafe { __offload_sync_threads() };
    }
    out[id as usize] = sum;
}

fn main() {
    let device = Device::open();
    let out = device.upload(&[0u32; 128]);
    let shape = Shape::linear(128, 32);
    let address = out.as_mut_ptr();
    let panics = kernel!(panics);
    let mut wrong = 0;
    let mut check = |right: bool, what: &str| {
        if !right {
            eprintln!("wrong: {what}");
            wrong += 1;
        }
    };
    for (which, case) in CASES.iter().enumerate() {
        let said = device.try_launch(panics, shape, &[argument(&(which as u32)), argument(&75u32), argument(&address)]);
        let wanted = format!(
            "kernel `panics` panicked at {}:{}:{}: {} (block 2, thread 11)",
            file!(),
            FIRST + which as u32,
            case.column,
            case.says
        );
        match said {
            Ok(()) if which == CASES.len() - 1 => {}
            Ok(()) => check(false, &format!("case {which} did not panic; wanted {wanted}")),
            Err(text) => check(text == wanted, &format!("{text}\nwanted {wanted}")),
        }
        // No thread panics, and every one has written.
        let said =
            device.try_launch(panics, shape, &[argument(&(which as u32)), argument(&128u32), argument(&address)]);
        check(said.is_ok() && out.read().iter().enumerate().all(|(i, v)| i as u32 == *v), &format!("{said:?}"));
    }
    let said = device.try_launch(panics, shape, &[argument(&15u32), argument(&u32::MAX), argument(&address)]);
    check(said.as_ref().is_err_and(|text| text.contains(": a literal (block ")), &format!("all threads: {said:?}"));
    for only in [0, 5, 31, 40, 127, 128] {
        let numbers: Vec<u32> = (0..128).collect();
        let out = device.upload(&numbers);
        let mut places = numbers.repeat(3);
        if let Some(place) = places.get_mut(128 + only as usize).filter(|_| only < 128) {
            *place += 1000;
        }
        let places = device.upload(&places);
        let (places, address) = (places.as_ptr(), out.as_mut_ptr());
        let arguments = [argument(&places), argument(&address), argument(&128u32)];
        let said = device.try_launch(kernel!(beside_barriers), shape, &arguments);
        let wanted = format!(
            ": index out of bounds: the len is 128 but the index is {} (block {}, thread {})",
            1000 + only,
            only / 32,
            only % 32
        );
        let right = |i: u32| (0..3).map(|round| (i ^ 1) + round * (round + 1) / 2).sum::<u32>();
        match said {
            Ok(()) => {
                check(only == 128 && out.read().iter().enumerate().all(|(i, v)| right(i as u32) == *v), "barriers")
            }
            Err(text) => check(text.ends_with(&wanted), &text),
        }
    }
    offload::verdict("panics", &format!("{} kinds", CASES.len()), wrong);
}
