//! `sin`, `cos`, `sincos` and `tan` with the bits of the `libm` crate's, in a form that has one branch.
//!
//! As in `straight.rs`: the crate subtracts a multiple of pi/2 that it finds by comparisons for small arguments and by
//! a product for others. The product finds the same multiple of doubles except near the odd multiples of pi/4. Both
//! polynomials are computed, and one is chosen. Arguments that are huge, not finite, or near such a multiple take the
//! branch, to the crate's own function.

use super::math;
use super::straight::choose;

/// Adding and subtracting it rounds to a whole number.
const TO_INT: f64 = 1.5 / f64::EPSILON;
const INV_PIO2: f64 = f64::from_bits(0x3fe4_5f30_6dc9_c883);

/// The first limit of singles at which the crate needs more bits of pi.
const HUGEF: f32 = f32::from_bits(0x4dc9_0fdb);
/// Up to this |x|, the crate subtracts multiples of pi/2 in one step.
const SMALLF: f32 = f32::from_bits(0x40e2_31d5);
/// Below this |x|, sin(x) is x.
const TINYF: f32 = f32::from_bits(0x3980_0000);

/// The sine.
pub(crate) fn sinf(x: f32) -> f32 {
    if !(x.abs() < HUGEF) {
        return far_sinf(x);
    }
    let (quadrant, sin, cos) = partsf(x);
    let y = turnedf(quadrant, sin, cos);
    choose(x.abs() < TINYF, x, y)
}

/// The cosine.
pub(crate) fn cosf(x: f32) -> f32 {
    if !(x.abs() < HUGEF) {
        return far_cosf(x);
    }
    let (quadrant, sin, cos) = partsf(x);
    turnedf(quadrant.wrapping_add(1), sin, cos)
}

/// The tangent.
pub(crate) fn tanf(x: f32) -> f32 {
    if !(x.abs() < HUGEF) {
        return far_tanf(x);
    }
    let (quadrant, rest) = reducedf(x);
    let tan = rest_tanf(rest);
    let is_even = quadrant & 1 == 0;
    let y = (choose(is_even, tan, -1.0) / choose(is_even, 1.0, tan)) as f32;
    choose(x.abs() < TINYF, x, y)
}

/// Both.
pub(crate) fn sincosf(x: f32) -> (f32, f32) {
    if !(x.abs() < HUGEF) {
        return far_sincosf(x);
    }
    let (quadrant, sin, cos) = partsf(x);
    let y = turnedf(quadrant, sin, cos);
    (choose(x.abs() < TINYF, x, y), turnedf(quadrant.wrapping_add(1), sin, cos))
}

#[cold]
#[inline(never)]
fn far_sinf(x: f32) -> f32 {
    math::sinf(x)
}

#[cold]
#[inline(never)]
fn far_cosf(x: f32) -> f32 {
    math::cosf(x)
}

#[cold]
#[inline(never)]
fn far_tanf(x: f32) -> f32 {
    math::tanf(x)
}

/// The sine of an angle in a quadrant, of which both functions are known after its multiple of pi/2.
#[inline(always)]
fn turnedf(quadrant: u32, sin: f32, cos: f32) -> f32 {
    let size = choose(quadrant & 1 == 0, sin, cos);
    f32::from_bits(size.to_bits() ^ (quadrant & 2) << 30)
}

/// The number of the quadrant, and the sine and the cosine of the rest.
#[inline(always)]
fn partsf(x: f32) -> (u32, f32, f32) {
    let (quadrant, rest) = reducedf(x);
    (quadrant, rest_sinf(rest), rest_cosf(rest))
}

/// The number of the quadrant, and the rest.
#[inline(always)]
fn reducedf(x: f32) -> (u32, f64) {
    const PIO2_1: f64 = f64::from_bits(0x3ff9_21fb_5000_0000);
    const PIO2_1T: f64 = f64::from_bits(0x3e51_10b4_611a_6263);
    let wide = f64::from(x);
    let sum = wide * INV_PIO2 + TO_INT;
    let multiple = sum - TO_INT;
    let is_small = x.abs() <= SMALLF;
    let (high, low) = (choose(is_small, core::f64::consts::FRAC_PI_2, PIO2_1), choose(is_small, 0.0, PIO2_1T));
    (sum.to_bits() as u32, wide - multiple * high - multiple * low)
}

#[inline(always)]
fn rest_tanf(x: f64) -> f64 {
    const T: [f64; 6] = [
        0.333331395030791399758,
        0.133392002712976742718,
        0.0533812378445670393523,
        0.0245283181166547278873,
        0.00297435743359967304927,
        0.00946564784943673166728,
    ];
    let z = x * x;
    let w = z * z;
    let s = z * x;
    let (r, t, u) = (T[4] + z * T[5], T[2] + z * T[3], T[0] + z * T[1]);
    (x + s * u) + (s * w) * (t + w * r)
}

