//! Code for warps of 32 lanes: a reduction, a scan, a hash table, places before which lanes are counted; and lanes
//! that diverge and reconverge at branches.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Buffer, Device, Shape};

/// Three warps and a part of one.
const BLOCK: u32 = 110;
const BLOCKS: u32 = 3;
const THREADS: usize = (BLOCK * BLOCKS) as usize;
/// Slots of the hash table, a power of two.
const SLOTS: usize = 1024;
const EMPTY: u32 = u32::MAX;

extern "C" {
    fn __offload_lane_id() -> u32;
    fn __offload_shuffle(value: u32, lane: u32) -> u32;
    fn __offload_shuffle_up(value: u32, distance: u32) -> u32;
    fn __offload_shuffle_down(value: u32, distance: u32) -> u32;
    fn __offload_ballot(vote: bool) -> u64;
    fn __offload_any(vote: bool) -> bool;
    fn __offload_all(vote: bool) -> bool;
    fn __offload_atomic_compare_exchange_u32(
        at: *mut u32,
        old: u32,
        new: u32,
        success: u32,
        failure: u32,
        scope: u32,
    ) -> u32;
}

/// Each warp's sum in its lane 0; only whole warps take part.
extern "C" fn reduce(input: *const u32, out: *mut u32) {
    let (i, thread) = (offload::global_id_x(), offload::thread_id_x());
    if thread >= BLOCK / 32 * 32 {
        return;
    }
    unsafe {
        let mut sum = *input.add(i as usize);
        sum += __offload_shuffle_down(sum, 16);
        sum += __offload_shuffle_down(sum, 8);
        sum += __offload_shuffle_down(sum, 4);
        sum += __offload_shuffle_down(sum, 2);
        sum += __offload_shuffle_down(sum, 1);
        if thread % 32 == 0 {
            *out.add(i as usize) = sum;
        }
    }
}

/// Each warp's inclusive scan; the last one has fewer lanes.
extern "C" fn scan(input: *const u32, out: *mut u32) {
    let i = offload::global_id_x() as usize;
    unsafe {
        let mut sum = *input.add(i);
        for step in 0..5 {
            let below = __offload_shuffle_up(sum, 1 << step);
            if __offload_lane_id() >= 1 << step {
                sum += below;
            }
        }
        *out.add(i) = sum;
    }
}

/// Inserts each thread's key. A warp takes one lane's key after another and looks at a slot with each lane; `out` is
/// the slot.
extern "C" fn insert(keys: *const u32, table: *mut u32, out: *mut u32) {
    let i = offload::global_id_x() as usize;
    unsafe {
        let (lane, key) = (__offload_lane_id(), *keys.add(i));
        let mut own = EMPTY;
        loop {
            let waiting = __offload_ballot(own == EMPTY);
            if waiting == 0 {
                break;
            }
            let taken = waiting.trailing_zeros();
            let key = __offload_shuffle(key, taken);
            let mut first = key.wrapping_mul(2654435761) as usize % SLOTS;
            let slot = loop {
                let at = table.add((first + lane as usize) % SLOTS);
                let seen = at.read_volatile();
                let same = __offload_ballot(seen == key) as u32;
                if same != 0 {
                    break (first + same.trailing_zeros() as usize) % SLOTS;
                }
                let free = __offload_ballot(seen == EMPTY) as u32;
                if free == 0 {
                    first += __offload_ballot(true).count_ones() as usize;
                    continue;
                }
                let chosen = free.trailing_zeros();
                let mut before = 0;
                if lane == chosen {
                    before = __offload_atomic_compare_exchange_u32(at, EMPTY, key, 0, 0, 1);
                }
                let before = __offload_shuffle(before, chosen);
                if before == EMPTY || before == key {
                    break (first + chosen as usize) % SLOTS;
                }
            };
            if lane == taken {
                own = slot as u32;
            }
        }
        *out.add(i) = own;
    }
}

