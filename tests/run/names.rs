//! The program's own functions with names that end like those of Rust's library, or begin like them: its allocator, its
//! panics, C's functions, and the device contract. All are called, and none is taken for another.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// The types are those of the functions whose names these are.
mod own {
    #[inline(never)]
    pub fn __rust_alloc(size: usize, align: usize) -> *mut u8 {
        (2 * size + align) as *mut u8
    }
    #[inline(never)]
    pub fn __rust_alloc_zeroed(size: usize, align: usize) -> *mut u8 {
        (3 * size + align) as *mut u8
    }
    #[inline(never)]
    pub fn __rust_realloc(pointer: *mut u8, size: usize, align: usize, new: usize) -> *mut u8 {
        (pointer as usize + 4 * size + align + new) as *mut u8
    }
    #[inline(never)]
    pub fn __rust_dealloc(pointer: *mut u8, size: usize, align: usize) {
        unsafe { *pointer.cast::<usize>() = size + align };
    }
    #[inline(never)]
    pub fn __rdl_alloc(size: usize, align: usize) -> *mut u8 {
        (5 * size + align) as *mut u8
    }
    #[inline(never)]
    pub fn sinf(x: f32) -> f32 {
        x + 10.0
    }
    #[inline(never)]
    pub fn malloc(size: usize) -> *mut u8 {
        (6 * size) as *mut u8
    }
    #[inline(never)]
    pub fn __offload_lane_id() -> u32 {
        77
    }
    pub mod __rustc {
        #[inline(never)]
        pub fn __rust_alloc(size: usize, align: usize) -> *mut u8 {
            (7 * size + align) as *mut u8
        }
    }
    pub mod core {
        pub mod panicking {
            #[inline(never)]
            pub fn panic(text: &str) -> u64 {
                text.len() as u64
            }
        }
    }
}

/// Its path begins with that of the type, which is one of `core`.
trait Part {
    fn unwrap_failed(self) -> u64;
    fn stop(self) -> !;
}

impl Part for Option<u32> {
    #[inline(never)]
    fn unwrap_failed(self) -> u64 {
        u64::from(self.unwrap_or(3)) + 1
    }
    #[inline(never)]
    fn stop(self) -> ! {
        panic!("stopped by its own function")
    }
}

fn all(i: u32) -> u64 {
    let n = 100 + i as usize;
    match i {
        0 => own::__rust_alloc(n, 8) as u64,
        1 => own::__rust_alloc_zeroed(n, 8) as u64,
        2 => own::__rust_realloc(n as *mut u8, n, 8, 1) as u64,
        3 => own::__rdl_alloc(n, 8) as u64,
        4 => own::sinf(n as f32) as u64,
        5 => own::malloc(n) as u64,
        6 => u64::from(own::__offload_lane_id()),
        7 => own::__rustc::__rust_alloc(n, 8) as u64,
        8 => own::core::panicking::panic(&"nine text"[..i as usize]),
        9 => Some(i).filter(|i| *i > 9).unwrap_failed(),
        _ => {
            let mut freed = n;
            own::__rust_dealloc((&raw mut freed).cast(), n, 8);
            freed as u64
        }
    }
}

kernels! {
    call: all,
}

extern "C" fn stop(out: *mut u64) {
    unsafe { *out = 1 };
    Some(offload::global_id_x()).stop()
}

fn main() {
    let device = Device::open();
    let out = device.allocate::<u64>(11);
    let shape = Shape::linear(11, 11);
    device.launch(handles()[0], shape, &[argument(&out.as_mut_ptr())]);
    let mut wrong = (0..11).filter(|&i| out.read()[i as usize] != FUNCTIONS[0](i)).count();
    let said = device.try_launch(kernel!(stop), Shape::linear(1, 1), &[argument(&out.as_mut_ptr())]);
    if !said.as_ref().is_err_and(|text| text.contains("stopped by its own function") && text.contains("names.rs:")) {
        println!("{said:?}");
        wrong += 1;
    }
    offload::verdict("names", "functions with names of others", wrong);
}