#[inline(always)]
fn rest_sinf(x: f64) -> f32 {
    const S1: f64 = -0.166666666416265235595;
    const S2: f64 = 0.0083333293858894631756;
    const S3: f64 = -0.000198393348360966317347;
    const S4: f64 = 0.0000027183114939898219064;
    let z = x * x;
    let w = z * z;
    let r = S3 + z * S4;
    let s = z * x;
    ((x + s * (S1 + z * S2)) + s * w * r) as f32
}

#[inline(always)]
fn rest_cosf(x: f64) -> f32 {
    const C0: f64 = -0.499999997251031003120;
    const C1: f64 = 0.0416666233237390631894;
    const C2: f64 = -0.00138867637746099294692;
    const C3: f64 = 0.0000243904487962774090654;
    let z = x * x;
    let w = z * z;
    let r = C2 + z * C3;
    (((1.0 + z * C0) + w * C1) + (w * z) * r) as f32
}

#[cold]
#[inline(never)]
fn far_sincosf(x: f32) -> (f32, f32) {
    math::sincosf(x)
}

/// From this |x| on, the crate needs more bits of pi.
const HUGE: f64 = f64::from_bits(0x4139_21fb << 32);
/// Below this |x|, sin(x) is x.
const TINY: f64 = f64::from_bits(0x3e50_0000 << 32);

/// The sine.
pub(crate) fn sin(x: f64) -> f64 {
    let parts = parts(x);
    if !parts.is_certain {
        return far_sin(x);
    }
    let y = parts.turned(0);
    choose(x.abs() < TINY, x, y)
}

/// The cosine.
pub(crate) fn cos(x: f64) -> f64 {
    let parts = parts(x);
    if parts.is_certain { parts.turned(1) } else { far_cos(x) }
}

/// Both.
pub(crate) fn sincos(x: f64) -> (f64, f64) {
    let parts = parts(x);
    if !parts.is_certain {
        return far_sincos(x);
    }
    let y = parts.turned(0);
    (choose(x.abs() < TINY, x, y), parts.turned(1))
}

#[cold]
#[inline(never)]
fn far_sin(x: f64) -> f64 {
    math::sin(x)
}

#[cold]
#[inline(never)]
fn far_cos(x: f64) -> f64 {
    math::cos(x)
}

#[cold]
#[inline(never)]
fn far_sincos(x: f64) -> (f64, f64) {
    math::sincos(x)
}

/// An angle as a multiple of pi/2 and a rest.
struct Parts {
    quadrant: u32,
    sin: f64,
    cos: f64,
    /// Whether the crate takes the same multiple, and no more bits of pi.
    is_certain: bool,
}

impl Parts {
    /// The sine of the angle with some quadrants more.
    #[inline(always)]
    fn turned(&self, more: u32) -> f64 {
        let quadrant = self.quadrant.wrapping_add(more);
        let size = choose(quadrant & 1 == 0, self.sin, self.cos);
        f64::from_bits(size.to_bits() ^ u64::from(quadrant & 2) << 62)
    }
}

#[inline(always)]
fn parts(x: f64) -> Parts {
    /// Up to this |x|, the crate subtracts nothing, and its polynomial of the sine is added up in another order.
    const FIRST: f64 = core::f64::consts::FRAC_PI_4;
    let Rest { quadrant, high, low, is_certain } = rest(x);
    let sin = choose(x.abs() <= FIRST, near_sin(high), rest_sin(high, low));
    Parts { quadrant, sin, cos: rest_cos(high, low), is_certain }
}

/// The number of the quadrant of an angle, and the rest in two parts.
struct Rest {
    quadrant: u32,
    high: f64,
    low: f64,
    /// As in [`Parts`].
    is_certain: bool,
}

#[inline(always)]
fn rest(x: f64) -> Rest {
    const PIO2_1: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
    const PIO2_1T: f64 = f64::from_bits(0x3dd0_b461_1a62_6331);
    const PIO2_2: f64 = f64::from_bits(0x3dd0_b461_1a60_0000);
    const PIO2_2T: f64 = f64::from_bits(0x3ba3_198a_2e03_7073);
    /// The difference between a quotient and the next whole number at which the crate may take either. Its limits
    /// have 20 bits.
    const LEAST_CERTAIN: f64 = 0.499_99;
    /// Below this |x|, about 9/4 pi, the crate compares the upper half of x.
    const SMALL: f64 = f64::from_bits(0x401c_463c << 32);
    let quotient = x * INV_PIO2;
    let sum = quotient + TO_INT;
    let multiple = sum - TO_INT;
    let first = x - multiple * PIO2_1;
    let first_rest = multiple * PIO2_1T;
    // Where most bits cancel, the crate subtracts more bits of pi.
    let (second, part) = (first - multiple * PIO2_2, multiple * PIO2_2);
    let second_rest = multiple * PIO2_2T - ((first - second) - part);
    let exponent = power_of(x);
    let most_cancel = exponent > power_of(first - first_rest) * 65536.0;
    // For small angles, it does so only if their upper halves are those of the multiple.
    let is_near = upper(x) == upper(multiple * core::f64::consts::FRAC_PI_2);
    let cancels = most_cancel & (is_near | (x.abs() >= SMALL));
    let (near, rest) = (choose(cancels, second, first), choose(cancels, second_rest, first_rest));
    let high = near - rest;
    let low = (near - high) - rest;
    let is_third = exponent > power_of(high) * 562_949_953_421_312.0;
    let is_certain = (x.abs() < HUGE) & ((quotient - multiple).abs() < LEAST_CERTAIN) & !is_third;
    Rest { quadrant: sum.to_bits() as u32, high, low, is_certain }
}

