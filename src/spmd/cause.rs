//! The reasons why threads are executed one after another, and why parts of vectors are slow, with their words.

use super::tuning::FASTER_BY;
use crate::analysis::location::{own_location, user_location};
use crate::diagnostics::Location;
use crate::llvm::Value;
use crate::rust_std::demangle::demangle;

/// Why there is no version of some code for several threads, or why a part of it is slow.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) reason: Reason,
    pub(crate) at: Option<Location>,
}

/// The reasons.
#[derive(Clone, Debug)]
pub(crate) enum Reason {
    /// This option says so.
    Never(&'static str),
    /// The level of optimisation, or the checker.
    NotOptimized,
    /// A thread may be called through a pointer, and its position is in memory.
    ThroughPointers,
    /// LLVM's vectoriser takes code without branches and calls.
    Straight,
    /// An instruction that cannot be copied for each thread.
    Instruction,
    /// An atomic operation, in a loop, whose result a thread may wait for.
    Waits,
    /// A function that is called has such an operation.
    CalledWaits(String),
    /// A call through a pointer, which may wait.
    CallThroughPointer,
    /// All paths end in a panic.
    NeverEnds,
    /// Threads that part do not meet again, or end at several places.
    SeveralEnds,
    /// The scalar code of a divergent branch is too long: its instructions, and the most.
    TooLong(usize, usize),
    /// Neighbouring threads access elements at a distance that is known in other versions only.
    Scattered,
    /// The kernel has more regions than have vectors: their number, and the most.
    ManyRegions(usize, usize),
    /// The warps of the kernel, of this many lanes, have no version for those that are complete, and an option with
    /// which they have one.
    SmallWarps(u32, &'static str),
    /// No value differs between threads, so that vectors have nothing to compute.
    Uniform,
    /// Vectors would cost more.
    Cost(Costs),
}

/// A comparison of costs, in simple instructions.
#[derive(Clone, Debug)]
pub(crate) struct Costs {
    /// The number of threads.
    pub(crate) width: u32,
    /// The cost of the group.
    pub(crate) vector: f64,
    /// The same, one after another.
    pub(crate) scalar: f64,
    /// The part that loses most in vectors, and its cost there.
    pub(crate) most: Option<(Expense, f64)>,
}

/// Something that is slow in vectors.
#[derive(Clone, Debug)]
pub(crate) enum Expense {
    /// A load whose addresses are not one after another in neighbouring threads.
    Load,
    /// A store to such addresses.
    Store,
    /// A call, of the function of this name.
    Call(String),
    /// A branch on which threads part, and why masks do not replace it.
    Branch(Unflattened),
    /// Another operation.
    Operation,
}

/// Why a branch is not replaced by masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unflattened {
    /// The condition is one on the number of the thread or on the edge of an array.
    Edge,
    /// There is a loop between the branch and the place where threads meet.
    Loop,
    /// There is a `match`, or the threads do not meet.
    Shape,
    /// The code is too long, or most of it cannot be executed under a mask: calls and atomic operations.
    Code,
}

impl Cause {
    /// A reason without a place.
    pub(crate) fn new(reason: Reason) -> Self {
        Self { reason, at: None }
    }

