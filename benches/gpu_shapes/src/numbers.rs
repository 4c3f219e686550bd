//! Inputs: the same in every run.

/// A linear congruential generator.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next_u32(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(end)) >> 32) as u32
    }
}

pub(crate) fn words(seed: u64, len: usize) -> Vec<u32> {
    let mut numbers = Numbers::new(seed);
    (0..len).map(|_| numbers.next_u32()).collect()
}

/// Numbers from 0 to 1, with 24 bits.
pub(crate) fn floats(seed: u64, len: usize) -> Vec<f32> {
    words(seed, len).into_iter().map(|word| (word >> 8) as f32 / (1 << 24) as f32).collect()
}

/// Whole numbers from -2 to 2: sums of their products are exact in `f32`, in any order.
pub(crate) fn whole(seed: u64, len: usize) -> Vec<f32> {
    let mut numbers = Numbers::new(seed);
    (0..len).map(|_| numbers.below(5) as f32 - 2.0).collect()
}
