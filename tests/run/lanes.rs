//! Cross-lane operations, barriers, and threads that return early, in one kernel.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 128;
const T: u32 = THREADS as u32;

#[unsafe(link_section = ".offload.shared")]
static mut VALUES: [u32; THREADS] = [0; THREADS];

extern "C" {
    fn __offload_lane_id() -> u32;
    fn __offload_lane_count() -> u32;
    fn __offload_shuffle_xor(value: u32, mask: u32) -> u32;
    fn __offload_shuffle_up(value: u32, distance: u32) -> u32;
}

/// The sum over a warp, in every lane.
#[inline(always)]
unsafe fn warp_sum(value: u32) -> u32 {
    let (mut sum, mut distance) = (value, __offload_lane_count() / 2);
    while distance > 0 {
        sum += __offload_shuffle_xor(sum, distance);
        distance /= 2;
    }
    sum
}

/// A warp's sum, then the block's, through shared memory.
extern "C" fn sums(input: *const u32, of_warps: *mut u32, of_blocks: *mut u32) {
    let (thread, i) = (offload::thread_id_x() as usize, offload::global_id_x() as usize);
    unsafe {
        let of_warp = warp_sum(*input.add(i));
        *of_warps.add(i) = of_warp;
        VALUES[thread] = *input.add(i);
        let mut half = T as usize / 2;
        while half > 0 {
            offload::sync_threads();
            if thread < half {
                VALUES[thread] += VALUES[thread + half];
            }
            half /= 2;
        }
        offload::sync_threads();
        *of_blocks.add(i) = VALUES[0];
    }
}

/// The sums of all before and oneself in a block: each warp its own, then those of the warps before it.
extern "C" fn scan(input: *const u32, out: *mut u32) {
    let (thread, i) = (offload::thread_id_x() as usize, offload::global_id_x() as usize);
    unsafe {
        let (lane, count) = (__offload_lane_id(), __offload_lane_count());
        let mut sum = *input.add(i);
        let mut distance = 1;
        while distance < count {
            let below = __offload_shuffle_up(sum, distance);
            if lane >= distance {
                sum += below;
            }
            distance *= 2;
        }
        let warp = thread / count as usize;
        if lane == count - 1 {
            VALUES[warp] = sum;
        }
        offload::sync_threads();
        let mut before = 0;
        while before < warp {
            sum += VALUES[before];
            before += 1;
        }
        *out.add(i) = sum;
    }
}

/// Neighbours that are there exchange values; threads without an element have returned.
extern "C" fn pairs(input: *const u32, len: u32, mask: u32, out: *mut u32) {
    let i = offload::global_id_x();
    if i >= len {
        return;
    }
    unsafe {
        let other = __offload_shuffle_xor(*input.add(i as usize), mask);
        // The value from a lane that has returned is undefined: no check of an overflow may decide on it.
        *out.add(i as usize) = other.wrapping_mul(3).wrapping_add(1);
    }
}

/// The same between two barriers, which no thread leaves out.
extern "C" fn pairs_between_barriers(input: *const u32, len: u32, mask: u32, out: *mut u32) {
    let thread = offload::thread_id_x();
    let i = offload::global_id_x();
    unsafe {
        VALUES[thread as usize % THREADS] = i + 7;
        offload::sync_threads();
        let mirrored = VALUES[(T - 1 - thread) as usize % THREADS];
        let value = if i < len { *input.add(i as usize) } else { 0 };
        let other = __offload_shuffle_xor(value, mask);
        offload::sync_threads();
        VALUES[thread as usize % THREADS] = other;
        offload::sync_threads();
        if i >= len {
            return;
        }
        let neighbour = VALUES[(thread ^ mask) as usize % THREADS];
        let sum = neighbour.wrapping_add(__offload_shuffle_xor(other.wrapping_add(mirrored), mask));
        *out.add(i as usize) = sum;
    }
}

/// The values of each thread of a block with rows and layers: its lane, its position, its rank, which the lane above
/// receives, and the extents of the block.
extern "C" fn boxes(out: *mut u32) {
    let [x, y, z] = [offload::thread_id_x(), offload::thread_id_y(), offload::thread_id_z()];
    let [columns, rows, layers] = [offload::block_dim_x(), offload::block_dim_y(), offload::block_dim_z()];
    let rank = x + columns * (y + rows * z);
    unsafe {
        let own = [
            __offload_lane_id(),
            x << 16 | y << 8 | z,
            __offload_shuffle_up(rank, 1),
            columns << 16 | rows << 8 | layers,
        ];
        *out.cast::<[u32; 4]>().add((offload::block_id_x() * columns * rows * layers + rank) as usize) = own;
    }
}