    /// A reason that is an instruction.
    pub(crate) fn at(reason: Reason, instruction: Value<'_>) -> Self {
        Self { reason, at: own_location(instruction).or_else(|| user_location(instruction)) }
    }
}

/// The name of the function that a call names, as a user knows it.
pub(crate) fn callee(call: Value<'_>) -> String {
    let intrinsic = || call.called_intrinsic().map(|intrinsic| intrinsic.name());
    let function = call.called_function().map(|function| demangle(&function.name()));
    intrinsic().or(function).unwrap_or_else(|| "a function pointer".to_owned())
}

impl Reason {
    /// The name of the cause, which programs compare.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Never(_) => "never",
            Self::NotOptimized => "not-optimized",
            Self::ThroughPointers => "thread-through-pointer",
            Self::Straight => "straight",
            Self::Instruction => "instruction",
            Self::Waits | Self::CalledWaits(_) => "waits",
            Self::CallThroughPointer => "call-through-pointer",
            Self::NeverEnds => "never-ends",
            Self::SeveralEnds => "several-ends",
            Self::TooLong(..) => "too-long",
            Self::Scattered => "scattered",
            Self::ManyRegions(..) => "many-regions",
            Self::SmallWarps(..) => "small-warps",
            Self::Uniform => "uniform",
            Self::Cost(costs) => match &costs.most {
                Some((Expense::Load, _)) => "load",
                Some((Expense::Store, _)) => "store",
                Some((Expense::Call(_), _)) => "call",
                Some((Expense::Branch(_), _)) => "branch",
                Some((Expense::Operation, _)) | None => "cost",
            },
        }
    }

    /// The reason, after "one thread after another: ".
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Never(option) => format!("`{option}` says so"),
            Self::NotOptimized => "the code is not optimised for speed, or the checker looks at each thread".to_owned(),
            Self::ThroughPointers => {
                "a function that is called through a pointer asks for the position of its thread".to_owned()
            }
            Self::Straight => "is straight code, which is left to LLVM's vectoriser".to_owned(),
            Self::Instruction => "an instruction cannot be copied for each thread".to_owned(),
            Self::Waits => "in a loop, a thread may wait for the result of an atomic operation".to_owned(),
            Self::CalledWaits(name) => format!("`{name}` is called, which has an atomic operation with a result"),
            Self::CallThroughPointer => {
                "a function is called through a pointer, and may wait for other threads".to_owned()
            }
            Self::NeverEnds => "no thread comes to the end of it".to_owned(),
            Self::SeveralEnds => "threads that take different branches do not meet before the end".to_owned(),
            Self::TooLong(size, most) => {
                format!("threads that take different branches would execute {size} instructions alone, not {most}")
            }
            Self::Scattered => "neighbouring threads access elements that are no neighbours".to_owned(),
            Self::ManyRegions(count, most) => {
                format!(
                    "the kernel has {count} regions between barriers, of which at most {most} are executed in vectors"
                )
            }
            Self::SmallWarps(lanes, _) => format!("warps of {lanes} lanes have no version in vectors"),
            Self::Uniform => "nothing is computed that differs between threads and is fast in a vector".to_owned(),
            Self::Cost(Costs { most, .. }) => match most {
                Some((Expense::Load, _)) => "a load has an address of its own in each thread".to_owned(),
                Some((Expense::Store, _)) => "a store has an address of its own in each thread".to_owned(),
                Some((Expense::Call(name), _)) => format!("`{name}` is called for each thread alone"),
                Some((Expense::Branch(_), _)) => "threads take different branches here".to_owned(),
                Some((Expense::Operation, _)) => "an operation is slow in vectors".to_owned(),
                None => "vectors cost more".to_owned(),
            },
        }
    }

    /// The costs that were compared.
    pub(crate) fn note(&self) -> Option<String> {
        let Self::Cost(Costs { width, vector, scalar, most }) = self else { return None };
        let of_it = most.as_ref().map_or(String::new(), |(_, cost)| format!(", of which this is {cost:.0}"));
        let pays = vector * FASTER_BY < *scalar;
        let limit = if pays { String::new() } else { format!("; together must be {FASTER_BY} times as fast") };
        Some(format!(
            "{width} threads together cost {vector:.0} instructions{of_it}, and {scalar:.0} one after \
             another{limit}"
        ))
    }

    /// Whether it holds for all regions of a kernel.
    pub(crate) fn is_of_kernel(&self) -> bool {
        matches!(
            self,
            Self::Never(_) | Self::NotOptimized | Self::ThroughPointers | Self::ManyRegions(..) | Self::SmallWarps(..)
        )
    }

    /// The remedy.
    pub(crate) fn help(&self) -> Option<String> {
        let text = match self {
            Self::Never(_) => "omit the option",
            Self::NotOptimized => "build with `--release` or `-O2`",
            Self::ThroughPointers => "pass numbers of threads as parameters to this function",
            Self::Waits | Self::CalledWaits(_) => {
                "update atomics without using their result, or outside of loops: `fetch_add` alone does not wait"
            }
            Self::CallThroughPointer => "make the kernel generic over the function: `impl Fn(f32) -> f32`",
            Self::Scattered => "let the distance be a power of two or a multiple of 8",
            Self::ManyRegions(..) => "split the kernel, or unroll less between barriers",
            Self::SmallWarps(_, option) => return Some(format!("use `{option}`")),
            Self::Cost(costs) => match &costs.most {
                Some((Expense::Load, _)) => {
                    "let neighbouring threads load neighbouring elements, as `x[i]` where `i` is `thread::index_1d()`"
                }
                Some((Expense::Store, _)) => {
                    "let neighbouring threads store neighbouring elements, as with `DisjointSlice`"
                }
                Some((Expense::Call(_), _)) => "let the function be inlined: `#[inline]`, and no recursion",
                Some((Expense::Branch(why), _)) => why.help(),
                Some((Expense::Operation, _)) | None => {
                    "use numbers of 32 bits, if this is one of 64 bits or a division"
                }
            },
            Self::Straight
            | Self::Instruction
            | Self::NeverEnds
            | Self::SeveralEnds
            | Self::TooLong(..)
            | Self::Uniform => {
                return None;
            }
        };
        Some(text.to_owned())
    }
}

impl Unflattened {
    fn help(self) -> &'static str {
        match self {
            Self::Edge => "let whole groups of 8 threads take the same branch",
            Self::Loop => {
                "if most threads need nearly as many iterations, let all run equally often, and choose values in it"
            }
            Self::Shape => "use `if` and `else` that come together again, in place of `match` and early returns",
            Self::Code => {
                "keep calls and atomic operations out of the branch: choose values in it, and use them after it"
            }
        }
    }
}
