//! Numbers for the kernels, and differences between results.

/// The state of a generator: a linear congruence, as C's `rand` often is.
pub(crate) fn next(state: u32) -> u32 {
    state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// A number from 0 to 1 of a generator's state.
pub(crate) fn unit(state: u32) -> f32 {
    (state >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// So many numbers from 0 to 1.
pub(crate) fn floats(seed: u32, count: usize) -> Vec<f32> {
    words(seed, count).into_iter().map(unit).collect()
}

/// So many words.
pub(crate) fn words(seed: u32, count: usize) -> Vec<u32> {
    let mut state = seed;
    let mut word = || {
        state = next(state);
        state
    };
    (0..count).map(|_| word()).collect()
}

/// The largest difference between two results.
pub(crate) fn difference(got: &[f32], wanted: &[f32]) -> f32 {
    assert_eq!(got.len(), wanted.len());
    got.iter().zip(wanted).map(|(got, wanted)| (got - wanted).abs()).fold(0.0, f32::max)
}

/// 0 if two results are equal, and 1 if not.
pub(crate) fn unequal(got: &[u32], wanted: &[u32]) -> f32 {
    if got == wanted { 0.0 } else { 1.0 }
}
