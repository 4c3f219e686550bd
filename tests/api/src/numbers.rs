//! Floats of 16 bits, and vectors: every value of both floats against the crate `half`, roundings at the ties,
//! arithmetic against that of `f64`, and vectors as elements, arguments and values of warps.

use offload::dlpack::DLElement;
use offload::num::{Bf16, F16, F16x2, F32x4, F64x2, I32x4, U8x4};
use offload::{DeviceBuffer, DeviceCopy, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread, warp};

const BLOCK: u32 = 256;

/// The functions that a test needs of a float of 16 bits.
trait Small: DeviceCopy + Into<f32> + Into<f64> + warp::WarpNumber {
    /// How many of its numbers are not negative and not NaN: infinity is the last.
    const COUNT: u16;
    fn of(bits: u16) -> Self;
    fn bits(self) -> u16;
    fn of_f32(value: f32) -> Self;
    fn of_f64(value: f64) -> Self;
    /// Sum, difference, product, quotient and remainder.
    fn results(self, other: Self) -> [Self; 5];
    /// The value as `half` converts it, and the bits that it makes of the `f32`.
    fn half(bits: u16) -> (f32, f64, u16);
}

macro_rules! small {
    ($($ty:ident $half:ident $count:literal;)*) => { $(
        impl Small for $ty {
            const COUNT: u16 = $count;

            fn of(bits: u16) -> Self {
                $ty::from_bits(bits)
            }

            fn bits(self) -> u16 {
                self.to_bits()
            }

            fn of_f32(value: f32) -> Self {
                $ty::from_f32(value)
            }

            fn of_f64(value: f64) -> Self {
                $ty::from_f64(value)
            }

            fn results(self, other: Self) -> [Self; 5] {
                [self + other, self - other, self * other, self / other, self % other]
            }

            fn half(bits: u16) -> (f32, f64, u16) {
                let theirs = half::$half::from($ty::from_bits(bits));
                assert_eq!($ty::from(theirs).to_bits(), bits);
                (theirs.to_f32(), theirs.to_f64(), half::$half::from_f32(theirs.to_f32()).to_bits())
            }
        }
    )* };
}
small! { F16 f16 0x7c01; Bf16 bf16 0x7f81; }

/// All values of a type as `f32` and back, and as `f64` and back.
#[kernel]
fn all_values<T: Small>(mut out: DisjointSlice<(u32, u16, u64, u16)>) {
    if let Some((out, i)) = out.get_mut_indexed() {
        let number = T::of(i.get() as u16);
        let (narrow, wide): (f32, f64) = (number.into(), number.into());
        *out = (narrow.to_bits(), T::of_f32(narrow).bits(), wide.to_bits(), T::of_f64(wide).bits());
    }
}

#[kernel]
fn rounded<T: Small>(from: &[f64], mut to: DisjointSlice<(u16, u16)>) {
    if let Some((to, i)) = to.get_mut_indexed() {
        *to = (T::of_f64(from[i.get()]).bits(), T::of_f32(from[i.get()] as f32).bits());
    }
}

#[kernel]
fn products<T: Small>(factors: &[[f32; 2]], mut to: DisjointSlice<u16>) {
    if let Some((to, i)) = to.get_mut_indexed() {
        let [a, b] = factors[i.get()];
        *to = T::of_f32(a * b).bits();
    }
}

#[kernel]
fn calculated<T: Small>(pairs: &[(u16, u16)], mut to: DisjointSlice<[u16; 5]>) {
    if let Some((to, i)) = to.get_mut_indexed() {
        let (a, b) = pairs[i.get()];
        *to = T::of(a).results(T::of(b)).map(T::bits);
    }
}

/// Sums of products, and conversions in each direction, which a device does as the host.
#[kernel]
fn fused(triples: &[[u16; 3]], mut to: DisjointSlice<[u16; 8]>) {
    if let Some((to, i)) = to.get_mut_indexed() {
        let numbers = triples[i.get()];
        let ([a, b, c], [x, y, z]) = (numbers.map(F16::from_bits), numbers.map(Bf16::from_bits));
        let value = f32::from_bits(u32::from(numbers[0]) << 16 | u32::from(numbers[1]));
        let wide = F16x2::new(a, b).mul_add(F16x2::new(b, c), F16x2::new(c, a));
        let bits = |number: F16| if number.is_nan() { 0x7e00 } else { number.to_bits() };
        let of = |number: Bf16| if number.is_nan() { 0x7fc0 } else { number.to_bits() };
        *to = [
            bits(a.mul_add(b, c)),
            of(x.mul_add(y, z)),
            bits(F16::from_f32_up(value)),
            bits(F16::from_f32_down(value)),
            bits(F16::from_f32_toward_zero(value)),
            of(Bf16::from_f32_up(value)),
            of(Bf16::from_f32_down(value)),
            bits(wide.y),
        ];
    }
}

