//! Threads that a processor executes in vectors: branches on which neighbours agree or not, values that branches and
//! loops hand on, elements of all sizes, locals, panics on one path only, and blocks that are no multiple of a vector.

#[path = "common/arrays.rs"]
mod arrays;
#[path = "common/network.rs"]
mod network;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;
#[path = "common/overwritten.rs"]
mod overwritten;
#[path = "common/runs.rs"]
mod runs;
#[path = "common/scattered.rs"]
mod scattered;

use offload::{argument, Device, Shape};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const BLOCK: usize = 64;

#[unsafe(link_section = ".offload.shared")]
static mut TILE: [u32; BLOCK + 1] = [0; BLOCK + 1];
#[unsafe(link_section = ".offload.shared")]
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Both paths compute values for after the branch, and one of them has a loop.
fn joined(i: u32, x: &[u32]) -> u32 {
    let (mut a, mut b) = (i * 3, x[i as usize]);
    if b % 3 == 0 {
        let mut left = b % 7;
        while left > 0 {
            a = a.wrapping_mul(5) ^ left;
            left -= 1;
        }
        b ^= a >> 3;
    } else if i % 16 == 5 {
        a = !a;
    } else {
        b = b.wrapping_add(a);
    }
    a.wrapping_add(b.rotate_left(7))
}

/// Threads leave the loop in different iterations, from its middle too, and use values that they have computed in it.
fn left(i: u32, x: &[u32], n: u32) -> u64 {
    let (mut sum, mut k, mut last) = (0u64, i, 0u32);
    while k < n {
        last = x[k as usize];
        if last == 17 {
            return sum ^ u64::from(k) << 32;
        }
        sum += u64::from(last) * u64::from(k + 1);
        k += 37;
    }
    sum + u64::from(last) + u64::from(k)
}

/// Elements of other sizes, and one `bool` for each thread across a branch.
fn sizes(i: usize, bytes: &[u8], halves: &[i16]) -> f64 {
    let odd = bytes[i] & 1 != 0;
    let mut sum = f64::from(halves[i]) / 8.0;
    if bytes[i] > 200 {
        sum -= f64::from(bytes[i]);
    }
    if odd {
        sum.sqrt().max(-1.0)
    } else {
        sum * sum
    }
}

#[derive(Clone, Copy)]
struct Pair {
    key: u16,
    value: f32,
}

/// A local array, structs with a large stride, and an index from memory.
fn apart(i: usize, pairs: &[Pair], x: &[u32]) -> f32 {
    let mut own = [0f32; 5];
    for (k, place) in own.iter_mut().enumerate() {
        let pair = pairs[(x[i] as usize + k) % pairs.len()];
        *place = if pair.key as usize % 5 == k { pair.value } else { -pair.value };
    }
    own[i % 5] + own[(i + 2) % 5] * 0.5
}

/// Downwards, and against the order of the threads.
fn backwards(i: usize, x: &[u32], n: usize) -> u32 {
    let mut sum = 0u32;
    let mut k = n - 1 - i;
    loop {
        sum = sum.wrapping_mul(3).wrapping_add(x[k]);
        if k < 50 {
            return sum;
        }
        k -= 50;
    }
}

/// Numbers that wrap around between neighbours, in both orders.
fn wrapped(i: u32, x: &[u32]) -> u32 {
    let middle = x.len() as u32 / 2 | 3;
    let (below, over) = (i.wrapping_sub(middle), (i as i32).wrapping_add(i32::MAX - middle as i32));
    let mut sum = x[i as usize];
    if below < 5 {
        let mut left = below + sum % 3;
        while left > 0 {
            sum = sum.wrapping_mul(31) ^ left;
            left -= 1;
        }
    }
    if over > 9 {
        sum ^= x[(sum as usize) % x.len()] >> 3;
    } else {
        sum = !sum;
    }
    sum
}

const TABLE: [u32; 3] = [7, 1 << 31, 9];

