//! Matrix products on NVIDIA's tensor cores: asynchronous copies into shared memory, `ldmatrix` and `mma`. The other
//! devices, and NVIDIA's older ones, multiply with loops.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

#[repr(C)]
#[derive(Clone, Copy)]
struct Two([u32; 2]);
#[repr(C)]
#[derive(Clone, Copy)]
struct Four([u32; 4]);
#[repr(C)]
#[derive(Clone, Copy)]
struct Floats([f32; 4]);
#[repr(C)]
#[derive(Clone, Copy)]
struct Integers([i32; 4]);

#[allow(clashing_extern_declarations)]
extern "C" {
    #[link_name = "__offload_intrinsic.llvm.nvvm.cp.async.ca.shared.global.16"]
    fn copy_16(to: *mut u8, from: *const u8);
    #[link_name = "__offload_intrinsic.llvm.nvvm.cp.async.wait.all"]
    fn wait_all();
    #[link_name = "__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"]
    fn load_four(row: *const u8) -> Four;
    #[link_name = "__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3"]
    fn load_two_transposed(row: *const u8) -> Two;
    #[link_name = "__offload_intrinsic.llvm.nvvm.mma.m16n8k16.row.col.f32.f32"]
    fn multiply_halves(
        a0: u32,
        a1: u32,
        a2: u32,
        a3: u32,
        b0: u32,
        b1: u32,
        c0: f32,
        c1: f32,
        c2: f32,
        c3: f32,
    ) -> Floats;
    #[link_name = "__offload_intrinsic.llvm.nvvm.mma.m16n8k32.row.col.s8"]
    fn multiply_bytes(
        a0: u32,
        a1: u32,
        a2: u32,
        a3: u32,
        b0: u32,
        b1: u32,
        c0: i32,
        c1: i32,
        c2: i32,
        c3: i32,
    ) -> Integers;
    fn __offload_arch() -> u32;
}

const ROWS: usize = 16;
const COLUMNS: usize = 8;
/// The columns of the left matrix, which are the rows of the right one.
const HALVES: usize = 16;
const BYTES: usize = 32;
const LANES: usize = 32;

/// The matrix to the left, and then the one to the right.
#[link_section = ".offload.shared"]
static mut TILE: [u128; (ROWS + COLUMNS) * HALVES / 8] = [0; (ROWS + COLUMNS) * HALVES / 8];

fn has_tensor_core() -> bool {
    let arch = unsafe { __offload_arch() };
    arch >> 24 == 2 && arch & 0xffff >= 80
}

/// The elements of a result that a lane has, as rows and columns.
fn elements(lane: usize) -> [(usize, usize); 4] {
    let (row, column) = (lane / 4, lane % 4 * 2);
    [(row, column), (row, column + 1), (row + 8, column), (row + 8, column + 1)]
}

/// The value of a half that is a normal number or zero.
fn value(half: u16) -> f32 {
    let (sign, magnitude) = (u32::from(half >> 15) << 31, u32::from(half & 0x7fff));
    f32::from_bits(sign | if magnitude == 0 { 0 } else { (magnitude << 13) + (112 << 23) })
}

/// One block multiplies one pair of matrices, both by rows.
extern "C" fn halves(a: *const u16, b: *const u16, c: *mut f32) {
    let (lane, block) = (offload::thread_id_x() as usize, offload::block_id_x() as usize);
    let (a, b) = unsafe { (a.add(block * ROWS * HALVES), b.add(block * HALVES * COLUMNS)) };
    let c = unsafe { c.add(block * ROWS * COLUMNS) };
    let own = elements(lane).map(|(row, column)| row * COLUMNS + column);
    let sums = if has_tensor_core() {
        let left = &raw mut TILE as *mut u8;
        unsafe {
            let right = left.add(ROWS * HALVES * 2);
            copy_16(left.add(lane * 16), (a as *const u8).add(lane * 16));
            if lane < LANES / 2 {
                copy_16(right.add(lane * 16), (b as *const u8).add(lane * 16));
            }
            wait_all();
            offload::sync_threads();
            let Four(x) = load_four(left.add(lane % 16 * HALVES * 2 + lane / 16 * 16));
            let Two(y) = load_two_transposed(right.add(lane % 16 * COLUMNS * 2));
            let z = own.map(|at| *c.add(at));
            multiply_halves(x[0], x[1], x[2], x[3], y[0], y[1], z[0], z[1], z[2], z[3]).0
        }
    } else {
        elements(lane).map(|(row, column)| {
            let mut sum = unsafe { *c.add(row * COLUMNS + column) };
            for k in 0..HALVES {
                sum += unsafe { value(*a.add(row * HALVES + k)) * value(*b.add(k * COLUMNS + column)) };
            }
            sum
        })
    };
    for (at, sum) in own.into_iter().zip(sums) {
        unsafe { *c.add(at) = sum };
    }
}

