//! The versions of the code of a thread: a tree.
//!
//! An inner node has a guard, which says which threads run its first version; all others run the second. A leaf is
//! code. The last leaf on the way of second versions is right for any thread, so code that ignores guards runs it.
//!
//! | guard | the threads of the first version |
//! |---|---|
//! | block | all of a block for which a function says so, before its loop over the threads |
//! | iteration | all of a block, while none leaves a grid-stride loop |
//! | row | those in a range of a row |
//! | group | as many as a vector has, side by side in a row |
//! | lane | one lane of a warp; where all lanes are there, the others do nothing |
//!
//! The guard of a whole kernel, the size of its blocks, is in `entry/promised_size.rs`: its first version is the entry
//! for this size, and the second one runs the code of one thread.

use super::slots::Kept;
use crate::llvm::Function;
use crate::spmd::cause::{Cause, Reason};

/// The versions of some code.
#[derive(Clone)]
pub(crate) enum Version<'c> {
    Code(Code<'c>),
    If(Guard<'c>, Box<[Version<'c>; 2]>),
}

/// A function that runs a thread, or those of a group.
#[derive(Clone)]
pub(crate) struct Code<'c> {
    pub(crate) function: Function<'c>,
    /// Its possible results, in ascending order; empty if it has no result. That of a group is a vector of them.
    pub(crate) exits: Vec<u32>,
    /// Whether neighbouring threads access elements that are no neighbours: vectors would be put together one by one.
    pub(crate) is_scattered: bool,
    /// Why there is no version of it for a group, or why a part of that is slow.
    pub(crate) cause: Option<Cause>,
}

/// The condition for the threads that run a version. Its functions have the parameters of the code, unless their
/// comments say otherwise.
#[derive(Clone)]
pub(crate) enum Guard<'c> {
    /// Returns whether all threads of the block run the first version, an `i1`. It is called for any thread.
    Block(Function<'c>),
    Iteration(Iterations<'c>),
    Row(Rows<'c>),
    /// The number of threads.
    Group(u32),
    /// The number of the lane.
    Lane(u32),
}

/// The range of the threads of a row that run a version.
#[derive(Clone)]
pub(crate) struct Rows<'c> {
    /// It is called for the first thread of a row. The lower 32 bits of the `i64` that it returns are the x of the
    /// first thread in the range. The upper 32 bits are the end, which is at most the block's x dimension.
    pub(crate) range: Function<'c>,
    /// It returns whether all threads of the block are in the range.
    pub(crate) whole: Option<Function<'c>>,
    /// It is called for the first thread of a row, and prefetches the elements that a later block reads.
    pub(crate) prefetch: Option<Function<'c>>,
    /// Whether all other threads leave at once.
    pub(crate) others_leave: bool,
}

/// Iterations after which all threads stop at the start of their region again. The functions have the parameters of
/// the region, and then the counter of the first thread; so has the version.
#[derive(Clone)]
pub(crate) struct Iterations<'c> {
    /// The slot of the counter.
    pub(crate) counter: Kept<'c>,
    /// Returns whether all threads of a block of one row may run an iteration so, an `i1`.
    pub(crate) whole: Function<'c>,
    /// Returns the counter of the first thread in the next iteration.
    pub(crate) next: Function<'c>,
    /// Asks for the memory that the next threads read, from this one on. None if it is not known.
    pub(crate) prefetch: Option<Function<'c>>,
}

/// The code of a group.
#[derive(Clone, Copy)]
pub(crate) struct Group<'c> {
    /// It has the parameters of the code of one thread, for the first of the threads. Its result, if any, is a vector.
    pub(crate) function: Function<'c>,
    /// The number of threads.
    pub(crate) width: u32,
}

/// Such code, and the cause of a slow part.
pub(crate) struct Vectorized<'c> {
    pub(crate) group: Group<'c>,
    pub(crate) slow: Option<Cause>,
}

impl<'c> Code<'c> {
    pub(crate) fn new(function: Function<'c>, exits: Vec<u32>) -> Self {
        Code { function, exits, is_scattered: false, cause: None }
    }

    /// The same with another function.
    pub(crate) fn with(&self, function: Function<'c>) -> Version<'c> {
        Version::Code(Code { function, ..self.clone() })
    }
}

impl<'c> Version<'c> {
    /// Versions between which a guard decides.
    pub(crate) fn choice(guard: Guard<'c>, then: Self, or_else: Self) -> Self {
        Version::If(guard, Box::new([then, or_else]))
    }

    /// Adds a version for the threads of a guard.
    pub(crate) fn add(&mut self, guard: Guard<'c>, then: Self) {
        *self = Version::choice(guard, then, self.clone());
    }

    /// The code that is right for any thread.
    pub(crate) fn any(&self) -> &Code<'c> {
        match self {
            Version::Code(code) => code,
            Version::If(_, sides) => sides[1].any(),
        }
    }

    /// The code of groups, if there is some: that for the range of a row if they are `in_range`.
    pub(crate) fn group(&self, in_range: bool) -> Option<Group<'c>> {
        let Version::If(guard, sides) = self else { return None };
        match guard {
            Guard::Group(width) => Some(Group { function: sides[0].any().function, width: *width }),
            Guard::Row(_) if in_range => sides[0].group(true).or_else(|| sides[1].group(true)),
            _ => sides[1].group(in_range),
        }
    }

    /// Whether a guard of the tree is such a one.
    pub(crate) fn has(&self, is: &dyn Fn(&Guard<'c>) -> bool) -> bool {
        matches!(self, Version::If(guard, sides) if is(guard) || sides.iter().any(|side| side.has(is)))
    }

    /// Changes all code with the parameters of the region, which is all but that of iterations, or replaces it by the
    /// result.
    pub(crate) fn change(&mut self, change: &mut dyn FnMut(&mut Code<'c>) -> Option<Self>) {
        match self {
            Version::Code(code) => {
                if let Some(versions) = change(code) {
                    *self = versions;
                }
            }
            Version::If(guard, sides) => {
                let [then, or_else] = &mut **sides;
                or_else.change(change);
                if !matches!(guard, Guard::Iteration(_)) {
                    then.change(change);
                }
            }
        }
    }

    /// Adds a version for a group to a leaf, or says why there is none.
    pub(crate) fn add_group(&mut self, made: Result<Vectorized<'c>, Cause>) {
        let Version::Code(code) = self else { return };
        match made {
            Err(cause) => code.cause = Some(cause),
            Ok(Vectorized { group, slow }) => {
                code.cause = slow;
                let then = code.with(group.function);
                self.add(Guard::Group(group.width), then);
            }
        }
    }

    /// Says why there is no version for a group.
    pub(crate) fn refuse(&mut self, reason: &Reason) {
        self.change(&mut |code| {
            code.cause = Some(Cause::new(reason.clone()));
            None
        });
    }
}
