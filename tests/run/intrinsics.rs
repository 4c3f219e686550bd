//! LLVM's intrinsics by name: vectors and structs of all sizes are converted between Rust's convention and LLVM's.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

#[repr(C)]
#[derive(Clone, Copy)]
struct F4([f32; 4]);
#[repr(C)]
#[derive(Clone, Copy)]
struct F3([f32; 3]);
#[repr(C)]
#[derive(Clone, Copy)]
struct U4([u32; 4]);
#[repr(C)]
#[derive(Clone, Copy)]
struct U8([u32; 8]);
#[repr(C)]
#[derive(Clone, Copy)]
struct Sum(u32, bool);

extern "C" {
    #[link_name = "__offload_intrinsic.llvm.copysign.v4f32"]
    fn with_sign(a: F4, b: F4) -> F4;
    #[link_name = "__offload_intrinsic.llvm.fabs.v3f32"]
    fn absolute(a: F3) -> F3;
    #[link_name = "__offload_intrinsic.llvm.fshl.v4i32"]
    fn shift(a: U4, b: U4, c: U4) -> U4;
    #[link_name = "__offload_intrinsic.llvm.bitreverse.v8i32"]
    fn reverse(a: U8) -> U8;
    #[link_name = "__offload_intrinsic.llvm.vector.reduce.add.v4i32"]
    fn sum(a: U4) -> u32;
    #[link_name = "__offload_intrinsic.llvm.uadd.with.overflow.i32"]
    fn add(a: u32, b: u32) -> Sum;
    #[link_name = "__offload_intrinsic.llvm.bitreverse.v2i16"]
    fn reverse_halves(a: u32) -> u32;
    #[link_name = "__offload_intrinsic.llvm.fabs.f16"]
    fn magnitude(a: u16) -> u16;
    #[link_name = "__offload_intrinsic.llvm.ctpop.i64"]
    fn ones(a: u64) -> u64;
    #[link_name = "__offload_intrinsic.llvm.memcpy.inline.p0.p0.i64"]
    fn copy(to: *mut u32, from: *const u32, bytes: u64, volatile: bool);
    #[link_name = "__offload_intrinsic.llvm.memset.inline.p0.i64"]
    fn fill(to: *mut u32, byte: u8, bytes: u64, volatile: bool);
    fn __offload_arch() -> u32;
}

/// How many numbers one thread writes.
const RESULTS: usize = 32;

extern "C" fn call(count: u32, out: *mut u32) {
    let index = offload::global_id_x();
    if index >= count {
        return;
    }
    let out = unsafe { std::slice::from_raw_parts_mut(out.add(index as usize * RESULTS), RESULTS) };
    let x = index as f32;
    unsafe {
        let F4(a) = with_sign(F4([x, 1.0, 2.0, 3.0]), F4([2.0, -1.0, -x, x]));
        let F3(b) = absolute(F3([x + 0.5, 0.25 - x, -x * 0.5]));
        let U4(f) = shift(U4([index, 1, 2, 3]), U4([!0, index << 16, 7, !0]), U4([4, 8, 0, 31]));
        let U8(c) = reverse(U8([index, 1, 2, 3, 4, index + 5, 6, 7]));
        let Sum(d, carry) = add(index, 0xffff_fff0);
        let mut seen = [0; 3];
        copy(seen.as_mut_ptr(), [index, 8, 9].as_ptr(), 12, false);
        copy(seen.as_mut_ptr(), [1; 3].as_ptr(), 0, false);
        let mut filled = [0; 2];
        fill(filled.as_mut_ptr(), index as u8, 8, false);
        copy(filled.as_mut_ptr(), &index, 4, false);
        let numbers = [sum(U4([index, 2, 3, 4])), d, u32::from(carry), reverse_halves(index)];
        let more = [u32::from(magnitude(0x8000 | index as u16)), ones(u64::from(index) << 8) as u32];
        let values = a.iter().chain(&b).map(|v| v.to_bits()).chain(f).chain(c).chain(numbers).chain(more).chain(seen);
        let values = values.chain(filled);
        for (to, value) in out.iter_mut().zip(values) {
            *to = value;
        }
        out[RESULTS - 1] = __offload_arch() >> 24;
    }
}

fn expected(index: u32) -> Vec<u32> {
    let x = index as f32;
    let floats = [x, -1.0, -2.0, 3.0, x + 0.5, (0.25 - x).abs(), x * 0.5];
    let shifted = [index << 4 | 15, 1 << 8 | (index << 16) >> 24, 2, !0 >> 1 | 3 << 31];
    let reversed = [index, 1, 2, 3, 4, index + 5, 6, 7].map(u32::reverse_bits);
    let (sum, carry) = index.overflowing_add(0xffff_fff0);
    let halves = u32::from((index as u16).reverse_bits()) | u32::from(((index >> 16) as u16).reverse_bits()) << 16;
    let numbers = [index + 9, sum, u32::from(carry), halves, index & 0x7fff, index.count_ones(), index, 8, 9];
    let numbers = numbers.into_iter().chain([index, (index & 0xff) * 0x0101_0101]);
    floats.iter().map(|v| v.to_bits()).chain(shifted).chain(reversed).chain(numbers).collect()
}

fn main() {
    let count = offload::number_argument(1, 1000);
    let device = Device::open();
    let out = device.allocate::<u32>(count as usize * RESULTS);
    let kernel = unsafe { offload::__offload_kernel(call as *const ()) };
    device.launch(kernel, Shape::linear(count, 128), &[argument(&count), argument(&out.as_mut_ptr())]);
    let result = out.read();
    let row = |i: u32| &result[i as usize * RESULTS..];
    let right = |i: u32| row(i).iter().zip(&expected(i)).all(|(a, b)| a == b) && row(i)[RESULTS - 1] != 0;
    let wrong = (0..count).filter(|&i| !right(i)).count();
    offload::verdict("intrinsics", &format!("{count} threads"), wrong);
}