/// The matrix to the left is by rows, that to the right by columns. Each lane loads its own elements.
extern "C" fn bytes(a: *const i8, b: *const i8, c: *mut i32) {
    let (lane, block) = (offload::thread_id_x() as usize, offload::block_id_x() as usize);
    let (a, b) = unsafe { (a.add(block * ROWS * BYTES), b.add(block * BYTES * COLUMNS)) };
    let c = unsafe { c.add(block * ROWS * COLUMNS) };
    let own = elements(lane).map(|(row, column)| row * COLUMNS + column);
    let sums = if has_tensor_core() {
        let word = |from: *const i8, row: usize, k: usize| unsafe { *(from.add(row * BYTES + k) as *const u32) };
        let (row, k) = (lane / 4, lane % 4 * 4);
        let x = [(row, k), (row + 8, k), (row, k + 16), (row + 8, k + 16)].map(|(row, k)| word(a, row, k));
        let y = [k, k + 16].map(|k| word(b, row, k));
        unsafe {
            let z = own.map(|at| *c.add(at));
            multiply_bytes(x[0], x[1], x[2], x[3], y[0], y[1], z[0], z[1], z[2], z[3]).0
        }
    } else {
        elements(lane).map(|(row, column)| {
            let mut sum = unsafe { *c.add(row * COLUMNS + column) };
            for k in 0..BYTES {
                sum += unsafe { i32::from(*a.add(row * BYTES + k)) * i32::from(*b.add(column * BYTES + k)) };
            }
            sum
        })
    };
    for (at, sum) in own.into_iter().zip(sums) {
        unsafe { *c.add(at) = sum };
    }
}

/// The half of an integer between -8 and 7.
fn half(integer: i32) -> u16 {
    let bits = (integer as f32).to_bits();
    ((bits >> 16) as u16 & 0x8000) | if integer == 0 { 0 } else { ((bits & 0x7fff_ffff) - (112 << 23) >> 13) as u16 }
}

fn main() {
    let blocks = offload::number_argument(1, 20) as usize;
    let device = Device::open();
    let small = |at: usize, factor: usize| (at * factor % 31 % 16) as i32 - 8;
    let start = |at: usize| at as i32 % 100;
    let shape = Shape::linear((blocks * LANES) as u32, LANES as u32);

    let a = device.upload(&(0..blocks * ROWS * HALVES).map(|at| half(small(at, 7))).collect::<Vec<_>>());
    let b = device.upload(&(0..blocks * HALVES * COLUMNS).map(|at| half(small(at, 11))).collect::<Vec<_>>());
    let c = device.upload(&(0..blocks * ROWS * COLUMNS).map(|at| start(at) as f32).collect::<Vec<_>>());
    let kernel = unsafe { offload::__offload_kernel(halves as *const ()) };
    device.launch(kernel, shape, &[argument(&a.as_ptr()), argument(&b.as_ptr()), argument(&c.as_mut_ptr())]);
    let result = c.read();
    let right = |at: usize| {
        let (block, row, column) = (at / (ROWS * COLUMNS), at / COLUMNS % ROWS, at % COLUMNS);
        let left = |k: usize| small(block * ROWS * HALVES + row * HALVES + k, 7);
        let right = |k: usize| small(block * HALVES * COLUMNS + k * COLUMNS + column, 11);
        start(at) + (0..HALVES).map(|k| left(k) * right(k)).sum::<i32>()
    };
    let mut wrong = (0..result.len()).filter(|&at| result[at] != right(at) as f32).count();

    let byte = |at: usize, factor: usize| (at * factor % 251) as u8 as i8;
    let a = device.upload(&(0..blocks * ROWS * BYTES).map(|at| byte(at, 13)).collect::<Vec<_>>());
    let b = device.upload(&(0..blocks * BYTES * COLUMNS).map(|at| byte(at, 17)).collect::<Vec<_>>());
    let c = device.upload(&(0..blocks * ROWS * COLUMNS).map(start).collect::<Vec<_>>());
    let kernel = unsafe { offload::__offload_kernel(bytes as *const ()) };
    device.launch(kernel, shape, &[argument(&a.as_ptr()), argument(&b.as_ptr()), argument(&c.as_mut_ptr())]);
    let result = c.read();
    let right = |at: usize| {
        let (block, row, column) = (at / (ROWS * COLUMNS), at / COLUMNS % ROWS, at % COLUMNS);
        let left = |k: usize| i32::from(byte(block * ROWS * BYTES + row * BYTES + k, 13));
        let right = |k: usize| i32::from(byte(block * BYTES * COLUMNS + column * BYTES + k, 17));
        start(at) + (0..BYTES).map(|k| left(k) * right(k)).sum::<i32>()
    };
    wrong += (0..result.len()).filter(|&at| result[at] != right(at)).count();
    offload::verdict("tensor_core", &format!("{blocks} products"), wrong);
}