/// Where lanes count from, and the number of places. Some of the sums wrap.
const BASES: [u64; 7] = [0, 3, 1 << 32, u64::MAX - 32, u64::MAX - 31, u64::MAX - 4, u64::MAX];
const LENS: [u64; 8] = [0, 1, 20, 33, (1 << 32) + 9, u64::MAX - 30, u64::MAX - 2, u64::MAX];

/// The result of a lane of `places`.
fn place(base: u64, len: u64, below: u32, [some, all, votes]: [u32; 3]) -> u32 {
    let place = base.wrapping_add(u64::from(below));
    (place >= len) as u32 | some << 1 | all << 2 | votes << 3
}

/// Each lane that keeps its value counts the lanes of its warp before it that do so, too. Each block has a base and a
/// number of places. In every second block, the third warp has fewer lanes.
extern "C" fn places(pairs: *const [u64; 2], input: *const u32, out: *mut u32, kept: *mut u32) {
    let (i, thread) = (offload::global_id_x() as usize, offload::thread_id_x());
    let block = offload::block_id_x();
    if block % 2 == 1 && thread >= 70 {
        return;
    }
    unsafe {
        let (lane, value) = (__offload_lane_id(), *input.add(i % THREADS));
        let there = __offload_ballot(value % 3 != 0);
        // After the vote, so that all lanes are known to have the same.
        let [base, len] = *pairs.add(block as usize);
        let below = (there & ((1 << lane) - 1)).count_ones();
        if value % 3 != 0 && base.wrapping_add(u64::from(below)) < len {
            *kept.add(i - lane as usize + below as usize) = value;
        }
        let some = __offload_any(value % 64 == 0) as u32;
        let all = __offload_all(value % 64 != 1) as u32;
        *out.add(i) = place(base, len, below, [some, all, there.count_ones()]);
    }
}

fn wrong_places(device: &Device, input: &[u32], from: *mut u32) -> usize {
    let pairs: Vec<[u64; 2]> = BASES.iter().flat_map(|base| LENS.map(|len| [*base, len])).collect();
    let threads = pairs.len() * BLOCK as usize;
    let (on, out, kept) =
        (device.upload(&pairs), device.upload(&vec![7u32; threads]), device.upload(&vec![7u32; threads]));
    let (of_pairs, to, to_kept) = (on.as_ptr(), out.as_mut_ptr(), kept.as_mut_ptr());
    let arguments = [argument(&of_pairs), argument(&from), argument(&to), argument(&to_kept)];
    device.launch(kernel!(places), Shape::linear(threads as u32, BLOCK), &arguments);
    let (mut expected, mut expected_kept) = (vec![7u32; threads], vec![7u32; threads]);
    for (block, [base, len]) in pairs.into_iter().enumerate() {
        let lanes = if block % 2 == 1 { 70 } else { BLOCK as usize };
        for warp in (0..lanes).step_by(32) {
            let first = block * BLOCK as usize + warp;
            let values: Vec<u32> = (0..32.min(lanes - warp)).map(|lane| input[(first + lane) % THREADS]).collect();
            let votes = values.iter().filter(|value| **value % 3 != 0).count() as u32;
            let some = values.iter().any(|value| value % 64 == 0) as u32;
            let all = values.iter().all(|value| value % 64 != 1) as u32;
            let mut below = 0;
            for (lane, value) in values.into_iter().enumerate() {
                expected[first + lane] = place(base, len, below, [some, all, votes]);
                if value % 3 != 0 {
                    if base.wrapping_add(u64::from(below)) < len {
                        expected_kept[first + below as usize] = value;
                    }
                    below += 1;
                }
            }
        }
    }
    (out.read() != expected) as usize + (kept.read() != expected_kept) as usize
}

/// Different lanes vote in different branches, one inside another, and all of them after these.
extern "C" fn branches(out: *mut [u32; 4]) {
    let (i, lane) = (offload::global_id_x() as usize, unsafe { __offload_lane_id() });
    let mut own = [0; 4];
    unsafe {
        if lane % 3 == 0 {
            own[0] = __offload_ballot(lane > 10) as u32;
            if lane % 2 == 0 {
                own[1] = __offload_any(lane == 12) as u32;
            }
        } else if lane < 20 {
            own[1] = 2 + __offload_all(lane % 3 > 0) as u32;
            own[2] = __offload_shuffle(lane * 7, 13);
        }
        own[3] = __offload_ballot(own[1] != 0) as u32;
        *out.add(i) = own;
    }
}

