//! Constants that the program sets before its first launch, as `late_const!` of the crate declares them, and a kernel
//! that asks for code for one of its arguments.
//!
//! The arguments are the values of the two constants, or `-` for one that is not set. With a third argument, the second
//! constant is in memory only, as one whose bytes the crate does not pass. With a fourth one, `PLUGIN`, a kernel also
//! calls a function of this plugin. The results are those of the host.

#[path = "../../../examples/contract/common/offload.rs"]
mod offload;

use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_void, CString};
use std::ptr;

use offload::{argument, Device, Kernel, Shape};

extern "C" {
    fn __offload_parameter(offset: u32, size: u32, flags: u32);
    fn __offload_function(function: *const c_void) -> u64;
    fn __offload_function_pointer(number: u64) -> *const c_void;
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
    fn offloadrt_set_late_constant(writer: *const Kernel, value: *const c_void, bytes: usize) -> c_int;
}

/// A static of a device.
#[repr(transparent)]
struct Cell(UnsafeCell<u32>);

// One thread writes it, before any other kernel reads it.
unsafe impl Sync for Cell {}

/// The places of a constant.
trait LatePlace {
    fn value() -> *mut u32;
    fn is_written() -> *mut u32;
}

macro_rules! late {
    ($name:ident = $value:expr) => {
        struct $name;

        impl LatePlace for $name {
            #[inline(always)]
            fn value() -> *mut u32 {
                #[link_section = ".offload.static"]
                static __OFFLOAD_LATE: Cell = Cell(UnsafeCell::new($value));
                __OFFLOAD_LATE.0.get()
            }

            #[inline(always)]
            fn is_written() -> *mut u32 {
                #[link_section = ".offload.static"]
                static __OFFLOAD_IS_WRITTEN: Cell = Cell(UnsafeCell::new(0));
                __OFFLOAD_IS_WRITTEN.0.get()
            }
        }
    };
}

late!(Limit = 4);
late!(Factor = 3);

extern "C" fn set<S: LatePlace>(value: u32) {
    unsafe {
        if S::is_written().read() == 0 {
            S::value().write(value);
            S::is_written().write(1);
        }
    }
}

/// `n` is the value for which code is wanted.
extern "C" fn sum(y: *mut u32, n: u32) {
    unsafe {
        __offload_parameter(8, 4, 1);
        let (limit, factor) = (*Limit::value(), *Factor::value());
        let i = offload::global_id_x();
        *y.add(i as usize) = expected(limit, factor, n, i);
    }
}

#[inline(always)]
fn expected(limit: u32, factor: u32, n: u32, i: u32) -> u32 {
    (0..limit).fold(n, |sum, k| sum.wrapping_mul(factor).wrapping_add(k ^ i))
}

extern "C" fn own(x: u32) -> u32 {
    x ^ 0x5555
}

/// The same with a function of the program or of a plugin.
extern "C" fn apply(y: *mut u32, n: u32, function: u64) {
    unsafe {
        __offload_parameter(8, 4, 1);
        let (limit, factor) = (*Limit::value(), *Factor::value());
        let i = offload::global_id_x();
        let function = std::mem::transmute::<*const c_void, Option<extern "C" fn(u32) -> u32>>(
            __offload_function_pointer(function),
        );
        let x = expected(limit, factor, n, i);
        *y.add(i as usize) = function.map_or(0, |function| function(x));
    }
}

/// Linked launches and variants take turns. A launch that cannot be linked is an error, and the next one continues.
fn with_plugin(device: &Device, path: &str, (limit, factor): (u32, u32), is_told: bool) {
    const NOW: c_int = 2;
    let path = CString::new(path).expect("a path");
    let library = unsafe { dlopen(path.as_ptr(), NOW) };
    let number = unsafe { dlsym(library, c"plugin_number".as_ptr()) };
    let number: extern "C" fn() -> u64 = unsafe { std::mem::transmute(number) };
    let numbers = [unsafe { __offload_function(own as *const c_void) }, number()];
    let memory = device.allocate::<u32>(64);
    let y = memory.as_mut_ptr();
    let of_plugin = |x: u32| x.wrapping_add(10).wrapping_add([10, 1, 2, 3][x as usize % 4]);
    for (which, n) in [(0, 5_u32), (1, 5), (0, 5), (1, 9), (0, 9), (1, 5)] {
        let all = [argument(&y), argument(&n), argument(&numbers[which])];
        let said = device.try_launch(kernel!(apply), Shape::linear(64, 32), &all);
        if which == 1 && !is_told {
            let said = said.expect_err("its object has a static");
            assert!(said.contains("kernels of its object write statics, and each image has its own copy"), "{said}");
            continue;
        }
        said.expect("it is launched");
        let right = |i: u32| {
            if which == 0 {
                own(expected(limit, factor, n, i))
            } else {
                of_plugin(expected(limit, factor, n, i))
            }
        };
        assert!((0..).zip(memory.read()).all(|(i, y)| y == right(i)), "apply {which} {n}");
    }
    assert_eq!(unsafe { dlclose(library) }, 0);
    device.launch(kernel!(apply), Shape::linear(64, 32), &[argument(&y), argument(&5_u32), argument(&numbers[1])]);
    assert!(memory.read().iter().all(|y| *y == 0));
}

fn tell(writer: *const Kernel, value: Option<u32>) -> c_int {
    let address = value.as_ref().map_or(ptr::null(), |value| (value as *const u32).cast());
    unsafe { offloadrt_set_late_constant(writer, address, 4) }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let value = |place: usize| words.get(place).and_then(|word| word.parse::<u32>().ok());
    let is_told = words.get(2).is_none_or(|word| word != "memory");
    let set = [(kernel!(set::<Limit>), value(0), true), (kernel!(set::<Factor>), value(1), is_told)];
    let device = Device::open();
    for (writer, value, is_told) in set {
        if value.is_some() {
            // The last value before the first launch counts.
            assert!(!is_told || tell(writer, Some(77)) == 0);
            assert_eq!(tell(writer, value.filter(|_| is_told)), 0);
        }
    }
    for (writer, value, _) in set {
        if let Some(value) = value {
            device.launch(writer, Shape::linear(1, 1), &[argument(&value)]);
        }
    }
    let (limit, factor) = (value(0).unwrap_or(4), value(1).unwrap_or(3));
    let memory = device.allocate::<u32>(64);
    let y = memory.as_mut_ptr();
    for n in [5_u32, 5, 9, 5] {
        device.launch(kernel!(sum), Shape::linear(64, 32), &[argument(&y), argument(&n)]);
        assert!((0..).zip(memory.read()).all(|(i, y)| y == expected(limit, factor, n, i)), "sum {n}");
    }
    if let Some(path) = words.get(3) {
        with_plugin(&device, path, (limit, factor), is_told);
    }
    // The same value again is no change, and another one is refused once code with the value may exist.
    let [(writer, value, _), _] = set;
    let (same, other) = (value.map(|value| tell(writer, Some(value))), tell(writer, Some(78)));
    println!("{limit} {factor}: right; again {same:?}, another {other}");
}
