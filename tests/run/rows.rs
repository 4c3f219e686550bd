//! Threads at the edges of rows: conditions that hold for a range of the threads of a row, before and after barriers,
//! in rows of all lengths, with indices that wrap around and edges inside a block.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const MOST: usize = 40;

#[unsafe(link_section = ".offload.shared")]
static mut TILE: [u32; (MOST + 2) * (MOST + 2)] = [0; (MOST + 2) * (MOST + 2)];

/// An array of `width` times `height` elements, and where edges are inside it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Area {
    width: u32,
    height: u32,
    /// No edge of the array.
    column: u32,
    /// Added to an index before it is compared.
    start: u32,
}

/// The result of a thread at (x, y) from its neighbours, with conditions of all kinds on x.
fn edges(area: Area, x: u32, y: u32, at: impl Fn(u32, u32) -> u32) -> u32 {
    let own = at(x, y);
    // Both sides go on, and both are used later.
    let mut sum = if x > 0 && x + 1 < area.width { at(x - 1, y) ^ at(x + 1, y).rotate_left(3) } else { own / 3 };
    if x == area.column {
        sum = sum.wrapping_mul(7);
    }
    if y == 0 || x < 2 {
        sum ^= 0x5a5a;
    } else {
        sum = sum.wrapping_add(at(x - 2, y - 1));
    }
    // The sum may wrap around within a row.
    let shifted = area.start.wrapping_add(x);
    if x > 0 && shifted < area.column {
        sum = sum.wrapping_sub(at(x - 1, y));
    }
    if x > 0 && (shifted as i32) <= area.column as i32 {
        sum = !sum ^ at(x - 1, y) / 5;
    }
    if !(x != area.column + 1 && shifted >= 5) {
        sum ^= own << 16;
    }
    sum
}

extern "C" fn plain(area: Area, from: *const u32, to: *mut u32) {
    let (x, y) = (offload::global_id_x(), offload::block_id_y() * offload::block_dim_y() + offload::thread_id_y());
    if x >= area.width || y >= area.height {
        return;
    }
    let size = (area.width * area.height) as usize;
    let from = unsafe { std::slice::from_raw_parts(from, size) };
    let to = unsafe { std::slice::from_raw_parts_mut(to, size) };
    to[(y * area.width + x) as usize] = edges(area, x, y, |x, y| from[(y * area.width + x) as usize]);
}

/// The same through a tile with the elements around it.
extern "C" fn tiled(area: Area, from: *const u32, to: *mut u32) {
    let (tx, ty) = (offload::thread_id_x(), offload::thread_id_y());
    let (wide, high) = (offload::block_dim_x(), offload::block_dim_y());
    let (x, y) = (offload::global_id_x(), offload::block_id_y() * high + ty);
    let exists = x < area.width && y < area.height;
    let size = (area.width * area.height) as usize;
    let from = unsafe { std::slice::from_raw_parts(from, size) };
    let row = wide + 3;
    let i = y * area.width + x;
    let here = (ty + 1) * row + tx + 2;
    if exists {
        unsafe {
            TILE[here as usize] = from[i as usize];
            if tx == 0 {
                if x >= 1 {
                    TILE[(here - 1) as usize] = from[(i - 1) as usize];
                }
                if x >= 2 {
                    TILE[(here - 2) as usize] = from[(i - 2) as usize];
                }
            }
            if tx == wide - 1 && x + 1 < area.width {
                TILE[(here + 1) as usize] = from[(i + 1) as usize];
            }
            if ty == 0 && y > 0 {
                TILE[(here - row) as usize] = from[(i - area.width) as usize];
                if tx < 2 && x >= 2 {
                    TILE[(here - row - 2) as usize] = from[(i - area.width - 2) as usize];
                }
            }
            if ty > 0 && tx < 2 && x >= 2 {
                TILE[(here - row - 2) as usize] = from[(i - area.width - 2) as usize];
            }
        }
    }
    offload::sync_threads();
    if exists {
        let tile = |a: u32, b: u32| {
            let place = here as i32 + (b as i32 - y as i32) * row as i32 + (a as i32 - x as i32);
            unsafe { TILE[place as usize] }
        };
        unsafe { *to.add(i as usize) = edges(area, x, y, tile) };
    }
}

/// The result of a thread from its neighbours where the edges of the array meet, and from elements whose indices are
/// others in some threads.
fn meeting(area: Area, x: u32, y: u32, from: &[u32]) -> u32 {
    let Area { width, height, column, start } = area;
    let west = if x == 0 { width - 1 } else { x - 1 };
    let east = if x + 1 == width { 0 } else { x + 1 };
    let edge = column.min(width - 1);
    let south = if y == 0 { height - 1 } else { y - 1 };
    let here = (y * width) as usize;
    let mut sum = from[here + west as usize].wrapping_mul(3) ^ from[here + east as usize];
    sum = sum.wrapping_mul(5) ^ from[(south * width + east) as usize];
    // Most threads have the side that is the same for all, or the one that is not.
    let shifted = start.wrapping_add(x);
    sum = sum.wrapping_mul(5) ^ from[here + (if shifted < column { x } else { edge }) as usize];
    sum = sum.wrapping_mul(5) ^ from[here + if shifted as i32 > column as i32 { x as usize } else { 0 }];
    // Two selections by one condition, whose indices increase on different sides.
    let (a, b) = if x == column { (0, x) } else { (x, edge) };
    sum.wrapping_mul(5) ^ from[here + a as usize] ^ from[here + b as usize].wrapping_mul(7)
}

