//! Floating-point instructions: expected values are IEEE 754's, computed by the host, and the ISA's special results.

mod common;
#[path = "common/evaluate.rs"]
mod evaluate;

use evaluate::evaluate;

fn single(instruction: &str, rows: &[(f32, f32, f32, u32)]) {
    let word = |value: f32| u64::from(value.to_bits());
    let operands: Vec<[u64; 3]> = rows.iter().map(|(a, b, c, _)| [word(*a), word(*b), word(*c)]).collect();
    let expected: Vec<u64> = rows.iter().map(|row| u64::from(row.3)).collect();
    assert_eq!(evaluate(instruction, &operands), expected, "{instruction}");
}

const TINY: f32 = f32::from_bits(1);

#[test]
fn directions_of_rounding() {
    let third = (1.0f32 / 3.0).to_bits();
    single("div.rn.f32 %rd, %ra, %rb", &[(1.0, 3.0, 0.0, third)]);
    single("div.rz.f32 %rd, %ra, %rb", &[(1.0, 3.0, 0.0, third - 1)]);
    single("div.rp.f32 %rd, %ra, %rb", &[(1.0, 3.0, 0.0, third), (-1.0, 3.0, 0.0, (third - 1) | 1 << 31)]);
    single("add.rm.f32 %rd, %ra, %rb", &[(1.0, TINY, 0.0, 1f32.to_bits()), (1.0, -1.0, 0.0, (-0f32).to_bits())]);
    single("add.rp.f32 %rd, %ra, %rb", &[(1.0, TINY, 0.0, 1f32.to_bits() + 1)]);
    single("fma.rz.f32 %rd, %ra, %rb, %rc", &[(1.0, 1.0, -TINY, 1f32.to_bits() - 1)]);
    single("mul.rz.f32 %rd, %ra, %rb", &[(f32::MAX, 2.0, 0.0, f32::MAX.to_bits())]);
    single("sqrt.rn.f32 %rd, %ra", &[(2.0, 0.0, 0.0, 2f32.sqrt().to_bits())]);
}

#[test]
fn modifiers() {
    single("add.ftz.f32 %rd, %ra, %rb", &[(TINY, TINY, 0.0, 0), (-TINY, -0.0, 0.0, 1 << 31)]);
    single(
        "add.sat.f32 %rd, %ra, %rb",
        &[(3.0, 4.0, 0.0, 1f32.to_bits()), (-3.0, 1.0, 0.0, 0), (f32::NAN, 1.0, 0.0, 0)],
    );
    single("mul.rn.f32 %rd, %ra, %rb", &[(f32::INFINITY, 0.0, 0.0, 0x7fff_ffff)]);
}

#[test]
fn the_smaller_and_the_larger() {
    single("min.f32 %rd, %ra, %rb", &[(f32::NAN, 1.0, 0.0, 1f32.to_bits()), (0.0, -0.0, 0.0, 1 << 31)]);
    single("max.f32 %rd, %ra, %rb", &[(-0.0, 0.0, 0.0, 0), (f32::NAN, f32::NAN, 0.0, 0x7fff_ffff)]);
    single("max.NaN.f32 %rd, %ra, %rb", &[(f32::NAN, 1.0, 0.0, 0x7fff_ffff)]);
}

#[test]
fn approximations_have_their_special_results() {
    single("ex2.approx.f32 %rd, %ra", &[(0.0, 0.0, 0.0, 1f32.to_bits()), (f32::NEG_INFINITY, 0.0, 0.0, 0)]);
    single("lg2.approx.f32 %rd, %ra", &[(0.0, 0.0, 0.0, f32::NEG_INFINITY.to_bits())]);
    single("rsqrt.approx.f32 %rd, %ra", &[(-0.0, 0.0, 0.0, f32::NEG_INFINITY.to_bits())]);
    single("div.approx.f32 %rd, %ra, %rb", &[(1.0, 2f32.powi(127), 0.0, 0), (0.0, 2.0, 0.0, 0)]);
    single("sin.approx.f32 %rd, %ra", &[(0.0, 0.0, 0.0, 0)]);
}

