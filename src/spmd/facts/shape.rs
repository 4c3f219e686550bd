//! How a value differs between the lanes of a group: neighbouring threads of a row.

use crate::llvm::{Type, TypeKind};
use crate::spmd::tuning::MOST_WIDTH;

/// How a value differs between neighbouring threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The same.
    Uniform,
    /// More by this number in each thread: an integer, or a pointer, whose number is in bytes. Never 0.
    Affine(i64),
    /// More than in the first thread by a constant for each thread, neither the same nor affine.
    Offsets(Offsets),
    /// Any.
    Varying,
}

/// For each thread of a group, the difference between a value and that of the first thread; 0 past the last thread.
pub(crate) type Offsets = [i64; MOST_WIDTH as usize];

impl Shape {
    pub(crate) fn affine(step: i64) -> Shape {
        if step == 0 { Shape::Uniform } else { Shape::Affine(step) }
    }

    /// The shape of a value that is more by `offset` of the number of the thread, in groups of this size.
    pub(crate) fn by_thread(width: u32, offset: impl Fn(usize) -> i64) -> Shape {
        let mut offsets = [0; MOST_WIDTH as usize];
        let own = &mut offsets[..width as usize];
        own.iter_mut().enumerate().for_each(|(thread, more)| *more = offset(thread));
        let step = own.get(1).copied().unwrap_or_default();
        let is_affine = (0..).zip(&*own).all(|(thread, more)| *more == step.wrapping_mul(thread));
        if is_affine { Shape::affine(step) } else { Shape::Offsets(offsets) }
    }

    /// How much more it is in each thread than in the first one; none if that is not known.
    pub(crate) fn offsets(self, width: u32) -> Option<Offsets> {
        let by_step = |step: i64| {
            let mut offsets = [0; MOST_WIDTH as usize];
            (0..).zip(&mut offsets[..width as usize]).for_each(|(thread, more)| *more = step.wrapping_mul(thread));
            offsets
        };
        match self {
            Shape::Offsets(offsets) => Some(offsets),
            other => other.step().map(by_step),
        }
    }

    /// The step; none if it varies.
    pub(crate) fn step(self) -> Option<i64> {
        match self {
            Shape::Uniform => Some(0),
            Shape::Affine(step) => Some(step),
            Shape::Offsets(_) | Shape::Varying => None,
        }
    }
}

/// Whether the values of a group span less than half the numbers of a type, so that the first and the
/// last of them decide whether a number between them overflows.
pub(crate) fn is_small(step: i64, ty: Type<'_>) -> bool {
    let width = ty.int_width().unwrap_or(64).min(64);
    step.unsigned_abs().saturating_mul(MOST_WIDTH.into()) <= 1 << (width - 1)
}

/// Whether vectors have elements of a type.
pub(crate) fn is_element(ty: Type<'_>) -> bool {
    match ty.kind() {
        TypeKind::Integer => ty.int_width().is_some_and(|width| [1, 8, 16, 32, 64].contains(&width)),
        TypeKind::Half | TypeKind::Float | TypeKind::Double => true,
        TypeKind::Pointer => ty.address_space() == 0,
        _ => false,
    }
}
