//! Functions that panic, in a library of somebody else. The lines have the names of the kernels in comments.

pub fn last_even(values: &[u32]) -> u32 {
    *values.iter().rfind(|value| **value % 2 == 0).unwrap() // unwraps
}

pub fn at(values: &[u32], index: usize) -> u32 {
    values[index] // indexes twice branches
}

/// It is not inlined, and has several callers.
#[inline(never)]
pub fn apart(values: &[u32], index: usize) -> u32 {
    let before = values[index]; // called
    values.iter().fold(before, |sum, value| sum.rotate_left(3) ^ *value)
}

/// The line of the caller is the place, which is the user's.
#[track_caller]
pub fn tracked(values: &[u32], index: usize) -> u32 {
    values[index]
}

#[track_caller]
#[inline(never)]
fn tracked_apart(values: &[u32], index: usize) -> u32 {
    let before = values[index];
    values.iter().fold(before, |sum, value| sum.rotate_left(5) ^ *value)
}

pub fn first(values: &[u32], index: usize) -> u32 {
    tracked_apart(values, index) // chosen
}

pub fn second(values: &[u32], index: usize) -> u32 {
    tracked_apart(values, index) ^ 1 // passed
}
