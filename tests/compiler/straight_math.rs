//! The functions of `math/straight.rs` and of the files like it return the bits of the `libm` crate: for one `f32` in
//! 509 or 8191, and for `f64` numbers of all magnitudes and around the limits of the ranges.
//!
//! With `OFFLOADC_ALL_MATH=1`, all `f32` functions are compared for every argument, those of two numbers for more
//! samples. `OFFLOADC_ALL_MATH=sinf,powf` does so for these functions only, so that a part can be repeated. Each takes
//! minutes in a release build, which `make test-all` makes.

use std::collections::BTreeMap;

use libm as math;

#[path = "../../math/angles.rs"]
#[expect(
    clippy::excessive_precision,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "the form decides which code LLVM makes"
)]
mod angles;
#[path = "../../math/arcs.rs"]
#[expect(
    clippy::excessive_precision,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "the form decides which code LLVM makes"
)]
mod arcs;
#[path = "../../math/differences.rs"]
#[expect(
    clippy::excessive_precision,
    clippy::manual_range_contains,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "the form decides which code LLVM makes"
)]
mod differences;
#[path = "../../math/error_functions.rs"]
#[expect(
    clippy::excessive_precision,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "the form decides which code LLVM makes"
)]
mod error_functions;
#[path = "../../math/exp2.rs"]
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "the form decides which code LLVM makes")]
mod exp2;
#[path = "../../math/powers.rs"]
#[expect(
    clippy::excessive_precision,
    clippy::manual_range_contains,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "the form decides which code LLVM makes"
)]
mod powers;
#[path = "../../math/rounds.rs"]
mod rounds;
#[path = "../../math/straight.rs"]
#[expect(
    clippy::excessive_precision,
    clippy::manual_range_contains,
    clippy::neg_cmp_op_on_partial_ord,
    reason = "the form decides which code LLVM makes"
)]
mod straight;

