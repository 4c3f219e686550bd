//! Code as it is executed: operands are numbers of registers, and each operation is a function over the lanes of a
//! warp.

use super::matrix::Matrix;
use crate::parser::Space;

pub(crate) use super::operand::{ARGUMENTS, Address, CARRY, CONSTANTS, FIRST, FRAME, Source};
pub(crate) use crate::lanes::{Lanes, Word};

/// How undefined bits go through an operation; see `emulator_core::bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The operation moves bits: it is applied to the masks; a third operand says where to and must be defined.
    Move,
    /// The same, and the second operand must be defined as well.
    MoveFirst,
    /// A conjunction.
    And,
    /// A disjunction.
    Or,
    /// Bit by bit.
    Each,
    /// Carries go to the left.
    Carry,
    /// Everything.
    Whole,
    /// Everything in each half.
    Halves,
    /// Everything, also where the divisor is zero.
    Divide,
    /// A shift.
    ShiftLeft,
    /// A shift that brings in zeros.
    ShiftRight,
    /// A shift that brings in the sign.
    ShiftRightSigned,
}

/// When a comparison is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Equality of bits.
    Equality,
    /// Order of unsigned integers.
    Unsigned,
    /// Order of signed integers.
    Signed,
    /// Floats: if anything is.
    Whole,
}

/// A comparison's result and another predicate become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combination {
    /// `and`
    And,
    /// `or`
    Or,
    /// `xor`
    Xor,
}

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// `%tid`, by axis.
    Thread(usize),
    /// `%ntid`
    BlockSize(usize),
    /// `%ctaid`
    Block(usize),
    /// `%nctaid`
    GridSize(usize),
    /// `%laneid`
    Lane,
    /// `%warpid`
    Warp,
    /// `%nwarpid`
    Warps,
    /// `%smid`
    Multiprocessor,
    /// `%nsmid`
    Multiprocessors,
    /// `%gridid`
    Grid,
    /// `%lanemask_eq`
    MaskEqual,
    /// `%lanemask_lt`
    MaskLess,
    /// `%lanemask_le`
    MaskLessEqual,
    /// `%lanemask_gt`
    MaskGreater,
    /// `%lanemask_ge`
    MaskGreaterEqual,
    /// `%clock`, `%clock64`, `%globaltimer`
    Clock,
    /// `%clock_hi`, `%globaltimer_hi`
    ClockHigh,
    /// `%dynamic_smem_size`
    DynamicShared,
    /// `%total_smem_size`
    TotalShared,
    /// A register that is zero here.
    Zero,
    /// A register that is one here: the size of a cluster.
    One,
}

impl Special {
    /// A special register by its name.
    pub(crate) fn named(name: &str) -> Option<Special> {
        let axis = |stem: &str| {
            let rest = name.strip_prefix(stem)?;
            [".x", ".y", ".z"].iter().position(|component| *component == rest)
        };
        type ByAxis = (&'static str, fn(usize) -> Special);
        let by_axis: [ByAxis; 5] = [
            ("%tid", Special::Thread),
            ("%ntid", Special::BlockSize),
            ("%ctaid", Special::Block),
            ("%nctaid", Special::GridSize),
            // A cluster has one block.
            ("%nclusterid", Special::GridSize),
        ];
        if let Some((which, axis)) = by_axis.iter().find_map(|(stem, which)| Some((which, axis(stem)?))) {
            return Some(which(axis));
        }
        let clusters =
            [("%cluster_ctaid", Special::Zero), ("%clusterid", Special::Zero), ("%cluster_nctaid", Special::One)];
        if let Some((_, which)) = clusters.iter().find(|(stem, _)| axis(stem).is_some()) {
            return Some(*which);
        }
        Some(match name {
            "%laneid" => Special::Lane,
            "%warpid" => Special::Warp,
            "%nwarpid" => Special::Warps,
            "%smid" => Special::Multiprocessor,
            "%nsmid" => Special::Multiprocessors,
            "%gridid" => Special::Grid,
            "%lanemask_eq" => Special::MaskEqual,
            "%lanemask_lt" => Special::MaskLess,
            "%lanemask_le" => Special::MaskLessEqual,
            "%lanemask_gt" => Special::MaskGreater,
            "%lanemask_ge" => Special::MaskGreaterEqual,
            "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => Special::Clock,
            "%clock_hi" | "%globaltimer_hi" => Special::ClockHigh,
            "%dynamic_smem_size" => Special::DynamicShared,
            "%total_smem_size" => Special::TotalShared,
            "%cluster_ctarank" => Special::Zero,
            "%cluster_nctarank" => Special::One,
            "%is_explicit_cluster" => Special::Zero,
            _ => return None,
        })
    }
}

/// How lanes read one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    /// The lane `b` below.
    Up,
    /// The lane `b` above.
    Down,
    /// The lane whose number differs in the bits of `b`.
    Butterfly,
    /// The lane `b`.
    Index,
}

