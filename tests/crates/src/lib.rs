//! Code that the programs share: kernels of one form, and the comparison of each with the same call on the host.
//!
//! A part is a function of the thread's number that returns 64 bits. It is executed in a kernel for every number below
//! `THREADS`, and then on the host.

#[path = "../../../examples/contract/common/offload.rs"]
pub mod offload;

use offload::{argument, Device, Kernel, Shape};

const THREADS: u32 = 128;
/// The heap of all threads of a launch together.
const HEAP_BYTES: u64 = 4 << 20;

/// A function of the corpus: its name, its kernel's handle and itself.
pub type Part = (&'static str, *const Kernel, fn(u32) -> u64);

/// The program: a kernel for each of these functions, and the `main` that runs them all.
#[macro_export]
macro_rules! parts {
    ($($part:ident),* $(,)?) => {
        mod kernels {
            $(pub extern "C" fn $part(out: *mut u64) {
                let i = $crate::offload::global_id_x();
                unsafe { *out.add(i as usize) = super::$part(i) }
            })*
        }

        fn main() {
            $crate::check(env!("CARGO_BIN_NAME"), &[
                $((stringify!($part), $crate::kernel!(kernels::$part), $part as fn(u32) -> u64)),*
            ]);
        }
    };
}

/// Runs every part on the device and on the host; ends the program with status 1 where they differ.
pub fn check(program: &str, parts: &[Part]) {
    let device = Device::open();
    let out = device.allocate::<u64>(THREADS as usize);
    let mut wrong = 0;
    for (name, kernel, part) in parts {
        let (shape, address) = (Shape::linear(THREADS, 64), out.as_mut_ptr());
        if let Err(error) = device.try_launch_with_heap(*kernel, shape, HEAP_BYTES, &[argument(&address)]) {
            println!("{name}: {error}");
        }
        let pairs = (0..THREADS).zip(out.read()).map(|(i, found)| (i, found, part(i)));
        let different: Vec<_> = pairs.filter(|(_, found, wanted)| found != wanted).collect();
        if let Some((i, found, wanted)) = different.first() {
            println!("{name}: {} wrong, such as {found:#x} for {wanted:#x} in thread {i}", different.len());
            wrong += 1;
        }
    }
    offload::verdict(program, &format!("{} parts", parts.len()), wrong);
}

/// Takes `value` into a sum that depends on the order.
pub fn mix(sum: u64, value: u64) -> u64 {
    (sum ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// A sum of all values that depends on their order.
pub fn mixed<T: Into<u64>>(values: impl IntoIterator<Item = T>) -> u64 {
    values.into_iter().fold(7, |sum, value| mix(sum, value.into()))
}

/// Numbers that follow from a thread's own.
#[derive(Clone)]
pub struct Numbers(u64);

impl Numbers {
    pub fn new(i: u32) -> Numbers {
        Numbers((u64::from(i) + 1).wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    #[allow(clippy::should_implement_trait, reason = "there is always one more")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From -`limit` to `limit`.
    pub fn double(&mut self, limit: f64) -> f64 {
        ((self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * limit
    }

    /// From -`limit` to `limit`.
    pub fn float(&mut self, limit: f32) -> f32 {
        ((self.next() >> 40) as f32 / (1u32 << 23) as f32 - 1.0) * limit
    }
}
