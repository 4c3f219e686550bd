//! The division that compilers emit as V_DIV_SCALE, V_RCP, V_FMA, V_DIV_FMAS and V_DIV_FIXUP is correctly rounded:
//! AMD's documents describe the sequence, and IEEE 754 the result.

mod common;

use common::{BOTH, GCN, Kernel, Processor, RDNA, random};

/// Two steps of Newton and Raphson. `v[50:51]` is divided by `v[52:53]`.
fn wide(vcc: &str) -> String {
    format!(
        "  v_div_scale_f64 v[20:21], null, v[52:53], v[52:53], v[50:51]
  v_rcp_f64 v[22:23], v[20:21]
  v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0
  v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]
  v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0
  v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]
  v_div_scale_f64 v[26:27], {vcc}, v[50:51], v[52:53], v[50:51]
  v_mul_f64 v[28:29], v[26:27], v[22:23]
  v_fma_f64 v[20:21], -v[20:21], v[28:29], v[26:27]
  v_div_fmas_f64 v[20:21], v[20:21], v[22:23], v[28:29]
  v_div_fixup_f64 v[10:11], v[20:21], v[52:53], v[50:51]"
    )
    .replace("null", if vcc == "vcc" { "s[10:11]" } else { "null" })
}

/// `v1` divided by `v2`.
fn narrow(vcc: &str) -> String {
    format!(
        "  v_mov_b32 v11, 0
  v_div_scale_f32 v20, null, v2, v2, v1
  v_rcp_f32 v22, v20
  v_fma_f32 v24, -v20, v22, 1.0
  v_fma_f32 v22, v24, v22, v22
  v_div_scale_f32 v26, {vcc}, v1, v2, v1
  v_mul_f32 v28, v26, v22
  v_fma_f32 v30, -v20, v28, v26
  v_fma_f32 v28, v30, v22, v28
  v_fma_f32 v20, -v20, v28, v26
  v_div_fmas_f32 v20, v20, v22, v28
  v_div_fixup_f32 v10, v20, v2, v1"
    )
    .replace("null", if vcc == "vcc" { "s[10:11]" } else { "null" })
}

fn vcc(processor: Processor) -> &'static str {
    if processor == RDNA { "vcc_lo" } else { "vcc" }
}

const THREADS: usize = 1024;

/// One pair in eight is a power of two and a number just below one, whose quotient is the hardest to round; another has
/// a quotient that may be denormal.
fn pair(next: &mut impl FnMut() -> u64, number: usize, mantissa: u32) -> [u64; 2] {
    let (ones, [a, b]) = ((1 << mantissa) - 1, [next(), next()]);
    match number % 8 {
        0 => [a & !ones, b | ones],
        1 => [a >> 3, b | 0b111 << (mantissa + 4)],
        _ => [a, b],
    }
}

#[test]
fn quotients_of_64_bits_are_correctly_rounded() {
    for processor in BOTH {
        for seed in 0..8 {
            let mut next = random(seed);
            let pairs: Vec<[u64; 2]> = (0..THREADS).map(|i| pair(&mut next, i, 52)).collect();
            let words = |thread: usize| {
                let [a, b] = pairs[thread];
                [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
            };
            let text = wide(vcc(processor));
            let kernel = Kernel { threads: THREADS, ..Kernel::new(processor, &text) };
            for ([a, b], [low, high]) in pairs.iter().zip(kernel.run(words)) {
                let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
                let (quotient, got) = (a / b, f64::from_bits(u64::from(low) | u64::from(high) << 32));
                let is_exact = got.to_bits() == quotient.to_bits() || (got.is_nan() && quotient.is_nan());
                assert!(is_exact, "{a:e} / {b:e} = {got:e}, not {quotient:e}");
            }
        }
    }
}

#[test]
fn quotients_of_32_bits_are_correctly_rounded() {
    for processor in BOTH {
        for seed in 0..8 {
            let mut next = random(100 + seed);
            let narrow_pair = |i| pair(&mut next, i, 23).map(|word| word as u32);
            let pairs: Vec<[u32; 2]> = (0..THREADS).map(narrow_pair).collect();
            let text = narrow(vcc(processor));
            let kernel = Kernel { threads: THREADS, ..Kernel::new(processor, &text) };
            for ([a, b], [got, _]) in pairs.iter().zip(kernel.run(|thread| [pairs[thread][0], pairs[thread][1], 0, 0]))
            {
                let (a, b, got) = (f32::from_bits(*a), f32::from_bits(*b), f32::from_bits(got));
                let quotient = a / b;
                let is_exact = got.to_bits() == quotient.to_bits() || (got.is_nan() && quotient.is_nan());
                assert!(is_exact, "{a:e} / {b:e} = {got:e}, not {quotient:e}");
            }
        }
    }
}

#[test]
fn special_cases_are_fixed() {
    let inf = f32::INFINITY;
    for processor in [RDNA, GCN] {
        let cases = [(1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (inf, inf), (inf, -2.0), (3.0, inf), (f32::NAN, 1.0)];
        let text = narrow(vcc(processor));
        let input = |thread: usize| cases[thread % cases.len()];
        let outputs = Kernel::new(processor, &text).run(|thread| {
            let (a, b): (f32, f32) = input(thread);
            [a.to_bits(), b.to_bits(), 0, 0]
        });
        for (thread, [got, _]) in outputs.iter().enumerate() {
            let (a, b) = input(thread);
            let (got, wanted) = (f32::from_bits(*got), a / b);
            assert!(got == wanted || (got.is_nan() && wanted.is_nan()), "{a} / {b} = {got}, not {wanted}");
        }
    }
}