/// Branches on data without loops: divisions and loads that are only valid on one side, a small table, a call, a panic
/// that no thread comes to, and conversions of all numbers.
fn masked(i: usize, x: &[u32], halves: &[i16]) -> u64 {
    let (mut a, b) = (x[i], x[x.len() - 1 - i]);
    let mut at = 0;
    if b % 5 != 0 {
        a = a / (b % 5) + b % (a % 3 + 1);
        if a % 7 > 3 {
            // A thread whose number is too large for the array is not here.
            at = if b & 1 == 0 { i / 2 } else { x.len() - 1 };
            a ^= x[at].wrapping_add(TABLE[at % 3]);
        }
    } else if a > b {
        let half = f32::from(halves[i]);
        a = (half * 3e5) as i32 as u32 ^ (f64::from(half) * 1e6) as i32 as u32 ^ (half.sqrt() * 1e9) as i32 as u32;
    } else {
        a = a.wrapping_mul(b).rotate_left(3);
    }
    let far = if a % 4 == 1 { (i as i64 - 40) as usize } else { 0 };
    let value = if far < x.len() { x[far] } else { 3 };
    if value % 2 == 0 && a & 8 != 0 {
        at += value.trailing_zeros() as usize;
    }
    u64::from(a) << 20 ^ (at as u64) << 8 ^ u64::from(value)
}

/// A function that is called twice: with an array that a loop fills, a loop that threads leave early, and divisions.
fn weighed(x: u32) -> u64 {
    let weights = TABLE.map(|weight| u64::from(weight / 3) + 1);
    let mut sum = u64::from(x) * weights[0] % (weights[1] + u64::from(x));
    let mut left = x % 11;
    while left > 2 {
        sum = (sum / weights[2]).rotate_left(left) ^ weights[0];
        if sum % 13 == 5 {
            return sum;
        }
        left -= 3;
    }
    if x & 16 != 0 {
        return !sum;
    }
    sum.wrapping_mul(weights[1])
}

/// A branch on data leads back to the start of the loop, and its other side uses the counter of the round before.
fn resumed(i: u32, x: &[u32]) -> u32 {
    let (mut own, mut k) = (i, i as usize % 16);
    let mut left = x.len().saturating_sub(k) / 7;
    loop {
        if left == 0 || k > 300 {
            return own;
        }
        left -= 1;
        let at = k;
        k += 7;
        if at % 16 % 3 == 0 {
            continue;
        }
        own = x[at] ^ own << 1;
    }
}

fn host(i: u32, x: &[u32], bytes: &[u8], halves: &[i16], pairs: &[Pair]) -> [u64; 7] {
    let at = i as usize;
    [
        u64::from(joined(i, x)),
        left(i, x, x.len() as u32),
        sizes(at, bytes, halves).to_bits(),
        u64::from(apart(at, pairs, x).to_bits()),
        u64::from(backwards(at, x, x.len())),
        u64::from(wrapped(i, x)),
        u64::from(resumed(i, x)),
    ]
}

extern "C" fn masks(n: u32, x: *const u32, halves: *const i16, out: *mut u64) {
    let (i, n) = (offload::global_id_x() as usize, n as usize);
    if i < n {
        let (x, halves) = unsafe { (std::slice::from_raw_parts(x, n), std::slice::from_raw_parts(halves, n)) };
        let value = masked(i, x, halves) ^ weighed(x[i]).wrapping_add(weighed(x[n - 1 - i]));
        // Other threads leave their element as it is.
        if value % 3 != 0 {
            unsafe { *out.add(i) = value };
        }
    }
}

extern "C" fn alone(
    n: u32,
    x: *const u32,
    bytes: *const u8,
    halves: *const i16,
    pairs: *const Pair,
    out: *mut [u64; 7],
) {
    let (i, n) = (offload::global_id_x(), n as usize);
    if i as usize >= n {
        return;
    }
    let (x, bytes) = unsafe { (std::slice::from_raw_parts(x, n), std::slice::from_raw_parts(bytes, n)) };
    let (halves, pairs) = unsafe { (std::slice::from_raw_parts(halves, n), std::slice::from_raw_parts(pairs, n)) };
    unsafe { *out.add(i as usize) = host(i, x, bytes, halves, pairs) };
}

/// Values across barriers: uniform, linear and others, with a loop around the barriers and counts in shared memory.
extern "C" fn together(n: u32, rounds: u32, x: *const u32, out: *mut u32) {
    let (t, i) = (offload::thread_id_x() as usize, offload::global_id_x() as usize);
    let has_element = i < n as usize;
    let mut own = if has_element { unsafe { *x.add(i) } } else { 0 };
    if t == 0 {
        COUNT.store(0, Relaxed);
    }
    let mut distance = 1;
    for round in 0..rounds {
        unsafe { TILE[t] = own };
        offload::sync_threads();
        let other = if t >= distance { unsafe { TILE[t - distance] } } else { round };
        if own % 4 == round % 4 {
            COUNT.fetch_add(1 + other % 2, Relaxed);
        }
        offload::sync_threads();
        own = own.wrapping_mul(3).wrapping_add(other);
        distance = if distance < 16 { distance * 2 } else { 1 };
    }
    if has_element {
        unsafe { *out.add(i) = own ^ COUNT.load(Relaxed) << 8 };
    }
}

