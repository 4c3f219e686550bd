//! The inputs of the math functions: special values, and random numbers of all magnitudes.

/// The number of inputs of each width, a multiple of 64.
pub(super) const COUNT: usize = 10_048;
/// The same for an emulated GPU, and the distance between its inputs.
const EMULATED_COUNT: usize = 1280;
const EMULATED_STEP: usize = 7;

/// A pseudo-random sequence of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From -1 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A number of any magnitude, or of the magnitudes that functions are typically used with.
    fn number(&mut self) -> f64 {
        let kind = self.next() % 8;
        match kind {
            0 => f64::from_bits(self.next()),
            1 => self.unit() * 1e9,
            2 => self.unit() * 700.0,
            3 => self.unit() * 0.01 + 1.0,
            4 => (self.unit() * 100.0).round() / 2.0,
            5 => self.unit(),
            _ => self.unit() * 20.0,
        }
    }
}

const EDGES: [f64; 24] = [
    0.0,
    1.0,
    0.5,
    1.5,
    2.0,
    2.5,
    3.0,
    10.0,
    1e-5,
    1e-310,
    5e-324,
    2.225_073_858_507_201_4e-308,
    1.4e-45,
    1.2e-38,
    3.4e38,
    1.797_693_134_862_315_7e308,
    1e22,
    16_777_216.0,
    9_007_199_254_740_992.0,
    4_503_599_627_370_495.5,
    0.499_999_999_999_999_94,
    8_388_607.5,
    9.3e18,
    f64::INFINITY,
];

/// Three inputs for each width, those of `f64` first: two floats and an integer.
pub(super) fn inputs() -> Vec<u64> {
    let mut random = Random(7);
    let signed: Vec<f64> = EDGES.iter().flat_map(|x| [*x, -x]).chain([f64::NAN]).collect();
    let pairs: Vec<(f64, f64)> = signed.iter().flat_map(|x| signed.iter().map(move |y| (*x, *y))).collect();
    let mut wide = [Vec::new(), Vec::new(), Vec::new()];
    let mut narrow = [Vec::new(), Vec::new(), Vec::new()];
    for i in 0..COUNT {
        let edge = pairs.get(i).copied();
        let (x, y) = edge.unwrap_or_else(|| (random.number(), random.number()));
        let n = if i % 64 == 0 { random.next() as i32 as u64 } else { (random.next() % 80) as i32 as u64 };
        let any = random.next();
        // Rounded `f64` patterns rarely cover all kinds of `f32`, so some `f32` are random patterns of 32 bits.
        let single = |x: f64, any: u64| if edge.is_none() && i % 8 == 0 { any as u32 } else { (x as f32).to_bits() };
        wide[0].push(x.to_bits());
        wide[1].push(y.to_bits());
        wide[2].push(n);
        narrow[0].push(u64::from(single(x, any)));
        narrow[1].push(u64::from(single(y, any >> 32)));
        narrow[2].push(n);
    }
    wide.into_iter().chain(narrow).flatten().collect()
}

/// Every `EMULATED_STEP`th input, for devices that need a thousand times as long.
pub(super) fn some(inputs: &[u64]) -> Vec<u64> {
    let sample =
        |column: &[u64]| column.iter().copied().step_by(EMULATED_STEP).take(EMULATED_COUNT).collect::<Vec<_>>();
    inputs.chunks_exact(COUNT).flat_map(sample).collect()
}