/// `num/fused.rs` tests the results of the host.
fn check_fused(stream: &Stream) -> Result<()> {
    let bits = |i: u32| i.wrapping_mul(0x9e37_79b9) ^ i.wrapping_mul(0x85eb_ca6b).rotate_left(13);
    let extremes = [0x7bff, 0x0001, 0x8001, 0x03ff, 0x3c01, 0x7c00, 0xfc00, 0x7e00, 0x8000, 0x3f88];
    let number = |i: u32| if i.is_multiple_of(5) { extremes[bits(i) as usize % 10] } else { (bits(i) >> 7) as u16 };
    let triples: Vec<[u16; 3]> = (0..3000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2].map(number)).collect();
    let (mut found, mut wanted) = (vec![[0; 8]; triples.len()], vec![[0; 8]; triples.len()]);
    fused.launch(stream, grid(triples.len()), (&triples, &mut found))?;
    fused.run_on_host(Grid::for_len(triples.len(), 60), (&triples, &mut wanted));
    for ((triple, found), wanted) in triples.iter().zip(found).zip(wanted) {
        assert_eq!(found, wanted, "{triple:#x?}");
    }
    Ok(())
}

#[kernel]
fn of_warps<T: Small>(mut values: DisjointSlice<u16>) {
    let own = values.get_mut(thread::index_1d());
    let sum = warp::reduce_sum(own.as_ref().map_or(T::of(0), |own| T::of(**own)));
    if let Some(own) = own {
        *own = sum.bits();
    }
}

fn grid(count: usize) -> Grid {
    Grid::for_len(count, BLOCK)
}

fn check_values<T: Small>(stream: &Stream) -> Result<()> {
    let mut all = DeviceBuffer::<(u32, u16, u64, u16)>::zeroed(stream, 1 << 16)?;
    all_values::<T>.launch(stream, grid(1 << 16), (&mut all,))?;
    for (bits, found) in (0..=u16::MAX).zip(all.to_host_vec(stream)?) {
        let (value, wide, back) = T::half(bits);
        assert_eq!(found, (value.to_bits(), back, wide.to_bits(), back), "{bits:#x}");
    }
    Ok(())
}

/// Numbers halfway between two neighbours go to the even one, and those beside them to the nearer one.
fn check_ties<T: Small>(stream: &Stream) -> Result<()> {
    let value = |bits| if bits + 1 == T::COUNT { 2.0 * next_to_infinity::<T>() } else { T::of(bits).into() };
    let mut cases = vec![];
    let mut expected = vec![];
    for low in (0..T::COUNT - 1).step_by(37).chain(T::COUNT - 8..T::COUNT - 1).chain(0..8) {
        let tie: f64 = value(low) + (value(low + 1) - value(low)) / 2.0;
        let even = low + (low & 1);
        for (case, wide, narrow) in [
            (tie, even, even),
            // As `f32`, these are equal to the tie.
            (tie.next_up(), low + 1, even),
            (tie.next_down(), low, even),
            (f64::from((tie as f32).next_up()), low + 1, low + 1),
            (f64::from((tie as f32).next_down()), low, low),
        ] {
            cases.extend([case, -case]);
            expected.extend([(wide, narrow), (wide | 0x8000, narrow | 0x8000)]);
        }
    }
    let mut found = vec![(0, 0); cases.len()];
    rounded::<T>.launch(stream, grid(cases.len()), (&cases, &mut found))?;
    let all = cases.iter().zip(found).zip(expected);
    all.for_each(|((case, found), expected)| assert_eq!(found, expected, "{case:e}"));
    let beyond = [f64::MAX, f64::MIN_POSITIVE, -f64::MIN_POSITIVE, f64::INFINITY];
    let mut found = [(0, 0); 4];
    rounded::<T>.launch(stream, grid(4), (&beyond, &mut found))?;
    let infinity = T::COUNT - 1;
    assert_eq!(found.map(|found| found.0), [infinity, 0, 0x8000, infinity]);

    let factors = [[-0.5, 0.0], [0.0, -0.0], [0.0, 0.5], [-0.0, -0.5], [-1e-30, 1e-30]];
    let mut found = [1; 5];
    products::<T>.launch(stream, grid(5), (&factors, &mut found))?;
    assert_eq!(found, [0x8000, 0x8000, 0, 0, 0x8000]);
    Ok(())
}

