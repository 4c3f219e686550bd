//! Rules for floating-point code, which belong to one kernel: each kernel that shares a function gets its own result. A
//! function that is called through a pointer has the rules of the build.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" {
    fn __offload_fp_contract(rule: u32);
    fn __offload_fast_math();
    fn __offload_max_registers(count: u32);
    fn __offload_unroll(count: u32);
    fn __offload_arch() -> u32;
}

/// 2⁻²⁴ if the product and the sum round once, and 0 if each of them rounds.
#[inline(never)]
fn residue(a: f32, c: f32) -> f32 {
    of_two(a, a) + c
}

fn of_two(a: f32, b: f32) -> f32 {
    a * b
}

fn of_each(values: *const f32, out: *mut f32, of: impl Fn(f32, f32) -> f32) {
    let i = offload::global_id_x() as usize;
    unsafe { *out.add(i) = of(*values.add(2 * i), *values.add(2 * i + 1)) };
}

extern "C" fn plain(values: *const f32, out: *mut f32) {
    of_each(values, out, residue);
}

extern "C" fn contracted(values: *const f32, out: *mut f32) {
    unsafe { __offload_fp_contract(1) };
    of_each(values, out, residue);
}

extern "C" fn exact(values: *const f32, out: *mut f32) {
    unsafe {
        __offload_fp_contract(0);
        __offload_max_registers(32);
    }
    of_each(values, out, |a, c| residue(a, c));
}

extern "C" fn fast(values: *const f32, out: *mut f32) {
    unsafe { __offload_fast_math() };
    of_each(values, out, |a, c| residue(a, c));
}

/// A function with its own rules, in a kernel with others.
#[inline(never)]
fn exact_inside(a: f32, c: f32) -> f32 {
    unsafe { __offload_fp_contract(0) };
    residue(a, c)
}

extern "C" fn both(values: *const f32, out: *mut f32) {
    unsafe { __offload_fp_contract(1) };
    of_each(values, out, |a, c| if a > 0.0 { exact_inside(a, c) } else { residue(a, c) });
}

/// The kind of device that runs it, and a sum in a loop that is unrolled.
extern "C" fn kind(n: u32, out: *mut u32) {
    let mut sum = 0u32;
    for k in 0..n {
        unsafe { __offload_unroll(4) };
        sum += k * k;
    }
    unsafe {
        *out = __offload_arch() >> 24;
        *out.add(1) = sum;
    }
}

fn main() {
    let device = Device::open();
    let (a, c) = (1.0 + f32::powi(2.0, -12), -(1.0 + f32::powi(2.0, -11)));
    let values = device.upload(&[a, c, -a, c]);
    let out = device.upload(&[1.0f32; 2]);
    let mut results = Vec::new();
    let kernels = [kernel!(plain), kernel!(contracted), kernel!(exact), kernel!(fast), kernel!(both)];
    for kernel in kernels {
        device.launch(kernel, Shape::linear(2, 2), &[argument(&values.as_ptr()), argument(&out.as_mut_ptr())]);
        results.push(out.read());
    }
    let numbers = device.upload(&[0u32; 2]);
    device.launch(kernel!(kind), Shape::linear(1, 1), &[argument(&1001u32), argument(&numbers.as_mut_ptr())]);
    let numbers = numbers.read();
    // A processor without an instruction for it does not fuse.
    let may_separate = numbers[0] == 1;
    let once = f32::powi(2.0, -24);
    let separate = [0.0, 0.0];
    let mut wrong = usize::from(numbers[1] != (0..1001).map(|k| k * k).sum::<u32>());
    let wanted = [separate, [once; 2], separate, [once; 2], [0.0, once]];
    for (number, (got, wanted)) in results.iter().zip(wanted).enumerate() {
        if got != &wanted && !(may_separate && got == &separate) {
            println!("kernel {number}: {got:?} instead of {wanted:?}");
            wrong += 1;
        }
    }
    offload::verdict("float_rules", "five kernels with one function", wrong);
}