/// Functions of one number, and the crate's.
type Singles = [(&'static str, fn(f32) -> f32, fn(f32) -> f32); 27];
const SINGLES: Singles = [
    ("expf", straight::expf, libm::expf),
    ("logf", straight::logf, libm::logf),
    ("sincosf", |x| angles::sincosf(x).0, |x| libm::sincosf(x).0),
    ("sincosf", |x| angles::sincosf(x).1, |x| libm::sincosf(x).1),
    ("sinf", angles::sinf, libm::sinf),
    ("cosf", angles::cosf, libm::cosf),
    ("tanf", angles::tanf, libm::tanf),
    ("acosf", arcs::acosf, libm::acosf),
    ("asinf", arcs::asinf, libm::asinf),
    ("atanf", arcs::atanf, libm::atanf),
    ("erff", error_functions::erff, libm::erff),
    ("erfcf", error_functions::erfcf, libm::erfcf),
    ("expm1f", differences::expm1f, libm::expm1f),
    ("log1pf", differences::log1pf, libm::log1pf),
    ("sinhf", differences::sinhf, libm::sinhf),
    ("coshf", differences::coshf, libm::coshf),
    ("cbrtf", differences::cbrtf, libm::cbrtf),
    ("truncf", rounds::truncf, libm::truncf),
    ("floorf", rounds::floorf, libm::floorf),
    ("ceilf", rounds::ceilf, libm::ceilf),
    ("roundf", rounds::roundf, libm::roundf),
    ("rintf", rounds::rintf, libm::rintf),
    ("roundevenf", rounds::roundevenf, libm::roundevenf),
    ("exp2f", powers::exp2f, libm::exp2f),
    ("log2f", powers::log2f, libm::log2f),
    ("log10f", powers::log10f, libm::log10f),
    ("tanhf", powers::tanhf, libm::tanhf),
];
type Doubles = [(&'static str, fn(f64) -> f64, fn(f64) -> f64); 25];
const DOUBLES: Doubles = [
    ("exp2", exp2::exp2, libm::exp2),
    ("sincos", |x| angles::sincos(x).0, |x| libm::sincos(x).0),
    ("sincos", |x| angles::sincos(x).1, |x| libm::sincos(x).1),
    ("sin", angles::sin, libm::sin),
    ("cos", angles::cos, libm::cos),
    ("tan", angles::tan, libm::tan),
    ("acos", arcs::acos, libm::acos),
    ("asin", arcs::asin, libm::asin),
    ("atan", arcs::atan, libm::atan),
    ("erf", error_functions::erf, libm::erf),
    ("erfc", error_functions::erfc, libm::erfc),
    ("expm1", differences::expm1, libm::expm1),
    ("log1p", differences::log1p, libm::log1p),
    ("sinh", differences::sinh, libm::sinh),
    ("cosh", differences::cosh, libm::cosh),
    ("cbrt", differences::cbrt, libm::cbrt),
    ("trunc", rounds::trunc, libm::trunc),
    ("floor", rounds::floor, libm::floor),
    ("ceil", rounds::ceil, libm::ceil),
    ("round", rounds::round, libm::round),
    ("rint", rounds::rint, libm::rint),
    ("roundeven", rounds::roundeven, libm::roundeven),
    ("log2", powers::log2, libm::log2),
    ("log10", powers::log10, libm::log10),
    ("tanh", powers::tanh, libm::tanh),
];

/// The upper halves of numbers at which one of the functions changes from one range to another.
const LIMITS: [u64; 46] = [
    0x0000_0000,
    0x000f_ffff,
    0x0010_0000,
    0x0020_0000,
    0x3c60_0000,
    0x3c60_0001,
    0x3c70_0000,
    0x3c90_0000,
    0x3ca0_0000,
    0x3e30_0000,
    0x3e30_0001,
    0x3e40_0000,
    0x3e50_0000,
    0x3fd0_0000,
    0x3fd2_bec4,
    0x3fd2_bec5,
    0x3fd6_2e42,
    0x3fd6_2e43,
    0x3fda_827a,
    0x3fdc_0000,
    0x3fe0_0000,
    0x3fe5_9428,
    0x3fe6_0000,
    0x3fe6_2e42,
    0x3fe6_a09e,
    0x3feb_0000,
    0x3fef_3333,
    0x3ff0_0000,
    0x3ff0_a2b2,
    0x3ff3_0000,
    0x3ff4_0000,
    0x4003_8000,
    0x4006_db6d,
    0x4018_0000,
    0x403a_0000,
    0x403c_0000,
    0x4043_687a,
    0x4086_232b,
    0x4086_2e42,
    0x4086_2e43,
    0x4087_4910,
    0x4330_0000,
    0x4340_0000,
    0x4410_0000,
    0x7fe0_0000,
    0x7fef_ffff,
];

/// The limits of singles, without their signs.
const SINGLE_LIMITS: [u32; 47] = [
    0x0080_0000,
    0x0100_0000,
    0x2380_0000,
    0x3180_0000,
    0x3280_0000,
    0x3300_0000,
    0x3380_0000,
    0x3900_0000,
    0x3980_0000,
    0x3e80_0000,
    0x3e82_c578,
    0x3e95_f619,
    0x3eb1_7218,
    0x3ed4_13d0,
    0x3ee0_0000,
    0x3f00_0000,
    0x3f0c_9f54,
    0x3f30_0000,
    0x3f31_7217,
    0x3f49_0fda,
    0x3f58_0000,
    0x3f80_0000,
    0x3f85_1592,
    0x3f98_0000,
    0x3fa0_0000,
    0x4016_cbe3,
    0x401c_0000,
    0x4036_db6d,
    // The only one up to 9/4 pi at which a shorter form of pi/2 makes a difference.
    0x4040_6406,
    0x407b_53d1,
    0x40af_eddf,
    0x40c0_0000,
    0x40e2_31d5,
    0x4110_0000,
    0x4120_0000,
    0x4195_b844,
    0x41b1_7218,
    0x41e0_0000,
    0x42ae_ac50,
    0x42b1_7218,
    0x42cf_f1b5,
    0x42fc_0000,
    0x4b00_0000,
    0x4b80_0000,
    0x4c80_0000,
    0x4dc9_0fdb,
    0x7f80_0000,
];

fn single(x: f32) -> u32 {
    if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
}

fn double(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

/// The functions of `names` that all arguments are asked for: those that `OFFLOADC_ALL_MATH` names, or all.
fn all_of(names: &[&'static str]) -> Vec<&'static str> {
    let Ok(asked) = std::env::var("OFFLOADC_ALL_MATH") else { return Vec::new() };
    for name in asked.split(',') {
        let is_known = name == "1" || SINGLES.iter().any(|row| row.0 == name) || PAIRS.contains(&name);
        assert!(is_known, "OFFLOADC_ALL_MATH: there is no function {name} of `f32`");
    }
    names.iter().copied().filter(|name| asked.split(',').any(|one| one == "1" || one == *name)).collect()
}

/// The first argument of a range for which two functions differ.
fn difference(range: impl Iterator<Item = u32>, ours: fn(f32) -> f32, crates: fn(f32) -> f32) -> Option<u32> {
    let mut bits = range;
    bits.find(|bits| single(ours(f32::from_bits(*bits))) != single(crates(f32::from_bits(*bits))))
}

/// A function that differs does not keep the others from being compared.
#[test]
fn functions_of_one_branch_are_the_portable_ones_for_singles() {
    let names = SINGLES.map(|row| row.0);
    let all = all_of(&names);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut differences = Vec::new();
    for (name, ours, crates) in SINGLES {
        let step = match name {
            _ if all.contains(&name) => 1,
            "expf" | "logf" => 509,
            _ => 8191,
        };
        let part = |first: usize| {
            let all = ((first * step) as u64..1 << 32).step_by(threads * step).map(|bits| bits as u32);
            difference(all, ours, crates)
        };
        let found = std::thread::scope(|scope| {
            let parts = (0..threads).map(|first| scope.spawn(move || part(first))).collect::<Vec<_>>();
            parts.into_iter().find_map(|part| part.join().expect("no panic"))
        });
        let near = SINGLE_LIMITS.into_iter().flat_map(|limit| limit - 300..limit + 300);
        let limits = difference(near.flat_map(|bits| [bits, bits | 1 << 31]), ours, crates);
        differences.extend(found.or(limits).map(|bits| format!("{name} of {bits:#x}")));
        println!("{name}: one of {step}, {} differences so far", differences.len());
    }
    assert!(differences.is_empty(), "{}", differences.join(", "));
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

/// The functions of two numbers.
const PAIRS: [&str; 2] = ["powf", "atan2f"];

/// 256 times as many if `OFFLOADC_ALL_MATH` is `1` or names one of the functions of two numbers.
fn turns(count: u64) -> u64 {
    if all_of(&PAIRS).is_empty() { count } else { 256 * count }
}

/// The next number of a sequence, and the same as a fraction between -1 and 1.
fn next(random: &mut u64) -> (u64, f64) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    (*random, *random as i64 as f64 / 2f64.powi(63))
}

#[test]
fn angles_and_powers_are_the_portable_ones_for_doubles() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut differences = BTreeMap::new();
    for turn in 0..turns(200_000) {
        let (bits, part) = next(&mut random);
        // Multiples of pi/4, where bits cancel, or the crate changes from one multiple to the next.
        let multiple = (bits >> 20) as u8 as f64 * std::f64::consts::FRAC_PI_4;
        let near = LIMITS[(bits >> 33) as usize % LIMITS.len()] << 32;
        let x = match turn % 9 {
            0 => f64::from_bits(bits),
            8 => f64::from_bits(((part * 1e4).round() / 2.0).to_bits() + (bits >> 9) % 3).next_down(),
            1 => part * 10.0,
            2 => part * 1e6,
            3 => multiple * (1.0 + part * 2f64.powi(-((bits >> 3) as i32 & 63))),
            4 => multiple as f32 as f64 + part * 1e-4,
            5 => f64::from_bits(multiple.to_bits() ^ bits >> 32),
            6 => f64::from_bits(near ^ bits >> 40 << 63).next_down(),
            _ => part,
        };
        for (name, ours, crates) in DOUBLES {
            if double(ours(x)) != double(crates(x)) {
                differences.entry(name).or_insert(x.to_bits());
            }
        }
    }
    assert!(differences.is_empty(), "{differences:#x?}");
}

/// Doubles that are so near to a multiple of pi/2 that their sine, cosine or tangent needs more bits of pi than others
/// do; and small ones not so near, whose result has another last bit if it is computed with more bits.
const NEAR_MULTIPLES: [u64; 18] = [
    0x3ff9_21fa_686b_68ad,
    0x3ff9_21fa_0714_6696,
    0x3ff9_21fc_09f1_38d9,
    0x4009_21fa_e1c0_1f8e,
    0x4009_21fc_03fe_1c35,
    0x4009_2204_bbb1_9b30,
    0x4009_21fd_609b_4e36,
    0x4019_21fa_e31d_5632,
    0x4019_21fc_397e_796f,
    0x4019_21fd_2fb0_8555,
    0x40ab_9328_a014_4cfa,
    0x40bb_9328_a014_4cfa,
    0x40e8_8c8f_4c09_2fc4,
    0x40f6_5a1d_d290_660f,
    0x4104_9dec_bc1d_9720,
    0x4106_c77b_b23d_16bb,
    0x4118_cf57_d81f_d9ed,
    0x411c_7954_564d_8759,
];

#[test]
fn angles_near_multiples_of_a_right_angle_are_the_portable_ones() {
    for x in NEAR_MULTIPLES.into_iter().map(f64::from_bits).flat_map(|x| [x, -x, x.next_up(), x.next_down()]) {
        type Pair = (fn(f64) -> f64, fn(f64) -> f64);
        let all: [Pair; 3] = [(angles::sin, libm::sin), (angles::cos, libm::cos), (angles::tan, libm::tan)];
        let all = all.map(|(ours, crates)| (ours(x), crates(x)));
        let both = (angles::sincos(x), libm::sincos(x));
        for (ours, crates) in all.into_iter().chain([(both.0.0, both.1.0), (both.0.1, both.1.1)]) {
            assert_eq!(ours.to_bits(), crates.to_bits(), "of {x:e}");
        }
    }
}

#[test]
fn angles_of_points_are_the_portable_ones() {
    let mut random = 0x1234_5678_9abc_def1u64;
    let check = |y: f64, x: f64| {
        assert_eq!(double(arcs::atan2(y, x)), double(libm::atan2(y, x)), "atan2 of {y:e}, {x:e}");
        let (y, x) = (y as f32, x as f32);
        assert_eq!(single(arcs::atan2f(y, x)), single(libm::atan2f(y, x)), "atan2f of {y:e}, {x:e}");
    };
    for turn in 0..turns(200_000) {
        let ((bits, part), (_, other)) = (next(&mut random), next(&mut random));
        let x = if turn % 7 == 0 { f64::from_bits(bits) } else { other * 2f64.powi(bits as i32 % 100) };
        // Quotients of all magnitudes, and those at which the axes begin.
        let y = match (bits >> 20) % 4 {
            0 => part * 3.0,
            1 => x * part * 2f64.powi((bits >> 40) as i32 % 140 - 70),
            2 => x * [67_108_864.0, 16_777_216.0, 2f64.powi(64), 2f64.powi(-26)][(bits >> 30) as usize % 4],
            _ => f64::from_bits(bits.rotate_left(20)),
        };
        check(y, x);
        check(x, y);
    }
    let special = [0.0, 1.0, 2.0, 1e-310, 1e-40, 1e300, f64::MAX, f64::INFINITY, f64::NAN, 67_108_864.0, 1e-8];
    let signed = special.into_iter().flat_map(|x| [x, -x]);
    signed.clone().flat_map(|y| signed.clone().map(move |x| (y, x))).for_each(|(y, x)| check(y, x));
}

#[test]
fn powers_of_two_numbers_are_the_portable_ones() {
    let mut random = 0x2545_f491_4f6c_dd1du64;
    for turn in 0..turns(200_000) {
        let (bits, part) = next(&mut random);
        let x = match turn % 5 {
            0 => f64::from_bits(bits),
            1 => part * 1e3,
            2 => 1.0 + part * 2f64.powi(-((bits >> 9) as i32 & 31)),
            3 => f64::from_bits(bits & u64::MAX >> 1),
            _ => part.abs(),
        };
        // For results near the largest and the smallest ones, which have another exponent in each type.
        let to = |limit: f64| (limit + part * 60.0) / x.abs().log2();
        let y = match (bits >> 13) % 7 {
            0 => part * 20.0,
            1 => (part * 30.0).round(),
            2 => (part * 8.0).round() / 4.0,
            3 => part * 1e10,
            4 => part * 1e3,
            5 => f64::from_bits(bits.rotate_left(17)),
            _ => to(if bits & 1 == 0 { 1020.0 } else { -1020.0 }),
        };
        assert_eq!(double(powers::pow(x, y)), double(libm::pow(x, y)), "pow of {x:e}, {y:e}");
        let y = if (bits >> 13) % 7 == 6 { to(if bits & 1 == 0 { 126.0 } else { -126.0 }) } else { y };
        let (x, y) = (x as f32, y as f32);
        assert_eq!(single(powers::powf(x, y)), single(libm::powf(x, y)), "powf of {x:e}, {y:e}");
    }
    // Around halves, at which a logarithm is rounded.
    for i in 0..1000 {
        let y = 0.5 + f64::from(i) * 4.7e-10;
        assert_eq!(double(powers::pow(2.0, -y)), double(libm::pow(2.0, -y)), "pow of 2, {:e}", -y);
        let y = f32::from_bits(0x3eff_ff00 + i);
        assert_eq!(single(powers::powf(2.0, y)), single(libm::powf(2.0, y)), "powf of 2, {y:e}");
    }
    let special = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310, 1e300];
    for (x, y) in special.into_iter().flat_map(|x| special.map(|y| (x, y))) {
        assert_eq!(double(powers::pow(x, y)), double(libm::pow(x, y)), "pow of {x:e}, {y:e}");
        let (x, y) = (x as f32, y as f32);
        assert_eq!(single(powers::powf(x, y)), single(libm::powf(x, y)), "powf of {x:e}, {y:e}");
    }
}
