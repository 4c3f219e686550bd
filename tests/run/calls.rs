//! Calls that optimisation makes direct, and values in tables: `dyn` methods, function pointers, `match`es,
//! strings, slices, statics in statics, large enums.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

trait Shape2 {
    fn area(&self) -> u32;
    fn name(&self) -> &'static str {
        "unnamed"
    }
}

struct Square(u32);
struct Strip {
    long: u32,
    wide: u32,
}

impl Shape2 for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
    fn name(&self) -> &'static str {
        "square"
    }
}

impl Shape2 for Strip {
    fn area(&self) -> u32 {
        self.long * self.wide
    }
}

/// A trait object whose type is known at the call.
fn known(index: u32) -> u32 {
    let square = Square(index % 50);
    let shape: &dyn Shape2 = &square;
    shape.area() + shape.name().len() as u32
}

fn apply(f: impl Fn(u32) -> u32, value: u32) -> u32 {
    f(value)
}

fn apply_dyn(f: &dyn Fn(u32) -> u32, value: u32) -> u32 {
    f(value)
}

fn twice(value: u32) -> u32 {
    value.wrapping_mul(2)
}

fn pointed(index: u32) -> u32 {
    let function: fn(u32) -> u32 = twice;
    apply(function, index) + apply_dyn(&|v| v ^ index, 77)
}

static WORDS: [&str; 5] = ["", "one", "of", "several", "strings of different lengths"];
static NESTED: [&[&[u16]]; 3] = [&[&[1, 2], &[3]], &[], &[&[4, 5, 6], &[], &[7]]];

struct Node {
    value: u32,
    next: Option<&'static Node>,
}
static LAST: Node = Node { value: 5, next: None };
static MIDDLE: Node = Node { value: 70, next: Some(&LAST) };
static FIRST: Node = Node { value: 900, next: Some(&MIDDLE) };

fn tables(index: u32) -> u32 {
    let word = WORDS[index as usize % WORDS.len()];
    let mut sum = word.bytes().fold(0u32, |sum, b| sum.wrapping_mul(31).wrapping_add(u32::from(b)));
    sum += NESTED[index as usize % 3].iter().flat_map(|s| s.iter()).map(|n| u32::from(*n)).sum::<u32>();
    let mut node = Some(&FIRST);
    while let Some(n) = node {
        sum = sum.wrapping_add(n.value.wrapping_mul(index | 1));
        node = n.next;
    }
    sum
}

fn matched(index: u32) -> u32 {
    let name = match index % 11 {
        0 => "zero",
        1 => "a",
        2 => "couple",
        3..=5 => "few",
        6 => "half a dozen",
        7 => "lucky",
        9 => "cat",
        _ => "many",
    };
    let number = match name {
        "zero" => 0,
        "few" => 40,
        "lucky" => 777,
        "many" => 10_000,
        other => other.len() as u32 * 3,
    };
    let factor = match (index / 11) % 7 {
        0 => 3,
        1 => 1,
        2 => 4,
        3 => 15,
        4 => 9,
        5 => 26,
        _ => 5,
    };
    number * factor
}

enum Value {
    Small(u8),
    Pair(u32, u32),
    Long([u64; 6]),
    Text(&'static str),
}

fn enumerated(index: u32) -> u32 {
    let value = match index % 4 {
        0 => Value::Small(index as u8),
        1 => Value::Pair(index, index / 2),
        2 => Value::Long([u64::from(index), 1, 2, 3, 5, 8]),
        _ => Value::Text(WORDS[index as usize / 4 % 5]),
    };
    match std::hint::black_box(value) {
        Value::Small(n) => n.into(),
        Value::Pair(a, b) => a.wrapping_sub(b),
        Value::Long(all) => all.iter().sum::<u64>() as u32,
        Value::Text(text) => text.len() as u32,
    }
}

fn all(index: u32) -> u32 {
    let parts = [known(index), pointed(index), tables(index), matched(index), enumerated(index)];
    parts.iter().fold(1u32, |sum, part| sum.wrapping_mul(1_000_003) ^ part) ^ Strip { long: index % 9, wide: 3 }.area()
}

extern "C" fn calls(count: u32, out: *mut u32) {
    let index = offload::global_id_x();
    if index < count {
        unsafe { *out.add(index as usize) = all(index) }
    }
}

extern "C" {
    fn __offload_function(function: *const ()) -> u64;
    fn __offload_function_pointer(number: u64) -> *const ();
}

/// The only function with a number. Another object could have one of the type that `numbered` calls.
#[inline(never)]
extern "C" fn of_two(x: u64, y: u32) -> u32 {
    (x / u64::from(offload::thread_id_x())) as u32 + y
}

extern "C" fn numbered(number: u64, out: *mut u32) {
    let function = unsafe { __offload_function_pointer(number) };
    let thread = offload::thread_id_x();
    let value = if function.is_null() {
        thread ^ 5
    } else {
        unsafe { std::mem::transmute::<*const (), extern "C" fn(u32) -> u32>(function)(thread) }
    };
    unsafe { *out.add(thread as usize) = value };
}

fn main() {
    let count = offload::number_argument(1, 1000);
    let device = Device::open();
    let out = device.upload(&vec![0u32; count as usize]);
    device.launch(kernel!(calls), Shape::linear(count, 64), &[argument(&count), argument(&out.as_mut_ptr())]);
    let mut wrong = out.read().iter().enumerate().filter(|(index, value)| **value != all(*index as u32)).count();
    let number = unsafe { __offload_function(of_two as *const ()) } ^ 1;
    let shape = Shape::linear(64, 64);
    device.launch(kernel!(numbered), shape, &[argument(&number), argument(&out.as_mut_ptr())]);
    wrong += (0u32..).zip(out.read()).take(64).filter(|(thread, value)| *value != thread ^ 5).count();
    offload::verdict("calls", &format!("{count} threads"), wrong);
}
