//! The approximate functions: their errors are not larger than documented, on every device.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

macro_rules! functions {
    ($($name:ident = $symbol:ident;)*) => {
        extern "C" { $(fn $symbol(x: f32) -> f32;)* }
        $(extern "C" fn $name(x: *const f32, out: *mut f32) {
            let i = offload::global_id_x() as usize;
            unsafe { *out.add(i) = $symbol(*x.add(i)) };
        })*
    };
}

functions! {
    cos = __offload_fast_cos;
    exp = __offload_fast_exp;
    exp10 = __offload_fast_exp10;
    exp2 = __offload_fast_exp2;
    log = __offload_fast_log;
    log10 = __offload_fast_log10;
    log2 = __offload_fast_log2;
    rcp = __offload_fast_rcp;
    rsqrt = __offload_fast_rsqrt;
    sin = __offload_fast_sin;
    sqrt = __offload_fast_sqrt;
    tan = __offload_fast_tan;
    tanh = __offload_fast_tanh;
}

extern "C" {
    fn __offload_fast_div(x: f32, y: f32) -> f32;
    fn __offload_fast_pow(x: f32, y: f32) -> f32;
    fn __offload_fast_math();
    fn __offload_arch() -> u32;
}

extern "C" fn div(x: *const f32, out: *mut f32) {
    let i = offload::global_id_x() as usize;
    unsafe { *out.add(i) = __offload_fast_div(3.0, *x.add(i)) };
}

extern "C" fn pow(x: *const f32, out: *mut f32) {
    let i = offload::global_id_x() as usize;
    unsafe { *out.add(i) = __offload_fast_pow(*x.add(i), 1.5) };
}

/// With the rules of `--fast-math`, functions of Rust's library are these.
extern "C" fn sum_of_rusts(x: *const f32, out: *mut f32) {
    unsafe { __offload_fast_math() };
    let i = offload::global_id_x() as usize;
    let x = unsafe { *x.add(i) };
    unsafe { *out.add(i) = x.sin() + x.exp() / x.sqrt() - x.ln() };
}

extern "C" fn kind(out: *mut u32) {
    unsafe { *out = __offload_arch() >> 24 };
}

/// Numbers from `least` to `most`.
fn numbers(least: f32, most: f32) -> Vec<f32> {
    (0..1000).map(|i| least + (most - least) * i as f32 / 999.0).collect()
}

/// A kernel, its arguments, the function, and the largest errors: relative and absolute.
struct Row {
    name: &'static str,
    kernel: *const offload::Kernel,
    x: Vec<f32>,
    wanted: fn(f64) -> f64,
    relative: f64,
    absolute: f64,
}

fn main() {
    let device = Device::open();
    let unit = f64::powi(2.0, -23);
    let row = |name, kernel, x, wanted, relative, absolute| Row { name, kernel, x, wanted, relative, absolute };
    let angles = || numbers(-6.28, 6.28);
    let positive = || [numbers(0.001, 2.0), numbers(2.0, 9000.0)].concat();
    let rows = [
        row("cos", kernel!(cos), angles(), f64::cos, 0.0, 8.0 * unit),
        row("exp", kernel!(exp), numbers(-80.0, 80.0), f64::exp, 100.0 * unit, 0.0),
        row("exp10", kernel!(exp10), numbers(-30.0, 30.0), |x| f64::powf(10.0, x), 100.0 * unit, 0.0),
        row("exp2", kernel!(exp2), numbers(-100.0, 100.0), f64::exp2, 2.0 * unit, 0.0),
        row("log", kernel!(log), positive(), f64::ln, 3.0 * unit, 4.0 * unit),
        row("log10", kernel!(log10), positive(), f64::log10, 3.0 * unit, 2.0 * unit),
        row("log2", kernel!(log2), positive(), f64::log2, 2.0 * unit, 2.0 * unit),
        row("rcp", kernel!(rcp), positive(), f64::recip, unit, 0.0),
        row("rsqrt", kernel!(rsqrt), positive(), |x| x.sqrt().recip(), 2.0 * unit, 0.0),
        row("sin", kernel!(sin), angles(), f64::sin, 0.0, 8.0 * unit),
        row("sqrt", kernel!(sqrt), positive(), f64::sqrt, 2.0 * unit, 0.0),
        row("tan", kernel!(tan), numbers(-1.5, 1.5), f64::tan, 1000.0 * unit, 8.0 * unit),
        row("tanh", kernel!(tanh), numbers(-9.0, 9.0), f64::tanh, f64::powi(2.0, -11), 4.0 * unit),
        row("div", kernel!(div), positive(), |x| 3.0 / x, 2.0 * unit, 0.0),
        row("pow", kernel!(pow), positive(), |x| x.powf(1.5), 100.0 * unit, 0.0),
        row(
            "sum",
            kernel!(sum_of_rusts),
            numbers(0.5, 6.0),
            |x| x.sin() + x.exp() / x.sqrt() - x.ln(),
            40.0 * unit,
            40.0 * unit,
        ),
    ];
    let number = device.upload(&[0u32]);
    device.launch(kernel!(kind), Shape::linear(1, 1), &[argument(&number.as_mut_ptr())]);
    // OpenCL leaves the errors to the device. Intel's for processors has about 13 bits that are right.
    let least = if number.read()[0] == 4 { f64::powi(2.0, -10) } else { 0.0 };
    let mut wrong = 0;
    for Row { name, kernel, x, wanted, relative, absolute } in rows {
        let (from, to) = (device.upload(&x), device.upload(&vec![0f32; x.len()]));
        let shape = Shape::linear(x.len() as u32, 100);
        device.launch(kernel, shape, &[argument(&from.as_ptr()), argument(&to.as_mut_ptr())]);
        for (x, got) in x.iter().zip(to.read()) {
            let (wanted, got) = (wanted(f64::from(*x)), f64::from(got));
            if !((got - wanted).abs() <= absolute.max(least) + relative.max(least) * wanted.abs()) {
                if wrong < 10 {
                    println!("{name}({x}) is {got} instead of {wanted}");
                }
                wrong += 1;
            }
        }
    }
    offload::verdict("fast", "sixteen functions", wrong);
}