/// The same, for two blocks of this shape.
fn expected_of_boxes([columns, rows, layers]: [u32; 3], lanes: u32) -> Vec<u32> {
    let of_thread = |rank: u32| {
        let (x, y, z) = (rank % columns, rank / columns % rows, rank / columns / rows);
        let lane = rank % lanes;
        [lane, x << 16 | y << 8 | z, if lane > 0 { rank - 1 } else { rank }, columns << 16 | rows << 8 | layers]
    };
    let threads = columns * rows * layers;
    (0..2 * threads).flat_map(|i| of_thread(i % threads)).collect()
}

fn main() {
    let device = Device::open();
    let blocks = 3;
    let all = blocks * THREADS;
    let shape = || Shape::linear(all as u32, T);
    let input: Vec<u32> = (0..all as u32).map(|i| i * 7 % 101).collect();
    let given = device.upload(&input);
    let outs = [device.upload(&vec![0u32; all]), device.upload(&vec![0u32; all])];
    let mut wrong = 0;
    let mut compare = |what: &str, got: &[u32], expected: &[u32]| {
        let count = got.iter().zip(expected).filter(|(got, wanted)| got != wanted).count();
        if count > 0 {
            println!("{what}: {count} wrong\n got {got:?}\n not {expected:?}");
        }
        wrong += count;
    };
    device.launch(
        kernel!(sums),
        shape(),
        &[argument(&given.as_mut_ptr()), argument(&outs[0].as_mut_ptr()), argument(&outs[1].as_mut_ptr())],
    );
    let of_warps = outs[0].read();
    // Only the device has the number of lanes in a warp.
    let sum = |len: usize| -> Vec<u32> {
        input.chunks(len).flat_map(|c| std::iter::repeat(c.iter().sum()).take(c.len())).collect()
    };
    let lanes = [1, 2, 4, 8, 16, 32, 64].into_iter().find(|lanes| sum(*lanes) == of_warps);
    compare("sums of warps", &of_warps, &sum(lanes.unwrap_or(32)));
    compare("sums of blocks", &outs[1].read(), &sum(THREADS));

    device.launch(kernel!(scan), shape(), &[argument(&given.as_mut_ptr()), argument(&outs[0].as_mut_ptr())]);
    let running = |block: &[u32]| -> Vec<u32> { (1..=block.len()).map(|n| block[..n].iter().sum()).collect() };
    compare("scan", &outs[0].read(), &input.chunks(THREADS).flat_map(running).collect::<Vec<_>>());

    for block in [[4, 3, 5], [8, 2, 4], [3, 7, 1], [1, 1, 40]] {
        let expected = expected_of_boxes(block, lanes.unwrap_or(32) as u32);
        let out = device.upload(&vec![9u32; expected.len()]);
        device.launch(
            kernel!(boxes),
            Shape { grid: [2, 1, 1], block, shared_bytes: 0 },
            &[argument(&out.as_mut_ptr())],
        );
        compare(&format!("blocks of {block:?}"), &out.read(), &expected);
    }

    for mask in [1, 2].into_iter().filter(|mask| *mask < lanes.unwrap_or(32)) {
        for len in [4, 15, 16, 20, 37, 128, 130, 384] {
            let empty = vec![9u32; all];
            let here = |i: usize| i < len && i ^ mask < len;
            let keep = |mut got: Vec<u32>| {
                // The value of a lane that is not there is undefined.
                (0..all).filter(|i| *i < len && !here(*i)).for_each(|i| got[i] = 9);
                got
            };
            let (len32, mask32) = (len as u32, mask as u32);
            let arguments = |out: *mut u32| (given.as_mut_ptr(), len32, mask32, out);
            let out = device.upload(&empty);
            let list = arguments(out.as_mut_ptr());
            let list = [argument(&list.0), argument(&list.1), argument(&list.2), argument(&list.3)];
            device.launch(kernel!(pairs), shape(), &list);
            let expected: Vec<_> = (0..all).map(|i| if here(i) { input[i ^ mask] * 3 + 1 } else { 9 }).collect();
            compare(&format!("pairs {len} {mask}"), &keep(out.read()), &expected);

            let out = device.upload(&empty);
            let list = arguments(out.as_mut_ptr());
            let list = [argument(&list.0), argument(&list.1), argument(&list.2), argument(&list.3)];
            device.launch(kernel!(pairs_between_barriers), shape(), &list);
            let value = |i: usize| if i < len { input[i] } else { 0 };
            let mirrored = |i: usize| (i / THREADS * THREADS + (THREADS - 1 - i % THREADS)) as u32 + 7;
            let expected = (0..all).map(|i| if here(i) { 2 * value(i) + mirrored(i ^ mask) } else { 9 });
            compare(&format!("between {len} {mask}"), &keep(out.read()), &expected.collect::<Vec<_>>());
        }
    }
    offload::verdict("lanes", &format!("{all} threads"), wrong);
}
