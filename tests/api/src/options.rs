//! Options of kernels: their rules for floating-point code are their own, though they call the same functions.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, fast, kernel, prelude::*, thread, unroll};

/// 2⁻²⁴ if the product and the sum round once.
#[inline(never)]
fn residue(a: f32, c: f32) -> f32 {
    a * a + c
}

fn each(values: &[f32], mut out: DisjointSlice<f32>, of: impl Fn(f32) -> f32) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = of(values[i.get()]);
    }
}

#[kernel]
fn plain(c: f32, values: &[f32], out: DisjointSlice<f32>) {
    each(values, out, |a| residue(a, c));
}

#[kernel(fp_contract = "fast", max_registers = 40)]
fn contracted(c: f32, values: &[f32], out: DisjointSlice<f32>) {
    each(values, out, |a| residue(a, c));
}

#[kernel(fp_contract = "off", launch_bounds(64))]
fn separate(c: f32, values: &[f32], out: DisjointSlice<f32>) {
    each(values, out, |a| residue(a, c));
}

/// A kernel of a module with other rules, as a function.
#[kernel(fp_contract = "fast")]
fn calls_another(c: f32, values: &[f32], out: DisjointSlice<f32>) {
    separate(c, values, out);
}

#[kernel(fast_math)]
fn approximate(values: &[f32], out: DisjointSlice<f32>) {
    each(values, out, |x| x.exp() / x.sqrt() + x.sin());
}

#[kernel]
fn by_name(values: &[f32], out: DisjointSlice<f32>) {
    each(values, out, |x| fast::div(fast::exp(x), fast::sqrt(x)) + fast::sin(x));
}

#[kernel]
fn unrolled(values: &[f32], mut out: DisjointSlice<f32>) {
    let i = thread::index_1d();
    let mut sum = 0.0;
    for value in values {
        unroll!(4);
        sum += value * i.get() as f32;
    }
    let mut last = 0.0;
    for (k, value) in values[values.len() - 3..].iter().enumerate() {
        unroll!();
        last += value * k as f32;
    }
    if let Some(out) = out.get_mut(i) {
        *out = sum + last;
    }
}

/// All of it.
pub(super) fn check(stream: &Stream) -> Result<()> {
    let (a, c) = (1.0 + f32::powi(2.0, -12), -(1.0 + f32::powi(2.0, -11)));
    let values = DeviceBuffer::from_host(stream, &[a; 100])?;
    let mut out = DeviceBuffer::<f32>::zeroed(stream, 100)?;
    let (grid, once) = (Grid::for_len(100, 64), f32::powi(2.0, -24));
    contracted.launch(stream, grid, (c, &values, &mut out))?;
    // A processor may lack the instruction.
    let name = stream.device().name();
    let fuses = name.starts_with("cuda") || name.starts_with("hip");
    let got = out.to_host_vec(stream)?;
    assert!(got == [once; 100] || !fuses && got == [0.0; 100], "{got:?}");
    plain.launch(stream, grid, (c, &values, &mut out))?;
    assert_eq!(out.to_host_vec(stream)?, [0.0; 100]);
    separate.launch(stream, grid, (c, &values, &mut out))?;
    assert_eq!(out.to_host_vec(stream)?, [0.0; 100]);
    calls_another.launch(stream, grid, (c, &values, &mut out))?;
    assert_eq!(out.to_host_vec(stream)?, [0.0; 100]);

    let numbers: Vec<f32> = (1..=100).map(|n| n as f32 / 16.0).collect();
    let values = DeviceBuffer::from_host(stream, &numbers)?;
    // OpenCL leaves the errors to the device.
    let close = |got: &[f32]| {
        let exact = numbers.iter().map(|x| f64::from(*x)).map(|x| x.exp() / x.sqrt() + x.sin());
        got.iter().zip(exact).all(|(got, exact)| (f64::from(*got) - exact).abs() < 1e-3 * exact.abs().max(1.0))
    };
    approximate.launch(stream, grid, (&values, &mut out))?;
    assert!(close(&out.to_host_vec(stream)?));
    by_name.launch(stream, grid, (&values, &mut out))?;
    assert!(close(&out.to_host_vec(stream)?));

    unrolled.launch(stream, grid, (&values, &mut out))?;
    let sum: f32 = numbers.iter().sum();
    let wanted: Vec<f32> = (0..100).map(|i| sum * i as f32 + numbers[98] + 2.0 * numbers[99]).collect();
    assert!(out.to_host_vec(stream)?.iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() < 0.5));
    Ok(())
}
