//! Copies of whole values: of 16, 32, 48 and 28 bytes, with all alignments of such types, with padding, through
//! locals, by slices, onto themselves and to overlapping memory.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use core::mem::{align_of, size_of};
use offload::{argument, Device, Shape};

/// A value that is made from a number, and a number that distinguishes it from others.
trait Words: Copy + Default {
    fn of(first: u32) -> Self;
    fn sum(&self) -> u64;
}

macro_rules! types {
    ($($name:ident: $align:literal, $count:literal;)*) => {$(
        #[derive(Clone, Copy, Default)]
        #[repr(C, align($align))]
        struct $name([u32; $count]);

        impl Words for $name {
            fn of(first: u32) -> Self {
                $name(core::array::from_fn(|i| first.wrapping_mul(2_654_435_761).rotate_left(i as u32) + i as u32))
            }
            fn sum(&self) -> u64 {
                self.0.iter().fold(0, |sum, word| sum * 31 % 0xffff_fff1 + u64::from(*word))
            }
        }
    )*};
}

types! {
    Four4: 4, 4;
    Four8: 8, 4;
    Four16: 16, 4;
    Seven4: 4, 7;
    Eight16: 16, 8;
    Twelve4: 4, 12;
    Twelve8: 8, 12;
    Twelve16: 16, 12;
    Sixteen16: 16, 16;
    TwentyFour16: 16, 24;
}

/// Bytes between its fields belong to no field.
#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
struct Padded {
    byte: u8,
    word: u32,
    short: u16,
    wide: u64,
    last: u8,
}

impl Words for Padded {
    fn of(first: u32) -> Self {
        Padded { byte: first as u8, word: !first, short: first as u16 ^ 5, wide: u64::from(first) << 20, last: 9 }
    }
    fn sum(&self) -> u64 {
        u64::from(self.byte) + u64::from(self.word) * 3 + u64::from(self.short) * 7 + self.wide + u64::from(self.last)
    }
}

/// The work of a thread: it writes its four values of `to`, from those of `from`.
///
/// # Safety
///
/// `to` and `from` point to four values for each thread; `from` may be `to`.
unsafe fn work<T: Words>(to: *mut T, from: *const T, i: usize) -> u64 {
    let (to, from) = (to.add(4 * i), from.add(4 * i));
    // Values that may be at the same place are moved; a value that is loaded and stored is copied.
    core::ptr::copy(from, to, 1);
    let value = *from.add(1);
    *to.add(2) = value;
    let own = core::slice::from_raw_parts_mut(to, 4);
    let (left, right) = own.split_at_mut(2);
    right[1..].copy_from_slice(&left[..1]);
    let mut local = [T::of(1), T::of(2), T::of(3)];
    local[i % 3] = own[2];
    own[1] = local[(i + 1) % 3];
    own.copy_within(0..2 + i % 2, 1);
    own.iter().fold(0, |sum, value| sum * 17 % 0xffff_fff1 + value.sum())
}

macro_rules! kernels {
    ($($kernel:ident: $ty:ident,)*) => {
        $(extern "C" fn $kernel(to: *mut $ty, from: *const $ty, out: *mut u64) {
            let i = offload::global_id_x() as usize;
            unsafe { *out.add(i) = work(to, from, i) }
        })*

        /// How many types there are, and how many threads were wrong.
        fn run(device: &Device) -> (usize, usize) {
            let wrong = [$(check::<$ty>(device, unsafe { offload::__offload_kernel($kernel as *const ()) }),)*];
            (wrong.len(), wrong.iter().sum())
        }
    };
}

kernels! {
    four4: Four4,
    four8: Four8,
    four16: Four16,
    seven4: Seven4,
    eight16: Eight16,
    twelve4: Twelve4,
    twelve8: Twelve8,
    twelve16: Twelve16,
    sixteen16: Sixteen16,
    twenty_four16: TwentyFour16,
    padded: Padded,
}

/// Runs a kernel from one buffer to another, and from a buffer onto itself; how many threads were wrong.
fn check<T: Words>(device: &Device, handle: *const offload::Kernel) -> usize {
    const THREADS: usize = 24;
    let values = |seed: u32| -> Vec<T> { (0..4 * THREADS as u32).map(|i| T::of(seed + i)).collect() };
    let out = device.allocate::<u64>(THREADS);
    let mut wrong = 0;
    for same in [false, true] {
        let (mut to, from) = (values(100), values(7000));
        let (on_device, source) = (device.upload(&to), device.upload(&from));
        let (x, y) = (if same { on_device.as_ptr() } else { source.as_ptr() }, on_device.as_mut_ptr());
        let z = out.as_mut_ptr();
        device.launch(handle, Shape::linear(THREADS as u32, 8), &[argument(&y), argument(&x), argument(&z)]);
        let found = out.read();
        let copied = on_device.read();
        let start = to.as_mut_ptr();
        let first = if same { start.cast_const() } else { from.as_ptr() };
        for i in 0..THREADS {
            let sum = unsafe { work(start, first, i) };
            let place = |values: &[T]| values[4 * i..4 * i + 4].iter().map(T::sum).collect::<Vec<_>>();
            if found[i] != sum || place(&copied) != place(unsafe { core::slice::from_raw_parts(start, 4 * THREADS) }) {
                wrong += 1;
            }
        }
    }
    if wrong != 0 {
        println!("{wrong} wrong with {} bytes aligned to {}", size_of::<T>(), align_of::<T>());
    }
    wrong
}

fn main() {
    let device = Device::open();
    let (kinds, wrong) = run(&device);
    offload::verdict("copies", &format!("{kinds} types"), wrong);
}