/// The question of a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    /// Whether the predicate is true in all lanes.
    All,
    /// In any.
    Any,
    /// Whether it is the same in all.
    Uniform,
    /// In which.
    Ballot,
}

/// An operation on the values of several lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CrossLane {
    /// `shfl.sync`: value, lane, clamp and segments.
    Shuffle(Shuffle),
    /// `vote.sync`: predicate, and whether it is negated.
    Vote(Vote, bool),
    /// `match.any.sync`
    MatchAny,
    /// `match.all.sync`
    MatchAll,
    /// `redux.sync`
    Reduce(fn(u64, u64) -> u64),
    /// `bar.warp.sync`
    Barrier,
    /// `elect.sync`
    Elect,
}

/// The threads that an order is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those of the block: `.cta`.
    Block,
    /// All: `.cluster`, `.gpu`, `.sys`.
    All,
}

/// The order that an access or a fence demands of other accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Nothing: weak, `.relaxed`, `.volatile`.
    Relaxed,
    Acquire(Scope),
    Release(Scope),
    Both(Scope),
    Fence {
        scope: Scope,
        is_sequential: bool,
    },
}

/// The update of a word in memory: its new value from the old one and the operands.
pub(crate) type Update = fn(u64, u64, u64) -> u64;

/// `add.cc` and kin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carry {
    /// a + b
    Add,
    /// a - b
    Subtract,
    /// The lower half of a * b, plus c
    MultiplyLow,
    /// The upper half of a * b, plus c
    MultiplyHigh,
    /// The upper half of the signed product, plus c
    MultiplyHighSigned,
}

/// A function of one lane.
pub(crate) struct General(pub(crate) Box<dyn Fn(u64, u64, u64) -> u64 + Send + Sync>);

impl std::fmt::Debug for General {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function")
    }
}

/// The effect of arriving at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    /// Waits.
    Sync,
    /// Does not wait.
    Arrive,
    /// Waits, and counts predicates.
    Count,
    /// Waits; whether all predicates were true.
    All,
    /// Waits; whether any was.
    Any,
}

/// Registers of a value that is passed: the first, how many, and the width of each in bits.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    /// Registers or constants of the caller; each is 8 bytes of the parameter.
    pub(crate) words: Vec<Source>,
}