extern "C" fn met(area: Area, from: *const u32, to: *mut u32) {
    let (x, y) = (offload::global_id_x(), offload::block_id_y() * offload::block_dim_y() + offload::thread_id_y());
    if x >= area.width || y >= area.height {
        return;
    }
    let size = (area.width * area.height) as usize;
    let from = unsafe { std::slice::from_raw_parts(from, size) };
    unsafe { *to.add((y * area.width + x) as usize) = meeting(area, x, y, from) };
}

/// One thread of each row has an index past the array, or all others have one.
extern "C" fn behind(area: Area, from: *const u32, to: *mut u32) {
    let x = offload::global_id_x();
    if x < area.width {
        let from = unsafe { std::slice::from_raw_parts(from, area.width as usize) };
        let (own, other) = if x == area.column { (area.width + 5, x) } else { (x, area.start) };
        unsafe { *to.add(x as usize) = from[own as usize] ^ from[other as usize] };
    }
}

/// The number of launches that panic although no thread has such an index, or the reverse.
fn run_behind(device: &Device) -> usize {
    let from: Vec<u32> = (0..100).collect();
    let (input, to) = (device.upload(&from), device.upload(&from));
    let (on_device, output, mut wrong) = (input.as_ptr(), to.as_mut_ptr(), 0);
    for column in [0u32, 1, 37, 63, 64, 99, 100, u32::MAX] {
        let area = Area { width: 100, height: 1, column, start: 0 };
        let arguments = [argument(&area), argument(&on_device), argument(&output)];
        let message = device.try_launch(kernel!(behind), Shape::linear(100, 64), &arguments).err().unwrap_or_default();
        let panics = message.contains("index out of bounds: the len is 100 but the index is 105");
        wrong += usize::from(panics != (column < 100) || panics == message.is_empty());
        let area = Area { start: 107, ..area };
        let arguments = [argument(&area), argument(&on_device), argument(&output)];
        let message = device.try_launch(kernel!(behind), Shape::linear(100, 64), &arguments).err().unwrap_or_default();
        wrong += usize::from(!message.contains("index out of bounds: the len is 100 but the index is 10"));
    }
    wrong
}

/// The greatest 16 numbers are not below the height.
extern "C" fn above(area: Area, to: *mut u32) {
    let (x, y) = (offload::global_id_x(), offload::global_id_y());
    if x < area.width && (y | 0xffff_fff0) < area.height {
        unsafe { *to.add((y * area.width + x) as usize) += 1 };
    }
}

/// A filter of 24 x 5 weights, from a point on. Numbers of points wrap around.
#[derive(Clone, Copy)]
#[repr(C)]
struct Filter {
    start: u64,
    /// The number of points, and of weights.
    points: u64,
    weights: u64,
}

impl Filter {
    fn first(&self, x: u32, y: u32) -> usize {
        self.start.wrapping_add(u64::from(y) * PITCH as u64).wrapping_add(x.into()) as usize
    }
}

/// The length of a row of points, and the number of rows of weights.
const PITCH: usize = 84;
const ROWS: usize = 24;

/// The start may be any number.
extern "C" fn filter(of: Filter, weights: *const u32, from: *const u32, to: *mut u32) {
    filtered(of, weights, from, to);
}

/// The start has 32 bits, so that no index wraps around.
extern "C" fn filter_near(of: Filter, weights: *const u32, from: *const u32, to: *mut u32) {
    filtered(Filter { start: (of.start as u32).into(), ..of }, weights, from, to);
}

/// The checks of the inner loop are those of the outer one, which are decided before it.
#[inline(always)]
fn filtered(of: Filter, weights: *const u32, from: *const u32, to: *mut u32) {
    let (x, y) = (offload::global_id_x(), offload::block_id_y() * offload::block_dim_y() + offload::thread_id_y());
    let weights = unsafe { std::slice::from_raw_parts(weights, of.weights as usize) };
    let from = unsafe { std::slice::from_raw_parts(from, of.points as usize) };
    let width = offload::block_dim_x() * offload::grid_dim_x();
    let (first, mut sum) = (of.first(x, y), 0u32);
    for dy in 0..ROWS {
        for dx in 0..5 {
            let at = first.wrapping_add(dy * PITCH).wrapping_add(dx);
            sum = sum.wrapping_mul(3) ^ weights[dy * 5 + dx].wrapping_mul(from[at]);
        }
    }
    unsafe { *to.add((y * width + x) as usize) = sum };
}

