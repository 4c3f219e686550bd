//! The thresholds, costs and limits of sizes that decide which code is vectorised, in which versions, and how far.
//!
//! The comment of each gives the reason for its value. "Not measured" means that nobody has recorded the effect of
//! other values. No value changes the results of a kernel.

// Whether vectors pay (`vectorize/cost.rs`). Costs are in simple instructions.

/// How many times as fast vectors must be to be chosen. Not measured.
pub(crate) const FASTER_BY: f64 = 1.25;

/// A part is slow, and a remark names it, if it costs more in vectors by this share of all. Not measured.
pub(crate) const SLOW_PART: f64 = 0.2;

/// The assumed trip count of a loop whose trip count is not known. Not measured.
pub(crate) const UNKNOWN_TRIP_COUNT: u64 = 16;

/// Loops in more loops than this count no more. Not measured.
pub(crate) const NESTED_LOOPS: usize = 4;

/// The bits of a vector register that every processor of the lowest level has: a fact of SSE2 and NEON.
pub(crate) const REGISTER_BITS: u32 = 128;

/// Those of AVX2, if the target says that vectors are long.
pub(crate) const LONG_REGISTER_BITS: u32 = 256;

/// The vector registers that the values which a loop hands on may fill: twice the 16 that there are, because not all
/// values are used at once. The factor was not measured.
pub(crate) const REGISTERS: u32 = 32;

/// The cost of an operation that has no vector form, for each thread, with the moves of its operands. Not measured.
pub(crate) const SCALAR_OPERATION: f64 = 1.5;

/// How many times as much an access costs whose elements are put into a vector or taken out of it. Not measured.
pub(crate) const GATHER: f64 = 2.0;

/// The same for a place that is also stored to: a gather of AVX2 waits for stores. Not measured.
pub(crate) const UPDATED_GATHER: f64 = 4.0;

/// The cost of a register of interleaved elements: the access and its shuffles. Not measured.
pub(crate) const INTERLEAVED: f64 = 3.0;

/// How often threads part on a branch on data that is executed once: in one of four executions. Not measured.
pub(crate) const DIVERGES: f64 = 0.25;

/// The cost of a scalar path besides that of its instructions, for each thread. Not measured.
pub(crate) const SCALAR_CALL: f64 = 8.0;

// The number of lanes of a group.

/// The number of lanes of a group where nothing is known: rows of blocks are often 8 or 16 long.
/// Widths of 4 and 16 as the usual one were not measured.
pub(crate) const WIDTH: u32 = 8;

/// The largest number of lanes of a group. They share the values that a loop loads for all of them
/// (`vectorize/width.rs`). Not measured against more.
pub(crate) const MOST_WIDTH: u32 = 16;

/// A group has 16 lanes if elements have these bytes: a register of the lowest level has four of them.
pub(crate) const WIDE_ELEMENT_BYTES: u64 = 4;

/// The vectors that loops of 16 threads hand on at most: each takes four registers of the lowest level, which has 16.
pub(crate) const WIDE_LOOP_VECTORS: usize = 2;

/// The number of lanes of a warp that are executed at once. It divides the number of lanes in a warp, and vectors of
/// this size let LLVM forward values from one region to the next. Not measured against 16.
pub(crate) const WARP_GROUP: u32 = 8;

// Branches on which threads part.

/// Regions with more instructions are not if-converted. Not measured.
pub(crate) const FLATTEN_INSTRUCTIONS: usize = 400;

/// Nor such with more blocks. Not measured.
pub(crate) const FLATTEN_BLOCKS: usize = 64;

/// A part that costs less than this is executed even if no thread needs it. Not measured.
pub(crate) const FLATTEN_CHEAP: usize = 10;

/// More instructions than this in scalar paths, over all branches, are too many. Not measured.
pub(crate) const SCALAR_INSTRUCTIONS: usize = 6000;

/// A scalar path of more instructions is called. Not measured.
pub(crate) const SCALAR_INLINED: usize = 24;

/// A part in which values are assumed to be affine has at most this many blocks. Not measured.
pub(crate) const ASSUMED_AFFINE_BLOCKS: usize = 6;

/// Numbers up to this are compared in 32 bits. Any limit below 2^31 is right; this one was not measured.
pub(crate) const NARROW_MOST: u64 = 1 << 20;

// Accesses of memory by several threads at once (`vectorize/memory/`).

/// A stretch of memory is accessed by at most this many instructions. Not measured.
pub(crate) const INTERLEAVED_MEMBERS: usize = 4;

/// Functions with more accesses are not examined. Not measured.
pub(crate) const ORDERED_ACCESSES: usize = 200;

/// The bytes of elements side by side that one load takes: those of a register of every processor.
pub(crate) const TRANSPOSED_BYTES: u64 = 16;

/// Longer loops are not unrolled for such loads. Not measured.
pub(crate) const TRANSPOSED_INSTRUCTIONS: usize = 40;

/// Constant tables with more elements are loaded from memory, and others are selections. Not measured.
pub(crate) const TABLE_ELEMENTS: usize = 4;

/// A copy of more elements of a thread's array is a loop. Not measured.
pub(crate) const COPIED_ELEMENTS: u64 = 32;

/// As many elements of such a copy are loaded before they are stored. Not measured.
pub(crate) const COPIED_AT_ONCE: u64 = 4;

/// Addresses are sums of at most this many values. Not measured.
pub(crate) const SUM_TERMS: usize = 12;

// Regions and their number.

/// The largest number of regions whose loops are in the entry itself, and that have faster versions. LLVM's compile
/// time is quadratic in this number. The limit itself was not measured.
pub(crate) const REGIONS_IN_ENTRY: usize = 16;