/// Scans of warps whose threads may be beyond the end of a row of the input, or do not store their results.
extern "C" fn guarded_scan(input: *const u32, len: u32, out: *mut u32) {
    let x = offload::global_id_x();
    let i = (offload::thread_id_y() * offload::grid_dim_x() * offload::block_dim_x() + x) as usize;
    unsafe {
        let mut sum = if x < len { *input.add(i) } else { 1 };
        for step in 0..5 {
            let below = __offload_shuffle_up(sum, 1 << step);
            if __offload_lane_id() >= 1 << step {
                sum += below;
            }
        }
        if x + 2 < len {
            *out.add(i) = sum;
        }
    }
}

/// A vote of each warp, which lane 2 stores if it is not too far beyond the end of the row.
extern "C" fn guarded_vote(input: *const u32, len: u32, out: *mut u32) {
    let x = offload::global_id_x();
    let i = (offload::thread_id_y() * offload::grid_dim_x() * offload::block_dim_x() + x) as usize;
    unsafe {
        let vote = __offload_ballot(x < len && *input.add(i) % 3 == 0);
        if __offload_lane_id() == 2 && x < len + 40 {
            *out.add(i) = vote as u32 + 1;
        }
    }
}

/// The same vote. Each lane stores something before lane 2 stores the vote.
extern "C" fn stored_vote(input: *const u32, len: u32, out: *mut u32) {
    let x = offload::global_id_x();
    let i = (offload::thread_id_y() * offload::grid_dim_x() * offload::block_dim_x() + x) as usize;
    unsafe {
        let vote = __offload_ballot(x < len && *input.add(i) % 3 == 0);
        *out.add(2 * i) = x ^ 5;
        if __offload_lane_id() == 2 {
            *out.add(2 * i + 1) = vote as u32 + 1;
        }
    }
}

/// Runs the three in blocks of this shape, and returns how many results are wrong.
fn guarded(device: &Device, input: &Buffer<'_, u32>, block: [u32; 2], len: u32) -> usize {
    const BLOCKS: u32 = 2;
    let values = input.read();
    let width = BLOCKS * block[0];
    let mut expected = [(); 3].map(|()| vec![0; 2 * values.len()]);
    for first in (0..width).step_by(block[0] as usize) {
        let rows = (0..block[1]).flat_map(|y| (0..block[0]).map(move |x| (first + x, y)));
        let threads: Vec<_> = rows.map(|(x, y)| (x, (y * width + x) as usize)).collect();
        for warp in threads.chunks(32) {
            let (mut sum, mut vote) = (0, 0);
            for (lane, (x, i)) in warp.iter().enumerate() {
                sum += if *x < len { values[*i] } else { 1 };
                vote |= ((*x < len && values[*i] % 3 == 0) as u32) << lane;
                expected[0][*i] = if *x + 2 < len { sum } else { 0 };
                expected[2][2 * *i] = x ^ 5;
            }
            if let Some((x, i)) = warp.get(2) {
                expected[1][*i] = if *x < len + 40 { vote + 1 } else { 0 };
                expected[2][2 * *i + 1] = vote + 1;
            }
        }
    }
    let kernels = [kernel!(guarded_scan), kernel!(guarded_vote), kernel!(stored_vote)];
    let wrong = kernels.into_iter().zip(expected).map(|(kernel, expected)| {
        let out = device.upload(&vec![0; 2 * values.len()]);
        let shape = Shape { grid: [BLOCKS, 1, 1], block: [block[0], block[1], 1], shared_bytes: 0 };
        device.launch(kernel, shape, &[argument(&input.as_mut_ptr()), argument(&len), argument(&out.as_mut_ptr())]);
        (out.read() != expected) as usize
    });
    wrong.sum()
}