/// An operation. Functions over words do not change lanes that do not take part.
#[derive(Debug)]
pub(crate) enum Op {
    /// d = f(a)
    Unary { f: fn(&mut Word, &Word), rule: Rule, width: u32, d: Source, a: Source },
    /// d = f(a, b)
    Binary { f: fn(&mut Word, &Word, &Word), rule: Rule, width: u32, d: Source, a: Source, b: Source },
    /// d = f(a, b, c)
    Ternary { f: fn(&mut Word, &Word, &Word, &Word), rule: Rule, width: u32, d: Source, a: [Source; 3] },
    /// d = f(a, b, c), for operations that are not frequent.
    General { f: General, rule: Rule, width: u32, d: Source, a: [Source; 3] },
    /// `bfi`: insert a into b at c, d bits.
    Insert { width: u32, d: Source, a: [Source; 4] },
    /// `lop3` with its table.
    Logic3 { table: u8, d: Source, a: [Source; 3] },
    /// p = f(a, b), q its negation
    Compare {
        f: fn(&Word, &Word) -> u32,
        kind: Comparison,
        width: u32,
        p: Option<Source>,
        q: Option<Source>,
        combine: Option<(Combination, Source, bool)>,
        a: Source,
        b: Source,
    },
    /// `set`: all bits, or 1.0, where the comparison holds.
    Set {
        f: fn(&Word, &Word) -> u32,
        kind: Comparison,
        width: u32,
        truth: u64,
        combine: Option<(Combination, Source, bool)>,
        d: Source,
        a: Source,
        b: Source,
    },
    /// d = p ? a : b
    Select { d: Source, a: Source, b: Source, p: Source },
    /// Sums that go on over several words; the last register is the carry.
    CarryChain { kind: Carry, width: u32, reads: bool, writes: bool, d: Source, a: [Source; 3], carry: Source },
    /// A special register.
    Special { which: Special, d: Source },
    /// Narrow values become a wide one.
    Pack { d: Source, parts: Vec<(Source, u32)> },
    /// A wide value becomes narrow ones.
    Unpack { parts: Vec<(Option<Source>, u32)>, a: Source },
    /// Part of a parameter's word to a register.
    FromWord { d: Source, word: Source, shift: u32, width: u32, signed: Option<u32> },
    /// A register to part of a parameter's word.
    ToWord { word: Source, a: Source, shift: u32, width: u32 },
    /// `ld`
    Load { space: Space, bytes: usize, signed: Option<u32>, d: Vec<Option<Source>>, address: Address, order: Order },
    /// `st`
    Store { space: Space, bytes: usize, a: Vec<Source>, address: Address, order: Order },
    /// `atom`, `red`
    Atomic {
        space: Space,
        bytes: usize,
        f: Update,
        is_exchange: bool,
        d: Option<Source>,
        address: Address,
        b: Source,
        c: Source,
        order: Order,
    },
    /// `fence`, `membar`
    Fence(Order),
    /// `cp.async`: to shared memory, from global memory; bytes, and how many of them are not zero.
    CopyAsync { to: Address, from: Address, bytes: usize, size: Option<Source> },
    /// `cp.async.commit_group`
    CommitCopies,
    /// `cp.async.wait_group`, with how many groups need not be complete; `cp.async.wait_all`
    WaitCopies(Option<usize>),
    /// The generic address of one in a state space.
    ToGeneric { space: Space, d: Source, a: Source },
    /// The other way.
    FromGeneric { space: Space, d: Source, a: Source },
    /// `isspacep`
    IsSpace { space: Space, d: Source, a: Source },
    /// Values of several lanes.
    Cross { kind: CrossLane, key: u32, d: Option<Source>, p: Option<Source>, a: [Source; 3], mask: Source },
    /// An operation on matrices, of all lanes. Lanes wait for those with the same key.
    Matrix { key: u32, matrix: Box<Matrix> },
    /// `activemask`
    ActiveMask { d: Source },
    /// A barrier of the block.
    Barrier {
        kind: BarrierKind,
        aligned: bool,
        number: Source,
        count: Option<Source>,
        p: Option<(Source, bool)>,
        d: Option<Source>,
    },
    /// To another place of the function.
    Branch { target: usize },
    /// To the place that a register picks.
    BranchIndex { a: Source, targets: Vec<usize> },
    /// The end of a loop's round: lanes meet here before the next.
    NextRound { target: usize },
    /// A call; `None` where the register says which function.
    Call { function: Result<usize, Source>, results: Vec<Passed>, arguments: Vec<Passed> },
    /// A function that the device brings: `vprintf`.
    Builtin { name: String, results: Vec<Passed>, arguments: Vec<Passed> },
    /// Back to the caller.
    Return,
    /// The end of the thread.
    Exit,
    /// The end of the launch.
    Trap(&'static str),
    /// Nothing that can be seen, as prefetches.
    Nothing,
    /// An instruction that is not modelled or not valid, with the message.
    Unsupported(String),
}

/// The statement of code that is no instruction of the program: a label, or a jump to a block that was moved.
pub(crate) const NO_STATEMENT: u32 = u32::MAX;

/// An instruction with its guard and its place.
#[derive(Debug)]
pub(crate) struct Code {
    /// The predicate, and whether it is negated.
    pub(crate) guard: Option<(Source, bool)>,
    /// The operation.
    pub(crate) op: Op,
    /// The instruction's index in the function's body.
    pub(crate) statement: u32,
    /// The file's number and the line; 0 where there is none.
    pub(crate) place: (u32, u32),
}

/// A compiled function.
#[derive(Debug)]
pub(crate) struct Function {
    /// Its index in the module.
    pub(crate) index: usize,
    /// The code.
    pub(crate) code: Vec<Code>,
    /// The values of constants.
    pub(crate) constants: Vec<Lanes>,
    /// How many registers it has.
    pub(crate) registers: u32,
    /// The registers that may be read before they are written.
    pub(crate) read_first: Vec<Source>,
    /// The words of its parameters.
    pub(crate) parameters: Vec<Vec<Source>>,
    /// The words of its results.
    pub(crate) results: Vec<Vec<Source>>,
    /// Parameters that have addresses: where they are in the frame, and their words.
    pub(crate) addressed: Vec<(u64, Vec<Source>)>,
    /// Bytes of the frame.
    pub(crate) frame: u64,
    /// Its alignment.
    pub(crate) frame_alignment: u64,
}