/// The largest number of regions that have one loop each, which LLVM vectorises in some milliseconds. More regions
/// share a loop that calls them: a kernel with 1,000 barriers then compiled in 0.9 s.
pub(crate) const REGIONS_WITH_LOOP: usize = 128;

/// A grid-stride loop that hands on more values to its next iteration has no implicit barriers. Not measured.
pub(crate) const STRIDED_LOOP_PHIS: usize = 4;

/// The logarithm of the largest step of a loop that is treated as a shift; blocks and grids are smaller.
pub(crate) const SHIFTED_STEP_BITS: u64 = 30;

// Versions of regions.

/// Regions with more instructions have no version for the low bits of a distance. Not measured.
pub(crate) const LOW_BITS_INSTRUCTIONS: usize = 400;

/// And such with more, none for each distance below the size of a group. Not measured.
pub(crate) const DISTANCE_INSTRUCTIONS: usize = 200;

/// Regions with more instructions have no version for one trip count. Not measured.
pub(crate) const TRIP_COUNT_INSTRUCTIONS: usize = 400;

/// The loads of a region that are hoisted out of its loop at most. Not measured.
pub(crate) const UNIFORM_LOADS: usize = 8;

/// An index that is compared with this constant, or a smaller one, is one at the edge of a block or of an array. Not
/// measured.
pub(crate) const EDGE: u64 = 8;

/// Conditions that nest deeper are not analysed. Not measured.
pub(crate) const ROW_CONDITION_DEPTH: u32 = 20;

/// The same for conditions that choose one lane. Not measured.
pub(crate) const LANE_CONDITION_DEPTH: u32 = 8;

/// How many blocks without a branch may be before such a condition. Not measured.
pub(crate) const LANE_CONDITION_BLOCKS: u32 = 4;

// Prefetches.

/// The number of blocks from one to that whose lines its rows prefetch. With all of `version/row_range/prefetch.rs`,
/// the stencil in blocks of 16 x 16 takes two thirds of its time; other distances were not recorded.
pub(crate) const PREFETCHED_BLOCKS: u64 = 2;

/// The number of threads whose elements of a later iteration are prefetched at once. If it were all of a block, the
/// processor would have to wait until it can prefetch more. Other numbers were not recorded.
pub(crate) const PREFETCHED_THREADS: u64 = 64;

/// The bytes that one prefetch reads: a cache line.
pub(crate) const LINE: u64 = 64;

/// Elements of more bytes are not prefetched, nor more arrays than this. Not measured.
pub(crate) const MOST_PREFETCHED: (i64, usize) = (16, 4);

// The code of one thread before it is split (`prepare/`).

/// How loops in loops are unrolled: those whose number of iterations is known, and at most 8. A loop that may end
/// earlier would become branches on which the threads of a row do not agree. Other numbers than 8 were not measured.
pub(crate) const UNROLL: &str =
    "function(loop-unroll<O2;no-partial;no-peeling;no-runtime;no-upperbound;full-unroll-max=8>,sroa,simplifycfg)";

/// The same for loops that have hints, with LLVM's own limits.
pub(crate) const UNROLL_HINTED: &str =
    "function(loop-unroll<O2;no-partial;no-peeling;no-runtime;no-upperbound>,sroa,simplifycfg)";

/// Functions with more instructions are not inlined before vectors. Not measured.
pub(crate) const INLINED_INSTRUCTIONS: usize = 200;

/// Nor a function whose copies together would have more. Not measured.
pub(crate) const INLINED_COPIES: usize = 800;

/// Nor the functions that a kernel calls if their copies in it would have more: the vectoriser's time grows faster than
/// a kernel. The limit itself was not measured.
pub(crate) const INLINED_IN_KERNEL: usize = 2000;

/// Nor functions with more bytes of variables, because each thread of a group would have them. Smaller arrays dissolve
/// when the loops that fill them are unrolled. Not measured.
pub(crate) const INLINED_BYTES: u64 = 64;

/// A loop that accesses an array of the thread, and has more iterations, is not unrolled. Not measured.
pub(crate) const UNROLLED_ITERATIONS: u64 = 16;

/// Nor one whose iterations together have more instructions. Not measured.
pub(crate) const UNROLLED_INSTRUCTIONS: u64 = 1000;

/// How many operations lead from the counter of such a loop to an index. Not measured.
pub(crate) const INDEX_DEPTH: u32 = 6;

// Idioms.

/// More stores than this stay after their branch. Not measured.
pub(crate) const EXCHANGED_STORES: usize = 4;

// Warps.

/// In kernels of warps with more regions than this, those with branches are loops over single lanes, for the time of
/// compilation. Not measured.
pub(crate) const WARP_REGIONS_WITH_BRANCHES: usize = 16;

/// In kernels with more regions than this, all are. Not measured.
pub(crate) const WARP_REGIONS: usize = 64;

/// The largest number of regions that are inlined, each with the operation before it. LLVM's compile time is quadratic
/// in this number. The limit itself was not measured.
pub(crate) const WARP_REGIONS_INLINED: usize = 16;

/// The largest number of regions with branches that are inlined in a version for several lanes. Lanes may take scalar
/// paths in them, so they are long, and LLVM's compile time would be too. Not measured.
pub(crate) const WARP_LONG_REGIONS: usize = 4;

/// The largest number of instructions of a region of one lane that is inlined in any case. Not measured.
pub(crate) const LANE_INLINED: usize = 64;

/// The bytes of slots that are variables on the stack at most. Not measured.
pub(crate) const WARP_STACK: u64 = 16 << 10;
