//! `math/straight.rs` returns the bits of the `libm` crate: for every `f32` if `OFFLOADC_ALL_MATH` is set, otherwise
//! for one in 509; and for `f64` numbers of all magnitudes and around the limits of the ranges.

#[path = "../../math/straight.rs"]
#[expect(
    clippy::excessive_precision,
    clippy::manual_range_contains,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "the form decides which code LLVM makes"
)]
mod straight;

/// The upper halves of numbers at which one of the functions changes from one range to another.
const LIMITS: [u64; 16] = [
    0x0000_0000,
    0x000f_ffff,
    0x0010_0000,
    0x0020_0000,
    0x3e30_0000,
    0x3e30_0001,
    0x3fd6_2e42,
    0x3fd6_2e43,
    0x3fe6_a09e,
    0x3ff0_0000,
    0x3ff0_a2b2,
    0x4086_232b,
    0x4086_2e42,
    0x4087_4910,
    0x7fe0_0000,
    0x7fef_ffff,
];

fn single(x: f32) -> u32 {
    if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
}

fn double(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

#[test]
fn functions_of_one_branch_are_the_portable_ones_for_singles() {
    let step = if std::env::var_os("OFFLOADC_ALL_MATH").is_some() { 1 } else { 509 };
    let half = |first: u64| {
        for bits in (first..1 << 32).step_by(2 * step) {
            let x = f32::from_bits(bits as u32);
            assert_eq!(single(straight::expf(x)), single(libm::expf(x)), "expf of {bits:#x}");
            assert_eq!(single(straight::logf(x)), single(libm::logf(x)), "logf of {bits:#x}");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| half(0));
        half(step as u64);
    });
    // Around the limits.
    let limits =
        [0x3900_0000, 0x3eb1_7218, 0x3f85_1592, 0x42ae_ac50, 0x42b1_7218, 0x42cf_f1b5, 0x0080_0000, 0x7f80_0000];
    for bits in limits.into_iter().flat_map(|limit| limit - 300..limit + 300).flat_map(|bits| [bits, bits | 1 << 31]) {
        let x = f32::from_bits(bits);
        assert_eq!(single(straight::expf(x)), single(libm::expf(x)), "expf of {bits:#x}");
        assert_eq!(single(straight::logf(x)), single(libm::logf(x)), "logf of {bits:#x}");
    }
}

#[test]
fn functions_of_one_branch_are_the_portable_ones_for_doubles() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    for turn in 0..1_000_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let part = random as i64 as f64 / 2f64.powi(63);
        let x = match turn % 4 {
            0 => f64::from_bits(random),
            1 => part * 750.0,
            2 => part * 2.0,
            _ => {
                let limit = LIMITS[(random >> 33) as usize % LIMITS.len()] << 32;
                // The last bits below and above the limit, and some of all others.
                let near = (random as u32 >> (random >> 59)) as i32 as i64;
                f64::from_bits((limit.wrapping_add_signed(near)) ^ random >> 40 << 63)
            }
        };
        assert_eq!(double(straight::exp(x)), double(libm::exp(x)), "exp of {x:e}");
        assert_eq!(double(straight::log(x)), double(libm::log(x)), "log of {x:e}");
    }
}
