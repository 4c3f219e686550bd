//! All kinds of panics in a kernel: the error of the launch, and that the next launch works.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;

use offload::{argument, Device, Shape};

extern "C" {
    fn __offload_sync_threads();
}

/// The device's messages that are shorter than the host's, which has values to show.
#[rustfmt::skip]
const SHORTER: &[(u32, &str)] = &[
    (5, "called `Result::unwrap()` on an `Err` value"),
    (6, "a result is there"),
    (8, "the index 8 is {} of {}"),
    (9, "assertion `left == right` failed"),
    (10, "assertion `left != right` failed: both are {}"),
    (16, "a {} message of {} pieces"),
    (19, "internal error: entered unreachable code: at {}"),
    (28, "byte range 0..300 is outside the string or not at characters' bounds"),
    (29, "byte range 3..6 is outside the string or not at characters' bounds"),
    (32, "called `Result::unwrap()` on an `Err` value"),
    (37, "called `Result::unwrap_err()` on an `Ok` value"),
    (39, "min > max. min = {}, max = {}"),
    (40, "assertion `left == right` failed: with {}"),
];

/// The first case that panics only where rustc checks for overflow.
const CHECKED: u32 = 44;
const CASES: u32 = 50;
/// The cases of methods that rustc has since 1.91.
const STRICT: Range<u32> = 22..28;

/// Panics as case `which` has it, with values that are not known before.
#[inline(never)]
#[rustfmt::skip]
fn fail(which: u32, values: &[u32], index: usize, text: &str) -> u32 {
    let (small, cell) = (index as u32, RefCell::new(values[0]));
    let (least, minus) = (i32::MIN + values[0] as i32, -1 - values[0] as i32);
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
        18 => unimplemented!(),
        19 => unreachable!("at {index}"),
        20 => (least / minus) as u32,
        21 => (least % minus) as u32,
        #[cfg(strict_overflow_ops)]
        22 => u32::MAX.strict_add(small),
        #[cfg(strict_overflow_ops)]
        23 => values[0].strict_sub(small),
        #[cfg(strict_overflow_ops)]
        24 => u32::MAX.strict_mul(small),
        #[cfg(strict_overflow_ops)]
        25 => least.strict_neg() as u32,
        #[cfg(strict_overflow_ops)]
        26 => 1_u32.strict_shl(small),
        #[cfg(strict_overflow_ops)]
        27 => 1_u32.strict_shr(small),
        28 => text[..index].len() as u32,
        29 => text[3 + values[0] as usize..].len() as u32,
        30 => { let _writer = cell.borrow_mut(); *cell.borrow() }
        31 => { let _reader = cell.borrow(); *cell.borrow_mut() }
        32 => <[u32; 4]>::try_from(&values[..index - 297]).unwrap()[0],
        33 => { let mut four = [0; 4]; four.copy_from_slice(values); four[0] }
        34 => values.split_at(index).0.len() as u32,
        35 => values.chunks(values[0] as usize).len() as u32,
        36 => values[0].ilog2(),
        37 => Ok::<u32, u32>(small).unwrap_err(),
        38 => (0..small).step_by(values[0] as usize).len() as u32,
        39 => small.clamp(9, values[0]),
        40 => { assert_eq!(small, values[0], "with {index}"); 0 }
        41 => values[index..=usize::MAX - values[0] as usize].len() as u32,
        42 => char::from_digit(1, small).map_or(0, u32::from),
        43 => (Duration::from_secs(values[0].into()) - Duration::from_secs(1)).subsec_nanos(),
        44 => u32::MAX + small,
        45 => values[0] - small,
        46 => u32::MAX * small,
        47 => -least as u32,
        48 => 1_u32 << small,
        _ => 1_u32 >> small,
    }
}

/// The place and the message of the panic of case `which` on the host.
fn on_the_host(which: u32) -> Option<(String, String)> {
    static SAID: Mutex<Option<(String, String)>> = Mutex::new(None);
    std::panic::set_hook(Box::new(|panic| {
        let (place, said) = (panic.location().unwrap(), panic.payload());
        let said = said.downcast_ref::<&str>().map(|text| text.to_string());
        let said = said.or_else(|| panic.payload().downcast_ref::<String>().cloned()).unwrap();
        *SAID.lock().unwrap() = Some((place.to_string(), said));
    }));
    let _caught = std::panic::catch_unwind(|| fail(which, &[0; 8], 300, TEXT));
    let _hook = std::panic::take_hook();
    SAID.lock().unwrap().take()
}