/// The largest power of two that is not above |x|, or 0 for those below the normal numbers.
#[inline(always)]
fn power_of(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7ff << 52)
}

/// A number without the lower half of its bits.
#[inline(always)]
fn upper(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (u64::MAX << 32))
}

#[inline(always)]
fn near_sin(x: f64) -> f64 {
    let (z, v, r) = (x * x, x * x * x, sum_of_sin(x));
    x + v * (S1 + z * r)
}

#[inline(always)]
fn rest_sin(x: f64, y: f64) -> f64 {
    let (z, v, r) = (x * x, x * x * x, sum_of_sin(x));
    x - ((z * (0.5 * y - v * r) - y) - v * S1)
}

const S1: f64 = -1.66666666666666324348e-01;

#[inline(always)]
fn sum_of_sin(x: f64) -> f64 {
    const S2: f64 = 8.33333333332248946124e-03;
    const S3: f64 = -1.98412698298579493134e-04;
    const S4: f64 = 2.75573137070700676789e-06;
    const S5: f64 = -2.50507602534068634195e-08;
    const S6: f64 = 1.58969099521155010221e-10;
    let z = x * x;
    let w = z * z;
    S2 + z * (S3 + z * S4) + z * w * (S5 + z * S6)
}

#[inline(always)]
fn rest_cos(x: f64, y: f64) -> f64 {
    const C1: f64 = 4.16666666666666019037e-02;
    const C2: f64 = -1.38888888888741095749e-03;
    const C3: f64 = 2.48015872894767294178e-05;
    const C4: f64 = -2.75573143513906633035e-07;
    const C5: f64 = 2.08757232129817482790e-09;
    const C6: f64 = -1.13596475577881948265e-11;
    let z = x * x;
    let w = z * z;
    let r = z * (C1 + z * (C2 + z * C3)) + w * w * (C4 + z * (C5 + z * C6));
    let hz = 0.5 * z;
    let w = 1.0 - hz;
    w + (((1.0 - w) - hz) + (z * r - x * y))
}

/// The tangent.
pub(crate) fn tan(x: f64) -> f64 {
    const TINY: f64 = f64::from_bits(0x3e40_0000 << 32);
    let Rest { quadrant, high, low, is_certain } = rest(x);
    if !is_certain {
        return far_tan(x);
    }
    let y = rest_tan(high, low, quadrant & 1 == 0);
    choose(x.abs() < TINY, x, y)
}

#[cold]
#[inline(never)]
fn far_tan(x: f64) -> f64 {
    math::tan(x)
}

/// The tangent of x + y, or the same one quadrant later.
#[inline(always)]
fn rest_tan(x: f64, y: f64, is_even: bool) -> f64 {
    /// From this |x| on, the tangent of pi/4 less x is computed.
    const LARGE: f64 = f64::from_bits(0x3fe5_9428 << 32);
    const PIO4: [f64; 2] = [core::f64::consts::FRAC_PI_4, 3.06161699786838301793e-17];
    const T: [f64; 13] = [
        3.33333333333334091986e-01,
        1.33333333333201242699e-01,
        5.39682539762260521377e-02,
        2.18694882948595424599e-02,
        8.86323982359930005737e-03,
        3.59207910759131235356e-03,
        1.45620945432529025516e-03,
        5.88041240820264096874e-04,
        2.46463134818469906812e-04,
        7.81794442939557092300e-05,
        7.14072491382608190305e-05,
        -1.85586374855275456654e-05,
        2.59073051863633712884e-05,
    ];
    let is_large = x.abs() >= LARGE;
    let complement = (PIO4[0] - x.abs()) + (PIO4[1] - choose(x < 0.0, -y, y));
    let (near, low) = (choose(is_large, complement, x), choose(is_large, 0.0, y));
    let z = near * near;
    let w = z * z;
    let odd = T[1] + w * (T[3] + w * (T[5] + w * (T[7] + w * (T[9] + w * T[11]))));
    let even = z * (T[2] + w * (T[4] + w * (T[6] + w * (T[8] + w * (T[10] + w * T[12])))));
    let cube = z * near;
    let r = low + z * (cube * (odd + even) + low) + cube * T[0];
    let tan = near + r;
    let one = choose(is_even, 1.0, -1.0);
    let quotient = choose(is_large, tan * tan, -1.0) / choose(is_large, tan + one, tan);
    let turned = one - 2.0 * (near + (r - quotient));
    let turned = choose(x < 0.0, -turned, turned);
    let (tan_high, inverse_high) = (upper(tan), upper(quotient));
    let lost = r - (tan_high - near);
    let inverse = inverse_high + quotient * (1.0 + inverse_high * tan_high + inverse_high * lost);
    choose(is_large, turned, choose(is_even, tan, inverse))
}