/// The threads of each warp.
fn warps() -> impl Iterator<Item = std::ops::Range<usize>> {
    let block = |b: usize| b * BLOCK as usize..(b + 1) * BLOCK as usize;
    (0..BLOCKS as usize).flat_map(move |b| block(b).step_by(32).map(move |first| first..(first + 32).min(block(b).end)))
}

fn zeros<T: Copy>(device: &Device, zero: T) -> Buffer<'_, T> {
    device.upload(&[zero; THREADS])
}

fn main() {
    let device = Device::open();
    let shape = || Shape::linear(THREADS as u32, BLOCK);
    let input: Vec<u32> = (0..THREADS as u32).map(|i| i.wrapping_mul(2654435761) >> 22).collect();
    let given = device.upload(&input);
    let from = given.as_mut_ptr();
    let mut wrong = 0;

    let (out, mut expected) = (zeros(&device, 0u32), vec![0; THREADS]);
    device.launch(kernel!(reduce), shape(), &[argument(&from), argument(&out.as_mut_ptr())]);
    warps().filter(|warp| warp.len() == 32).for_each(|warp| expected[warp.start] = input[warp.clone()].iter().sum());
    wrong += (out.read() != expected) as usize;

    let out = zeros(&device, 0u32);
    device.launch(kernel!(scan), shape(), &[argument(&from), argument(&out.as_mut_ptr())]);
    let expected: Vec<u32> = warps()
        .flat_map(|warp| warp.clone().map(move |i| warp.start..=i))
        .map(|part| input[part].iter().sum())
        .collect();
    wrong += (out.read() != expected) as usize;

    let (out, table) = (zeros(&device, 0u32), device.upload(&[EMPTY; SLOTS]));
    device.launch(
        kernel!(insert),
        shape(),
        &[argument(&from), argument(&table.as_mut_ptr()), argument(&out.as_mut_ptr())],
    );
    let (slots, table) = (out.read(), table.read());
    let mut keys = input.clone();
    keys.sort_unstable();
    keys.dedup();
    wrong += (0..THREADS).filter(|i| table[slots[*i] as usize % SLOTS] != input[*i]).count();
    wrong += (table.iter().filter(|slot| **slot != EMPTY).count() != keys.len()) as usize;

    let out = zeros(&device, [0u32; 4]);
    device.launch(kernel!(branches), shape(), &[argument(&out.as_mut_ptr())]);
    let expected: Vec<[u32; 4]> = warps()
        .flat_map(|warp| {
            let bits =
                |of: &dyn Fn(u32) -> bool| (0..warp.len() as u32).filter(|l| of(*l)).fold(0, |bits, l| bits | 1 << l);
            let third = bits(&|lane| lane % 3 == 0 && lane > 10);
            let twelve = (warp.len() > 12) as u32;
            let first = |lane: u32| match lane {
                lane if lane % 6 == 0 => [third, twelve, 0],
                lane if lane % 3 == 0 => [third, 0, 0],
                lane if lane < 20 => [0, 3, 13 * 7],
                _ => [0; 3],
            };
            let votes = bits(&|lane| first(lane)[1] != 0);
            (0..warp.len() as u32).map(|lane| first(lane)).map(|[a, b, c]| [a, b, c, votes]).collect::<Vec<_>>()
        })
        .collect();
    wrong += out.read().iter().zip(&expected).filter(|(got, wanted)| got != wanted).count();

    wrong += wrong_places(&device, &input, from);
    let large = device.upload(&(0..600).map(|i: u32| i.wrapping_mul(2654435761) >> 22).collect::<Vec<_>>());
    for block in [[1, 1], [7, 3], [31, 2], [32, 1], [32, 3], [33, 2], [64, 2], [96, 1], [100, 1], [256, 1]] {
        let width = 2 * block[0];
        for len in [5, width / 2 + 9, width] {
            wrong += guarded(&device, &large, block, len);
        }
    }

    offload::verdict("warps", &format!("{THREADS} threads"), wrong);
}