#[test]
fn conversions_round_and_saturate() {
    let rows = |values: &[(f32, u32)]| values.iter().map(|(a, d)| (*a, 0.0, 0.0, *d)).collect::<Vec<_>>();
    single("cvt.rni.s32.f32 %rd, %ra", &rows(&[(2.5, 2), (3.5, 4), (1e10, 0x7fff_ffff), (f32::NAN, 0)]));
    single("cvt.rzi.u32.f32 %rd, %ra", &rows(&[(-1.0, 0), (2.9, 2), (1e10, u32::MAX)]));
    single("cvt.rmi.f32.f32 %rd, %ra", &rows(&[(-1.5, (-2f32).to_bits())]));
    single("cvt.rn.f16.f32 %hd, %ra", &rows(&[(65520.0, 0x7c00), (1.0, 0x3c00), (f32::NAN, 0x7fff)]));
    single("cvt.rz.f16.f32 %hd, %ra", &rows(&[(65520.0, 0x7bff)]));
    single("cvt.rn.bf16.f32 %hd, %ra", &rows(&[(1.0, 0x3f80)]));
    single("cvt.rna.tf32.f32 %rd, %ra", &rows(&[(f32::from_bits(0x3f80_1000), 0x3f80_2000)]));
    let bits = evaluate("cvt.rzi.s64.f64 %d, %a", &[[f64::NAN.to_bits(), 0, 0], [(-2.7f64).to_bits(), 0, 0]]);
    assert_eq!(bits, [1 << 63, (-2i64) as u64]);
    let odd = (1u64 << 24) + 1;
    assert_eq!(evaluate("cvt.rn.f32.u64 %rd, %a", &[[odd, 0, 0]]), [u64::from((odd as f32).to_bits())]);
    assert_eq!(evaluate("cvt.rp.f32.u64 %rd, %a", &[[odd, 0, 0]]), [u64::from((odd as f32).to_bits()) + 1]);
    let wide = f64::from_bits(0x3ff0_0000_1000_0001);
    assert_eq!(evaluate("cvt.rn.f32.f64 %rd, %a", &[[wide.to_bits(), 0, 0]]), [u64::from((wide as f32).to_bits())]);
}

#[test]
fn halves_and_pairs() {
    let half = |instruction, a, b, c| evaluate(instruction, &[[a, b, c]])[0];
    assert_eq!(half("add.rn.f16 %hd, %ha, %hb", 0x3c00, 0x3c00, 0), 0x4000);
    assert_eq!(half("fma.rn.f16 %hd, %ha, %hb, %hc", 0x4000, 0x4200, 0x3c00), 0x4700);
    assert_eq!(half("fma.rn.bf16 %hd, %ha, %hb, %hc", 0x4000, 0x4040, 0x3f80), 0x40e0);
    assert_eq!(half("add.rn.f16x2 %rd, %ra, %rb", 0x3c00_4000, 0x3c00_3c00, 0), 0x4000_4200);
    assert_eq!(half("neg.f16 %hd, %ha", 0x3c00, 0, 0), 0xbc00);
}

#[test]
fn comparisons_with_what_is_not_a_number() {
    let nan = u64::from(f32::NAN.to_bits());
    assert_eq!(evaluate("setp.lt.f32 %p0, %ra, %rb", &[[nan, 0, 0], [0, 0x3f80_0000, 0]]), [0, 1]);
    assert_eq!(evaluate("setp.ltu.f32 %p0, %ra, %rb", &[[nan, 0, 0]]), [1]);
    assert_eq!(evaluate("setp.ne.f32 %p0, %ra, %rb", &[[nan, 0, 0]]), [0]);
    assert_eq!(evaluate("setp.neu.f32 %p0, %ra, %rb", &[[nan, 0, 0]]), [1]);
    assert_eq!(evaluate("setp.nan.f32 %p0, %ra, %rb", &[[nan, 0, 0]]), [1]);
    assert_eq!(evaluate("testp.subnormal.f32 %p0, %ra", &[[1, 0, 0], [0, 0, 0]]), [1, 0]);
    assert_eq!(evaluate("copysign.f32 %rd, %ra, %rb", &[[1 << 31, 0x3f80_0000, 0]]), [0xbf80_0000]);
}