fn expected_together(n: usize, rounds: u32, x: &[u32], block: usize) -> Vec<u32> {
    let mut results = Vec::new();
    for first in (0..n.next_multiple_of(block)).step_by(block) {
        let mut own: Vec<u32> = (first..first + block).map(|i| x.get(i).copied().unwrap_or(0)).collect();
        let (mut count, mut distance) = (0u32, 1);
        for round in 0..rounds {
            let before = own.clone();
            for t in 0..block {
                let other = if t >= distance { before[t - distance] } else { round };
                if before[t] % 4 == round % 4 {
                    count += 1 + other % 2;
                }
                own[t] = before[t].wrapping_mul(3).wrapping_add(other);
            }
            distance = if distance < 16 { distance * 2 } else { 1 };
        }
        results.extend(own.into_iter().map(|own| own ^ count << 8));
    }
    results.truncate(n);
    results
}

/// Threads take different paths to a barrier: one changes an index, and they leave a loop in different iterations. The
/// values of these paths are used after the barrier.
extern "C" fn paths(n: u32, x: *const u32, out: *mut u32) {
    let (t, block) = (offload::thread_id_x(), offload::block_dim_x());
    let i = offload::global_id_x();
    let x = unsafe { std::slice::from_raw_parts(x, n as usize) };
    let (mut at, mut left, mut rounds) = (i, t, 0);
    if i < n && x[i as usize] % 3 == 0 {
        at += 2;
    }
    while left % 5 != 0 {
        left += 1;
        rounds = left * 2;
    }
    unsafe { TILE[t as usize] = at };
    offload::sync_threads();
    let next = unsafe { TILE[((t + 1) % block) as usize] };
    let value = x[(at as usize).min(x.len() - 1)] ^ x[(left as usize).min(x.len() - 1)];
    offload::sync_threads();
    if i < n {
        unsafe { *out.add(i as usize) = value.wrapping_mul(7) ^ next << 9 ^ left ^ rounds << 20 };
    }
}

fn expected_paths(i: u32, x: &[u32], block: u32) -> u32 {
    let moved = |i: u32| if x.get(i as usize).is_some_and(|x| x % 3 == 0) { i + 2 } else { i };
    let (t, at) = (i % block, moved(i));
    let left = t.next_multiple_of(5);
    let next = moved(i - t + (t + 1) % block);
    let element = |at: u32| x[(at as usize).min(x.len() - 1)];
    let rounds = if left == t { 0 } else { left * 2 };
    (element(at) ^ element(left)).wrapping_mul(7) ^ next << 9 ^ left ^ rounds << 20
}

/// A value that some threads change in one round of a loop, and use in the next one.
fn changed(t: u32, rounds: u32, is_changed: bool, mut store: impl FnMut(u32)) {
    let mut own = t.wrapping_mul(7);
    for round in 0..rounds {
        store(3);
        if 1 < t.wrapping_sub(round) && is_changed {
            own = own.wrapping_mul(t);
            store(own);
        }
    }
}

extern "C" fn again(n: u32, rounds: u32, is_changed: u32, out: *mut u32) {
    let i = offload::global_id_x();
    if i < n {
        changed(i, rounds, is_changed == 1, |value| unsafe { *out.add(i as usize) = value });
    }
}

/// The distance of the next round of `bits`: multiples of 8 and others, powers of two and others.
fn next_distance(distance: u32) -> u32 {
    distance * 2 % 61
}

/// The value of a thread after a round of `bits`.
fn mixed(own: u32, t: u32, distance: u32, read: impl Fn(u32) -> u32) -> u32 {
    let mask = distance.wrapping_sub(1);
    let low = (2 * t).wrapping_sub(t & mask);
    let mut sum = own.wrapping_mul(5) ^ read(low);
    sum = sum.wrapping_mul(5).wrapping_add(read(low.wrapping_add(distance)));
    sum = sum.wrapping_mul(5).wrapping_add(read(t ^ distance));
    sum = sum.wrapping_mul(5).wrapping_add(read(t + 3 & mask));
    sum = sum.wrapping_mul(5).wrapping_add(read(t & !mask));
    sum = sum.wrapping_mul(5).wrapping_add(read(t >> 3) ^ read(t & 24) ^ read(t & 31) << 1 ^ read((t & 7) * 8));
    // These are not regular in groups of 8.
    sum = sum.wrapping_mul(5).wrapping_add(read(t ^ 5) ^ read(t & 19) << 1 ^ read(t >> 2) << 2);
    // Whether the order is reversed, as in a sorting network.
    if low & distance << 1 == 0 {
        sum
    } else {
        !sum
    }
}