/// Half of the number that would come next where infinity is.
fn next_to_infinity<T: Small>() -> f64 {
    let (last, before): (f64, f64) = (T::of(T::COUNT - 2).into(), T::of(T::COUNT - 3).into());
    (last + (last - before)) / 2.0
}

/// Arithmetic rounds the exact result once. `f64` has enough bits for that.
fn check_arithmetic<T: Small>(stream: &Stream) -> Result<()> {
    let pairs: Vec<(u16, u16)> = (0..5_000_u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9) ^ i.wrapping_mul(0x85eb_ca6b).rotate_left(13))
        .map(|bits| (bits as u16, if bits % 3 == 0 { (bits >> 16) as u16 } else { bits as u16 ^ (bits >> 20) as u16 }))
        .collect();
    let mut found = vec![[0; 5]; pairs.len()];
    calculated::<T>.launch(stream, grid(pairs.len()), (&pairs, &mut found))?;
    for ((a, b), found) in pairs.into_iter().zip(found) {
        let (x, y): (f64, f64) = (T::of(a).into(), T::of(b).into());
        for (exact, found) in [x + y, x - y, x * y, x / y, x % y].into_iter().zip(found) {
            let found_value: f64 = T::of(found).into();
            let same = T::of_f64(exact).bits() == found || exact.is_nan() && found_value.is_nan();
            assert!(same, "{x:e} {y:e}: {found:#x} is not {exact:e}");
        }
    }
    let mut sums = DeviceBuffer::from_host(stream, &[T::of_f32(0.5).bits(); 64])?;
    of_warps::<T>.launch(stream, Grid::for_len(64, 64), (&mut sums,))?;
    let sum: f32 = T::of(sums.to_host_vec(stream)?[0]).into();
    assert!([4.0, 8.0, 16.0, 32.0].contains(&sum), "{sum}"); // half of the number of lanes
    Ok(())
}

/// Vectors as an argument, as elements, and in shuffles.
#[kernel]
fn vectors(by: F32x4, a: &[F32x4], pixels: &[U8x4], mut to: DisjointSlice<(F32x4, I32x4, F64x2, F16x2, U8x4)>) {
    let i = thread::index_1d();
    let of_neighbour = warp::shuffle_xor(pixels[i.get() % pixels.len()], 1);
    if let Some(to) = to.get_mut(i) {
        let v = a[i.get()] * by - 1.0;
        let whole = I32x4::from_array(v.to_array().map(|x| x as i32));
        let halves = F16x2::new(F16::from_f32(v.x), F16::from_f32(v[i.get() % 4]));
        *to = (v, -whole, F64x2::splat(0.5) / f64::from(v.w), halves + F16::ONE, of_neighbour);
    }
}

fn check_vectors(stream: &Stream) -> Result<()> {
    let a: Vec<F32x4> = (0..64_u8).map(|i| F32x4::splat(i.into()) + F32x4::new(0.0, 1.0, 2.0, 3.0)).collect();
    let pixels = [U8x4::new(1, 2, 3, 4), U8x4::splat(9)];
    let mut out = vec![Default::default(); 64];
    vectors.launch(stream, grid(64), (F32x4::splat(2.0), &a, &pixels, &mut out))?;
    for (i, (floats, whole, wide, halves, neighbour)) in out.into_iter().enumerate() {
        let expected = [0, 2, 4, 6].map(|more| 2 * i as i32 + more - 1);
        assert_eq!(whole.to_array(), expected.map(|n| -n));
        assert_eq!(floats.to_array(), expected.map(|n| n as f32));
        assert_eq!(wide, F64x2::splat(0.5 / f64::from(expected[3])));
        assert_eq!(halves.to_array().map(F16::to_f32), [expected[0], expected[i % 4]].map(|n| (n + 1) as f32));
        assert_eq!(neighbour, pixels[1 - i % 2]);
    }
    let types = [F16::DTYPE, Bf16::DTYPE, F32x4::DTYPE].map(|of| (of.code, of.bits, of.lanes));
    assert_eq!(types, [(2, 16, 1), (4, 16, 1), (2, 32, 4)]);
    Ok(())
}

/// Launches all of them, and checks the results.
pub(crate) fn check(stream: &Stream) -> Result<()> {
    check_values::<F16>(stream)?;
    check_values::<Bf16>(stream)?;
    check_ties::<F16>(stream)?;
    check_ties::<Bf16>(stream)?;
    check_arithmetic::<F16>(stream)?;
    check_arithmetic::<Bf16>(stream)?;
    check_fused(stream)?;
    check_vectors(stream)
}