const TEXT: &str = "na\u{ef}ve";

extern "C" fn panics(which: u32, only: u32, out: *mut u32) {
    let values = [0u32; 8];
    let id = offload::global_id_x();
    let mut value = id;
    if id == only || only == u32::MAX {
        value = fail(which, &values, 300 + (which as usize >> 8), TEXT);
    }
    unsafe { *out.add(id as usize) = value }
}

/// A panic before, between and after barriers.
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

/// A thread that panics between two stores to one address.
extern "C" fn stores_before(values: *const u32, out: *mut u32) {
    let id = offload::global_id_x() as usize;
    let (value, out) = unsafe { (*values.add(id), &mut *out.add(id)) };
    *out = value + 1;
    if value == 75 {
        panic!("after a store");
    }
    *out = 0;
}

/// A message without the line of this file that refers to a place in a library.
fn without_caller(text: &str) -> String {
    match text.split_once(", in ") {
        Some((before, rest)) if before.starts_with("kernel `panics` panicked at tests/run/panics.rs:") => {
            format!("kernel `panics` panicked at {rest}")
        }
        _ => text.to_owned(),
    }
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
    for which in (0..CASES).filter(|which| cfg!(strict_overflow_ops) || !STRICT.contains(which)) {
        let said = device.try_launch(panics, shape, &[argument(&which), argument(&75u32), argument(&address)]);
        match (said, on_the_host(which)) {
            (Ok(()), None) => check(which >= CHECKED && !cfg!(debug_assertions), &format!("case {which} is none")),
            (said, host) => {
                let (place, host) = host.unwrap_or_default();
                let text = SHORTER.iter().find(|(case, _)| *case == which).map_or(&*host, |(_, text)| text);
                let says = |text: &str| format!("kernel `panics` panicked at {place}: {text} (block 2, thread 11)");
                // With lines, the line here comes before a place in a library.
                let said = said.map_err(|text| without_caller(&text));
                // The message of an older rustc may be shorter.
                let right = [text, &host].iter().any(|text| said == Err(says(text)));
                check(right, &format!("case {which}: {said:?}\nwanted {}", says(text)));
            }
        }
        // No thread panics, and every one has written.
        let said = device.try_launch(panics, shape, &[argument(&which), argument(&128u32), argument(&address)]);
        check(said.is_ok() && out.read().iter().enumerate().all(|(i, v)| i as u32 == *v), &format!("{said:?}"));
    }
    // Three launches without waiting between them: the first panic is reported, once, and the stream goes on.
    let lists: Vec<_> =
        [128u32, 40, 128].iter().map(|only| [argument(&15u32), argument(only), argument(&address)]).collect();
    let lists: Vec<&[_]> = lists.iter().map(|list| &list[..]).collect();
    let said = device.try_launches(panics, shape, &lists);
    check(said.as_ref().is_err_and(|text| text.ends_with(": a literal (block 1, thread 8)")), &format!("{said:?}"));
    let said = device.try_launches(panics, shape, &lists[2..]);
    check(said.is_ok() && out.read().iter().enumerate().all(|(i, v)| i as u32 == *v), &format!("{said:?}"));
    let said = device.try_launch(panics, shape, &[argument(&15u32), argument(&u32::MAX), argument(&address)]);
    check(said.as_ref().is_err_and(|text| text.contains(": a literal (block ")), &format!("all threads: {said:?}"));
    let numbers = device.upload(&(0..128).collect::<Vec<u32>>());
    let said = device.try_launch(kernel!(stores_before), shape, &[argument(&numbers.as_ptr()), argument(&address)]);
    check(said.as_ref().is_err_and(|text| text.contains(": after a store (block 2")), &format!("{said:?}"));
    check(out.read()[75] == 76, &format!("the store before the panic: {}", out.read()[75]));
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
    offload::verdict("panics", &format!("{CASES} kinds"), wrong);
}
