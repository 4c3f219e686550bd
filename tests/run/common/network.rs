//! A network whose threads exchange elements at distances that are powers of two, and comparisons of such places.

use crate::kernel;
use crate::offload::{self, argument, Device, Shape};

#[unsafe(link_section = ".offload.shared")]
static mut TILE: [u32; 64] = [0; 64];

fn distances(threads: u32) -> impl Iterator<Item = u32> {
    (0..).map(|exponent| 1 << exponent).take_while(move |distance| threads % distance == 0)
}

fn crossed(a: u32, b: u32) -> (u32, u32) {
    (a.min(b).wrapping_mul(3), a.max(b) ^ a)
}

/// Steps of a network, and exchanges among neighbours: elements that groups of threads access in other orders.
extern "C" fn network(steps: u32, out: *mut u32) {
    let (x, y, width) = (offload::thread_id_x() as usize, offload::thread_id_y() as usize, offload::block_dim_x());
    let (t, threads) = (y * width as usize + x, width * offload::block_dim_y());
    unsafe {
        for i in [t, t + threads as usize] {
            TILE[i] = (i as u32).wrapping_mul(2_654_435_761) >> 3;
        }
        let (mut own, mut distance) = (0u32, 1);
        offload::sync_threads();
        for _ in 0..steps {
            let low = 2 * t - (t & (distance - 1));
            let (a, b) = crossed(TILE[low], TILE[low + distance]);
            TILE[low] = a;
            TILE[low + distance] = b;
            offload::sync_threads();
            own = own.wrapping_mul(5).wrapping_add(TILE[t ^ 1] ^ TILE[t ^ 3] << 1 ^ TILE[2 * t + 1] << 2);
            distance *= 2;
            offload::sync_threads();
        }
        *out.add(t) = own;
        *out.add(t + threads as usize) = TILE[t] ^ TILE[t + threads as usize] << 1;
    }
}

fn expected_network(threads: usize) -> Vec<u32> {
    let mut tile: Vec<u32> = (0..2 * threads as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 3).collect();
    let mut own = vec![0u32; threads];
    for distance in distances(threads as u32).map(|distance| distance as usize) {
        for low in (0..2 * threads).filter(|low| low & distance == 0) {
            (tile[low], tile[low + distance]) = crossed(tile[low], tile[low + distance]);
        }
        for (t, own) in own.iter_mut().enumerate() {
            *own = own.wrapping_mul(5).wrapping_add(tile[t ^ 1] ^ tile[t ^ 3] << 1 ^ tile[2 * t + 1] << 2);
        }
    }
    own.extend((0..threads).map(|t| tile[t] ^ tile[t + threads] << 1));
    own
}

/// Places that fall from thread to thread, and rise again, below a bound; and places of distance 2, of which one is
/// treated in another way.
extern "C" fn places(bound: u32, wanted: u32, x: *const u32, out: *mut u32) {
    let i = offload::global_id_x();
    let (low, mut sum) = (2 * i - (i & 1), 5);
    unsafe {
        if (i ^ 3) < bound {
            sum = *x.add((i ^ 3) as usize);
        }
        let value = *x.add(low as usize);
        *out.add(i as usize) = if low == wanted { again(sum, value) } else { sum }.wrapping_add(value);
    }
}

fn again(sum: u32, value: u32) -> u32 {
    (1..value % 5 + 4).rev().fold(sum, |sum, left| sum.wrapping_mul(7) ^ left)
}

fn wrong_places(device: &Device) -> usize {
    const THREADS: u32 = 64;
    let x: Vec<u32> = (0..2 * THREADS).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let (on_x, out) = (device.upload(&x), device.upload(&[0u32; THREADS as usize]));
    let (from, to) = (on_x.as_ptr(), out.as_mut_ptr());
    let expected = |i: u32, bound: u32, wanted: u32| {
        let low = 2 * i - (i & 1);
        let (sum, value) = (if i ^ 3 < bound { x[(i ^ 3) as usize] } else { 5 }, x[low as usize]);
        if low == wanted { again(sum, value) } else { sum }.wrapping_add(value)
    };
    let wrong = |(bound, wanted): (u32, u32)| {
        let arguments = [argument(&bound), argument(&wanted), argument(&from), argument(&to)];
        device.launch(kernel!(places), Shape::linear(THREADS, 32), &arguments);
        (0..THREADS).zip(out.read()).filter(|(i, got)| expected(*i, bound, wanted) != *got).count()
    };
    [(64, 9), (6, 12), (13, 1), (30, 4), (0, 1000)].into_iter().map(wrong).sum()
}

/// The number of wrong results, in blocks of several shapes.
pub fn wrong(device: &Device) -> usize {
    let wrong = |block: [u32; 3]| {
        let threads = (block[0] * block[1]) as usize;
        let (out, grid) = (device.upload(&vec![0u32; 2 * threads]), [1, 1, 1]);
        let (steps, at) = (distances(threads as u32).count() as u32, out.as_mut_ptr());
        device.launch(kernel!(network), Shape { grid, block, shared_bytes: 0 }, &[argument(&steps), argument(&at)]);
        out.read().iter().zip(expected_network(threads)).filter(|(a, b)| *a != b).count()
    };
    [[32, 1, 1], [8, 4, 1], [12, 2, 1], [20, 1, 1], [4, 2, 1]].into_iter().map(wrong).sum::<usize>()
        + wrong_places(device)
}
