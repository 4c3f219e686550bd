//! Functions with pairs, wide integers and launch-sized shared memory as parameters and results, each called twice by
//! the previous one, so that the code of a device would be too large if all were inlined.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 32;

/// Where a thread counts its calls.
trait Count {
    fn count(&self);
}

struct InShared;

impl Count for InShared {
    #[inline(never)]
    fn count(&self) {
        let counts = offload::dynamic_shared::<u64>();
        unsafe { *counts.add(offload::thread_id_x() as usize) += 1 }
    }
}

impl Count for std::cell::Cell<u64> {
    fn count(&self) {
        self.set(self.get() + 1);
    }
}

#[inline(never)]
fn leaf<C: Count>((a, b): (u64, u64), wide: u128, count: &C) -> (u64, u64) {
    count.count();
    if a > u64::MAX - 3 {
        panic!("too large");
    }
    (b.rotate_left(7) ^ wide as u64, a.wrapping_mul(3) + (wide >> 64) as u64 % 5)
}

macro_rules! levels {
    ($below:ident; $($name:ident)*) => { levels!(@ $below; $($name)*); };
    (@ $below:ident; $name:ident $($more:ident)*) => {
        #[inline(never)]
        fn $name<C: Count>(pair: (u64, u64), wide: u128, count: &C) -> (u64, u64) {
            let wide = wide.wrapping_mul(0x1234_5678_9abc_def1_2345_6789) + pair.1 as u128;
            let (a, b) = $below((pair.0 % (1 << 40), pair.1), wide, count);
            let (c, d) = $below((b % (1 << 40), a), wide ^ pair.0 as u128, count);
            (a ^ d, b.wrapping_add(c))
        }
        levels!(@ $name; $($more)*);
    };
    (@ $below:ident;) => {
        fn top<C: Count>(pair: (u64, u64), wide: u128, count: &C) -> (u64, u64) {
            $below(pair, wide, count)
        }
    };
}

levels!(leaf; l1 l2 l3 l4 l5 l6 l7 l8 l9 l10 l11 l12 l13 l14 l15 l16);

extern "C" fn pairs(out: *mut [u64; 3]) {
    let i = offload::thread_id_x() as usize;
    let counts = offload::dynamic_shared::<u64>();
    unsafe {
        *counts.add(i) = 0;
        let (a, b) = top((i as u64, 5), i as u128 + (9 << 70), &InShared);
        *out.add(i) = [a, b, *counts.add(i)];
    }
}

fn expected(i: usize) -> [u64; 3] {
    let count = std::cell::Cell::new(0);
    let (a, b) = top((i as u64, 5), i as u128 + (9 << 70), &count);
    [a, b, count.get()]
}

fn main() {
    let device = Device::open();
    let out = device.upload(&[[0u64; 3]; THREADS]);
    let shape = Shape { grid: [1, 1, 1], block: [THREADS as u32, 1, 1], shared_bytes: 8 * THREADS as u32 };
    device.launch(kernel!(pairs), shape, &[argument(&out.as_mut_ptr())]);
    let wrong = out.read().iter().enumerate().filter(|(i, got)| **got != expected(*i)).count();
    offload::verdict("pairs", &format!("{THREADS} threads"), wrong);
}