/// Places of elements that are computed by masks, exclusive ors and shifts. All threads share the distance.
extern "C" fn bits(rounds: u32, first: u32, out: *mut u32) {
    let (x, y, width) = (offload::thread_id_x(), offload::thread_id_y(), offload::block_dim_x());
    let (t, threads) = (y * width + x, width * offload::block_dim_y());
    for i in (t..BLOCK as u32).step_by(threads as usize) {
        unsafe { TILE[i as usize] = i };
    }
    let (mut own, mut distance) = (t, first);
    offload::sync_threads();
    for _ in 0..rounds {
        own = mixed(own, t, distance, |place| unsafe { TILE[place as usize % BLOCK] });
        offload::sync_threads();
        unsafe { TILE[(t ^ distance) as usize % BLOCK] = own };
        offload::sync_threads();
        distance = next_distance(distance);
    }
    unsafe { *out.add(t as usize) = own };
}

fn expected_bits(threads: u32, rounds: u32, first: u32) -> Vec<u32> {
    let mut tile: Vec<u32> = (0..BLOCK as u32).collect();
    let (mut all, mut distance): (Vec<u32>, u32) = ((0..threads).collect(), first);
    for _ in 0..rounds {
        all = (0..threads).map(|t| mixed(all[t as usize], t, distance, |place| tile[place as usize % BLOCK])).collect();
        for t in 0..threads {
            tile[(t ^ distance) as usize % BLOCK] = all[t as usize];
        }
        distance = next_distance(distance);
    }
    all
}

/// The number of wrong results of `bits` in blocks of several shapes, in some of which rows start at any number.
fn wrong_bits(device: &Device) -> usize {
    let mut wrong = 0;
    for (block, first) in [([64, 1, 1], 1), ([8, 8, 1], 3), ([12, 3, 1], 8), ([20, 2, 1], 1), ([7, 1, 1], 16)] {
        let (threads, rounds) = (block[0] * block[1], 24u32);
        let out = device.upload(&vec![0u32; threads as usize]);
        device.launch(
            kernel!(bits),
            Shape { grid: [1, 1, 1], block, shared_bytes: 0 },
            &[argument(&rounds), argument(&first), argument(&out.as_mut_ptr())],
        );
        let expected = expected_bits(threads, rounds, first);
        wrong += out.read().iter().zip(&expected).filter(|(a, b)| a != b).count();
    }
    wrong
}

/// Pairs of places, of which the first is looked at before the second is read.
extern "C" fn looked_up(n: u32, places: *const [u32; 2], x: *const u32, out: *mut u32) {
    let (i, n) = (offload::global_id_x() as usize, n as usize);
    if i < n {
        let (places, x) = unsafe { (std::slice::from_raw_parts(places, n), std::slice::from_raw_parts(x, n)) };
        let first = x[places[i][0] as usize];
        let second = x[places[i][1] as usize];
        unsafe { *out.add(i) = first.wrapping_mul(3) ^ second };
    }
}

fn wrong_lookups(device: &Device, x: &[u32], block: u32) -> usize {
    let n = x.len() as u32;
    let places: Vec<[u32; 2]> = (0..n).map(|i| [i * 31 % n, (i * 17 + 5) % n]).collect();
    let (on_places, on_x, out) = (device.upload(&places), device.upload(x), device.upload(&vec![0u32; x.len()]));
    let (from, values, to) = (on_places.as_ptr(), on_x.as_ptr(), out.as_mut_ptr());
    let arguments = [argument(&n), argument(&from), argument(&values), argument(&to)];
    device.launch(kernel!(looked_up), Shape::linear(n, block), &arguments);
    let expected = places.iter().map(|[a, b]| x[*a as usize].wrapping_mul(3) ^ x[*b as usize]);
    out.read().iter().zip(expected).filter(|(got, expected)| *got != expected).count()
}

/// One thread panics on a path that its neighbours do not take.
extern "C" fn one_panics(n: u32, x: *const u32, out: *mut u32) {
    let i = offload::global_id_x() as usize;
    let x = unsafe { std::slice::from_raw_parts(x, n as usize) };
    let index = if x[i] == 17 { i + n as usize } else { i };
    unsafe { *out.add(i) = x[index] / 2 };
}