/// Runs the filter with all indices in bounds, with the last one of one thread past them, and with indices that wrap
/// around, so that the first one of a thread is past them and its last one is not. Returns the number of errors.
fn run_filter(device: &Device) -> usize {
    let mut wrong = 0;
    let weights: Vec<u32> = (1..=5 * ROWS as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let on_device = device.upload(&weights);
    for [wide, high] in [[1u32, 1u32], [7, 3], [16, 16], [40, 2]] {
        let width = 2 * wide;
        // The last point is the last one of the last thread.
        let points = u64::from(2 * high + ROWS as u32 - 2) * PITCH as u64 + u64::from(width) + 4;
        let from: Vec<u32> = (0..points as u32).map(|i| (i + 1).wrapping_mul(2_654_435_761) >> 7).collect();
        let of = Filter { start: 0, points, weights: 5 * ROWS as u64 };
        let (input, to) = (device.upload(&from), device.upload(&vec![0u32; (2 * high * width) as usize]));
        let run = |kernel, of: Filter, grid: [u32; 3]| {
            let shape = Shape { grid, block: [wide, high, 1], shared_bytes: 0 };
            let (weights, from, to) = (on_device.as_ptr(), input.as_ptr(), to.as_mut_ptr());
            let arguments = [argument(&of), argument(&weights), argument(&from), argument(&to)];
            device.try_launch(kernel, shape, &arguments).err().unwrap_or_default()
        };
        let expected = |i: u32| {
            (0..5 * ROWS).fold(0u32, |sum, n| {
                let at = of.first(i % width, i / width) + n / 5 * PITCH + n % 5;
                sum.wrapping_mul(3) ^ weights[n].wrapping_mul(from[at])
            })
        };
        let reports = |message: String, len: u64, index: u64| {
            message.contains(&format!("index out of bounds: the len is {len} but the index is {index}"))
        };
        let short = Filter { points: points - 1, ..of };
        let all = [2, 2, 1];
        for kernel in [kernel!(filter), kernel!(filter_near)] {
            wrong += usize::from(!run(kernel, of, all).is_empty());
            wrong += (0..).zip(to.read()).filter(|(i, sum)| expected(*i) != *sum).count();
            wrong += usize::from(!reports(run(kernel, short, all), points - 1, points - 1));
            wrong += usize::from(!reports(run(kernel, Filter { weights: 119, ..of }, all), 119, 119));
        }
        let wraps = Filter { start: u64::MAX - 1, ..of };
        if wide * high == 1 {
            wrong += usize::from(!reports(run(kernel!(filter), wraps, [1, 1, 1]), points, u64::MAX - 1));
        }
    }
    wrong
}

fn main() {
    let device = Device::open();
    let (mut wrong, mut launches) = (0, 0);
    for (width, height) in [(1u32, 3u32), (7, 2), (16, 5), (33, 4), (100, 3)] {
        let from: Vec<u32> = (0..width * height).map(|i| (i + 1).wrapping_mul(2_654_435_761) >> 9).collect();
        let on_device = device.upload(&from);
        for (wide, high) in [(1u32, 4u32), (3, 2), (8, 1), (16, 4), (27, 2), (40, 3)] {
            for start in [0u32, 3, u32::MAX - 20, u32::MAX - 40, i32::MAX as u32 - 9, i32::MAX as u32 - 45] {
                let area = Area { width, height, column: (width + start % 7) / 2, start };
                let expected: Vec<u32> = (0..width * height)
                    .map(|i| edges(area, i % width, i / width, |x, y| from[(y * width + x) as usize]))
                    .collect();
                let shape = Shape {
                    grid: [width.div_ceil(wide), height.div_ceil(high), 1],
                    block: [wide, high, 1],
                    shared_bytes: 0,
                };
                let around: Vec<u32> =
                    (0..width * height).map(|i| meeting(area, i % width, i / width, &from)).collect();
                for (kernel, expected) in
                    [(kernel!(plain), &expected), (kernel!(tiled), &expected), (kernel!(met), &around)]
                {
                    let to = device.upload(&vec![0u32; from.len()]);
                    let (input, output) = (on_device.as_ptr(), to.as_mut_ptr());
                    device.launch(kernel, shape, &[argument(&area), argument(&input), argument(&output)]);
                    wrong += to.read().iter().zip(expected).filter(|(a, b)| a != b).count();
                    launches += 1;
                }
            }
        }
    }
    let (area, to) = (Area { width: 64, height: 64, column: 0, start: 0 }, device.upload(&[0u32; 64 * 64]));
    let (output, shape) = (to.as_mut_ptr(), Shape { grid: [4, 4, 1], block: [16, 16, 1], shared_bytes: 0 });
    device.launch(kernel!(above), shape, &[argument(&area), argument(&output)]);
    wrong += to.read().iter().filter(|written| **written != 0).count();
    wrong += run_filter(&device) + run_behind(&device);
    offload::verdict("rows", &format!("{launches} launches"), wrong);
}