fn wrong_paths(device: &Device, x: &[u32], block: u32) -> usize {
    let size = x.len() as u32;
    let (on_x, out) = (device.upload(x), device.upload(&vec![0u32; x.len()]));
    device.launch(
        kernel!(paths),
        Shape::linear(size, block),
        &[argument(&size), argument(&on_x.as_ptr()), argument(&out.as_mut_ptr())],
    );
    (0..size).zip(out.read()).filter(|(i, got)| *got != expected_paths(*i, x, block)).count()
}

fn main() {
    let device = Device::open();
    let mut wrong = wrong_bits(&device) + network::wrong(&device) + scattered::wrong_firsts(&device);
    for n in [5usize, 64, 203, 509] {
        let x: Vec<u32> =
            (0..n as u32).map(|i| if i == 171 { 17 } else { i.wrapping_mul(2_654_435_761) >> 7 }).collect();
        let bytes: Vec<u8> = x.iter().map(|x| (x >> 3) as u8).collect();
        let halves: Vec<i16> = x.iter().map(|x| (x >> 5) as i16).collect();
        let pairs: Vec<Pair> = x.iter().map(|x| Pair { key: *x as u16, value: (x % 1000) as f32 / 8.0 }).collect();
        let (on_x, on_bytes) = (device.upload(&x), device.upload(&bytes));
        let (on_halves, on_pairs) = (device.upload(&halves), device.upload(&pairs));
        let out = device.upload(&vec![[0u64; 7]; n]);
        let size = n as u32;
        for block in [1, 8, 20, BLOCK as u32] {
            device.launch(
                kernel!(alone),
                Shape::linear(size, block),
                &[
                    argument(&size),
                    argument(&on_x.as_ptr()),
                    argument(&on_bytes.as_ptr()),
                    argument(&on_halves.as_ptr()),
                    argument(&on_pairs.as_ptr()),
                    argument(&out.as_mut_ptr()),
                ],
            );
            let results = out.read();
            wrong += (0..n).filter(|&i| results[i] != host(i as u32, &x, &bytes, &halves, &pairs)).count();
            let values = device.upload(&vec![1u64; n]);
            device.launch(
                kernel!(masks),
                Shape::linear(size, block),
                &[
                    argument(&size),
                    argument(&on_x.as_ptr()),
                    argument(&on_halves.as_ptr()),
                    argument(&values.as_mut_ptr()),
                ],
            );
            let value = |i: usize| masked(i, &x, &halves) ^ weighed(x[i]).wrapping_add(weighed(x[n - 1 - i]));
            let expected = |i: usize| Some(value(i)).filter(|value| value % 3 != 0).unwrap_or(1);
            wrong += values.read().iter().enumerate().filter(|(i, value)| **value != expected(*i)).count();
            let (rounds, sums) = (7u32, device.upload(&vec![0u32; n]));
            device.launch(
                kernel!(together),
                Shape::linear(size, block),
                &[argument(&size), argument(&rounds), argument(&on_x.as_ptr()), argument(&sums.as_mut_ptr())],
            );
            let expected = expected_together(n, rounds, &x, block as usize);
            wrong += sums.read().iter().zip(&expected).filter(|(a, b)| a != b).count();
            device.launch(
                kernel!(again),
                Shape::linear(size, block),
                &[argument(&size), argument(&3u32), argument(&1u32), argument(&sums.as_mut_ptr())],
            );
            let last = |i: u32| {
                let mut last = 0;
                changed(i, 3, true, |value| last = value);
                last
            };
            wrong += (0..size).zip(sums.read()).filter(|(i, value)| last(*i) != *value).count();
            wrong += wrong_paths(&device, &x, block)
                + overwritten::wrong(&device, &x, block)
                + scattered::wrong(&device, &x, block)
                + wrong_lookups(&device, &x, block)
                + arrays::wrong(&device, &x, block)
                + if n == 64 { runs::wrong(&device, &x, block) } else { 0 };
        }
        let panics = device.try_launch(
            kernel!(one_panics),
            Shape { grid: [1, 1, 1], block: [n.min(256) as u32, 1, 1], shared_bytes: 0 },
            &[argument(&size), argument(&on_x.as_ptr()), argument(&out.as_mut_ptr().cast::<u32>())],
        );
        let one = panics.err().unwrap_or_default();
        wrong += usize::from((n > 171) != one.contains("index out of bounds"));
    }
    offload::verdict("vectors", "4 sizes in 4 blocks", wrong);
}
