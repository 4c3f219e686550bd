//! Faults of LLVM that reach kernels, and the work-around for each: one row for each work-around.
//!
//! `docs/llvm.md` is made of this table (`make bless`). `--without-workaround=NAME,...` switches rows off, so that a
//! test can show that it fails without its work-around, and a newer LLVM can be tried. A new row needs:
//!
//! 1. The remedy. If it is a pass, the row has the name of the pass and [`Remedy::Pass`], and needs no other code: the
//!    wrapper of passes skips the pass when the row is switched off. A pass of code generation (`machine_passes.cpp`)
//!    has [`Remedy::MachinePass`] and is one of [`MACHINE_PASSES`]. Code between LLVM's passes (`pipeline.cpp`) has
//!    [`Remedy::Pipeline`] and is one of [`PIPELINE_WORKAROUNDS`]. Other code has [`Remedy::Code`] with its file, and a
//!    constant below for its name. It asks [`Without::lacks`](super::Without::lacks), of `Machine::without`,
//!    `TargetOptions::without` or `PassOptions::without`.
//! 2. The numbers of LLVM's issues and pull requests, where they are known.
//! 3. A test that fails without the work-around: a file of `tests/` that contains `--without-workaround=` and the name.
//!    `tests/compiler/workarounds.rs` looks for it.
//!
//! Code that LLVM is right to refuse, and features that a device lacks, have no row.

use std::fmt::Write;

/// A work-around.
#[derive(Debug)]
pub struct Workaround {
    /// Its name: that of the pass, if it is one.
    pub name: &'static str,
    /// The numbers of LLVM's issues and pull requests.
    pub numbers: &'static [u32],
    /// Whose code is affected.
    pub devices: &'static str,
    /// The behaviour of LLVM, as a sentence without its period.
    pub fault: &'static str,
    /// The behaviour of offloadc instead, in the same form.
    pub cure: &'static str,
    /// Where that is done.
    pub remedy: Remedy,
    /// The behaviour of a newer LLVM without it.
    pub newer: Newer,
    /// The file of the test that fails without it.
    pub test: &'static str,
}

/// The behaviour of a newer LLVM without a work-around. `scripts/llvm23` tries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newer {
    /// The first version that was seen to be right.
    RightFrom(&'static str),
    /// The last version that was seen to be wrong.
    WrongIn(&'static str),
}

impl Workaround {
    /// Whether the LLVM that offloadc is built with is wrong without it, as far as was seen.
    pub fn is_needed(&self) -> bool {
        let numbers = |version: &str| version.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
        match self.newer {
            RightFrom(version) => numbers(env!("OFFLOADC_LLVM_VERSION")) < numbers(version),
            WrongIn(_) => true,
        }
    }
}

/// Where a fault is worked around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// In the pass of the same name.
    Pass,
    /// In the pass of code generation of the same name.
    MachinePass,
    /// Between LLVM's passes, in this file. It is one of [`PIPELINE_WORKAROUNDS`].
    Pipeline(&'static str),
    /// In this file, which asks whether the row is switched off.
    Code(&'static str),
}

/// See [`WORKAROUNDS`].
pub const CODEGEN_LEVEL: &str = "codegen_level";
/// See [`WORKAROUNDS`].
pub const FREEZE_CHOSEN_CONSTANTS: &str = "freeze_chosen_constants";
/// See [`WORKAROUNDS`].
pub const SORT_UNROLLED: &str = "sort_unrolled";
/// See [`WORKAROUNDS`].
pub const FREEZE_NARROW_RECURRENCES: &str = "freeze_narrow_recurrences";
/// See [`WORKAROUNDS`].
pub const FREEZE_STOPPED_COUNTERS: &str = "freeze_stopped_counters";
/// See [`WORKAROUNDS`].
pub const FREEZE_MASKED_LOADS: &str = "freeze_masked_loads";
/// See [`WORKAROUNDS`].
pub const FORGET_CONSTANTS: &str = "forget_constants";
/// See [`WORKAROUNDS`].
pub const DISABLE_LOOP_REDUCE: &str = "disable_loop_reduce";
/// See [`WORKAROUNDS`].
pub const KEEP_BLOCK_ORDER: &str = "keep_block_order";
/// See [`WORKAROUNDS`].
pub const SEPARATE_PROCESS: &str = "separate_process";
/// See [`WORKAROUNDS`].
pub const WIDEN_INDICES: &str = "widen_indices";

/// The work-arounds around LLVM's passes, in the order of their bits in `pipeline.cpp`.
pub(super) const PIPELINE_WORKAROUNDS: [&str; 5] =
    [SORT_UNROLLED, FREEZE_CHOSEN_CONSTANTS, FREEZE_NARROW_RECURRENCES, FREEZE_STOPPED_COUNTERS, FREEZE_MASKED_LOADS];

/// The passes of code generation, in the order of their bits in `machine_passes.cpp`.
pub(super) const MACHINE_PASSES: [&str; 7] = [
    "disable_tail_duplication",
    "keep_masks",
    "keep_loop_waits",
    "keep_branch_conditions",
    "copy_frame_addresses",
    "hoist_free_operands",
    "disable_sdwa",
];

use Newer::{RightFrom, WrongIn};
use Remedy::{Code, MachinePass, Pass, Pipeline};

const EVERYTHING: &str = "all devices";
const ALL_GPUS: &str = "all GPUs";
const AMD: &str = "AMD";
const NVIDIA: &str = "NVIDIA";
const SPIRV: &str = "SPIR-V";
const X86: &str = "`cpu` and the host on x86-64";

/// All work-arounds: those for several targets first, then by target.
pub static WORKAROUNDS: &[Workaround] = &[
    Workaround {
        name: SORT_UNROLLED,
        numbers: &[188821, 219384],
        devices: EVERYTHING,
        fault: "the unroller goes through exits of a loop in the order of their addresses, so the operands of a `phi`, and \
                with them the code, differ from one run to the next",
        cure: "operands of phis, uses and the dominator tree are sorted after each pass that unrolls",
        remedy: Pipeline("src/llvm/unrolled.cpp"),
        newer: WrongIn("23.1.4"),
        test: "tests/golden/codegen/unrolled-exits.ll",
    },
    Workaround {
        name: FREEZE_NARROW_RECURRENCES,
        numbers: &[191498, 215690],
        devices: EVERYTHING,
        fault: "a loop is vectorised on the condition that its narrow numbers do not wrap, and the check of one width is \
                left out if there is one of a wider number, so `key[(k % 8) as usize]` is read as `key[k as usize]`",
        cure: "in a loop that extends numbers of several widths, all but the widest are frozen before the pass",
        remedy: Pipeline("src/llvm/vectorized_loops.cpp"),
        newer: RightFrom("23.1.4"),
        test: "tests/golden/codegen/narrow-recurrences.ll",
    },
    Workaround {
        name: FREEZE_STOPPED_COUNTERS,
        numbers: &[205799],
        devices: EVERYTHING,
        fault: "a counter that is not increased in the last iteration of a loop has the value after one more, where the loop \
                is vectorised and the counter is read after it",
        cure: "such a counter is frozen before the pass, so that its loop is not vectorised",
        remedy: Pipeline("src/llvm/vectorized_loops.cpp"),
        newer: WrongIn("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: FREEZE_MASKED_LOADS,
        numbers: &[160522, 215453, 216730],
        devices: "`cpu` and the host",
        fault: "a masked load whose result is selected by the same mask moves to the selection, also over a store to the \
                same memory: `*o = if c { mem::replace(a, b) } else { d }` in a loop that is vectorised",
        cure: "the results of masked loads are frozen",
        remedy: Pipeline("src/llvm/vectorized_loops.cpp"),
        newer: RightFrom("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "narrow_word_products",
        numbers: &[218844],
        devices: X86,
        fault: "a vector of 16-bit numbers that are cut from shifted products of more than 32 bits has zeros where the \
                signs belong",
        cure: "the products are computed in 32 bits",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "hide_low_bytes",
        numbers: &[205600],
        devices: X86,
        fault: "`u64::from(x & !0xff | u32::from(byte))` keeps the upper half of the register of `x`",
        cure: "empty assembly copies the number before it is extended",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "disable_tail_duplication",
        numbers: &[213979, 221865],
        devices: X86,
        fault: "a sum with 0 that tail duplication leaves becomes a copy, which does not clear the upper half of its register: \
                the index of a jump table in a loop is wrong",
        cure: "early tail duplication does not run",
        remedy: MachinePass,
        newer: WrongIn("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "keep_masks",
        numbers: &[198220],
        devices: "`cpu` and the host on x86-64-v4",
        fault: "`X86CompressEVEX` erases the instruction that writes a mask of signs where an integer is made of the mask and \
                another instruction reads it",
        cure: "the readers that it does not see get one that it sees",
        remedy: MachinePass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/codegen/masks.ll",
    },
    Workaround {
        name: FREEZE_CHOSEN_CONSTANTS,
        numbers: &[],
        devices: ALL_GPUS,
        fault: "`InferAddressSpaces` infers no address space for a pointer that is selected among constants only; a `phi` \
                of it loses an operand, and the next pass crashes",
        cure: "one of the constants is frozen before the pass",
        remedy: Pipeline("src/llvm/pipeline.cpp"),
        newer: RightFrom("23.1.4"),
        test: "tests/golden/codegen/chosen-constants.ll",
    },
    Workaround {
        name: CODEGEN_LEVEL,
        numbers: &[196418],
        devices: ALL_GPUS,
        fault: "at level 0, back ends end at ordinary code, such as a division and a remainder of the same 16-bit numbers, \
                or divide wrongly",
        cure: "code is generated at level 1 at least",
        remedy: Code("src/stages/machine.rs"),
        newer: WrongIn("23.1.4"),
        test: "tests/golden/codegen/level.ll",
    },
    Workaround {
        name: "keep_loop_entries",
        numbers: &[],
        devices: ALL_GPUS,
        fault: "equal stores before a loop with a barrier and at the end of its iterations become one block, with which there \
                are two loops: threads wait at barriers of different iterations",
        cure: "a mark ends the block before the loop while LLVM optimises the code",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "freeze_narrow_indices",
        numbers: &[204278, 223500],
        devices: ALL_GPUS,
        fault: "straight-line strength reduction and the vectoriser of loads and stores subtract narrow indices before \
                their extension, although one may wrap",
        cure: "a narrow index that may wrap is frozen",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/codegen/narrow-indices.ll",
    },
    Workaround {
        name: "compare_as_numbers",
        numbers: &[],
        devices: ALL_GPUS,
        fault: "a comparison of a pointer with a number becomes one in the pointer's address space, where the number is \
                another address",
        cure: "the generic address is compared as an integer",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/codegen/compared-addresses.ll",
    },
    Workaround {
        name: "keep_loop_waits",
        numbers: &[220356],
        devices: AMD,
        fault: "`SIInsertWaitcnts` erases the wait of a barrier, fence or atomic for what an earlier turn of a loop has \
                written or read",
        cure: "waits that a loop reaches are not to be erased",
        remedy: MachinePass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/amdgpu/loop-waits.ll",
    },
    Workaround {
        name: "keep_branch_conditions",
        numbers: &[215745, 215829],
        devices: AMD,
        fault: "`SIPreEmitPeephole` erases the `s_and` whose SCC selections read after `MachineCSE`, so they read the carry \
                of an addition",
        cure: "a copy of VCC hides the `s_and`",
        remedy: MachinePass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/amdgpu/branch-conditions.ll",
    },
    Workaround {
        name: "copy_frame_addresses",
        numbers: &[193498, 223789],
        devices: AMD,
        fault: "the address of a local array is computed between a comparison and the selection of the array, and changes \
                SCC; where SCC is needed later, a scalar instruction gets the address in a vector register, and is refused",
        cure: "scalar instructions get copies of addresses",
        remedy: MachinePass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/amdgpu/frame-addresses.ll",
    },
    Workaround {
        name: "hoist_free_operands",
        numbers: &[183792],
        devices: AMD,
        fault: "`StructurizeCFG` moves the operand of a phi that has no cost, such as a cast of a pointer, in front of a \
                branch, and the value replaces those of other paths that meet there",
        cure: "such operands are moved before, except where the two sides of a branch meet",
        remedy: MachinePass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/amdgpu/free-operands.ll",
    },
    Workaround {
        name: "keep_exit_values",
        numbers: &[203256],
        devices: AMD,
        fault: "`SIFoldOperands` replaces the value with which each lane left a loop by that of the last iteration",
        cure: "empty assembly in the loop copies such values to vector registers",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "keep_carries",
        numbers: &[204694, 204362],
        devices: AMD,
        fault: "a number of more than 64 bits loses the carry of its lowest 64 bits if all lanes share these alone; \
                `(x + y) + carry` of 32 bits has a carry, too, if `x + y` wraps around",
        cure: "empty assembly copies the lowest word, or `x + y`, to vector registers",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "hide_byte_products",
        numbers: &[198412],
        devices: AMD,
        fault: "a sum of products of bytes becomes `v_dot4`, also if a mask, a difference or another operation is between \
                two of the products, and the operation is lost",
        cure: "a module with a product of bytes that is not simply added is compiled without these instructions",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "hide_sign_bytes",
        numbers: &[198708],
        devices: AMD,
        fault: "`v_perm_b32` takes the wrong byte for the sign in `x >> 8` where bytes are put together",
        cure: "empty assembly copies the shifted number",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "disable_sdwa",
        numbers: &[198491, 218512],
        devices: "AMD (GCN)",
        fault: "`SIPeepholeSDWA` merges shifts and extensions of bytes and halves into the instructions that read them, and \
                gets some signs wrong: `(x >> 8) as u16 as u32` of an `i16`, and floats of extended bits",
        cure: "the pass does not run",
        remedy: MachinePass,
        newer: WrongIn("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "keep_product_masks",
        numbers: &[198729],
        devices: AMD,
        fault: "a product of two numbers of at most 24 bits plus a number of 64 bits reads 32 bits of each factor, whose \
                masks are dropped",
        cure: "`llvm.expect` hides the known bits of one factor",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: "keep_zero_signs",
        numbers: &[],
        devices: AMD,
        fault: "the instruction for a product that is rounded to 16 bits adds 0.0, so -0.0 becomes 0.0",
        cure: "the product becomes `fma a, b, -0.0`",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/passes/keep-zero-signs.ll",
    },
    Workaround {
        name: "divide_exactly",
        numbers: &[201186, 202753, 194829, 203436, 204469, 196418],
        devices: AMD,
        fault: "divisions of at most 24 bits, also in wider types, are corrected once after a reciprocal that may be off by \
                one unit in the last place; the quotient of the smallest number and -1 gets the wrong sign, also that of 32 \
                bits in 64; with `minsize`, numbers with a sign are divided as if they had none",
        cure: "`llvm.expect` hides how narrow the divisor is, and what may be known is said again",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/amdgpu/exact-divisions.ll",
    },
    Workaround {
        name: FORGET_CONSTANTS,
        numbers: &[],
        devices: AMD,
        fault: "objects have about ten symbols for each function that no program needs",
        cure: "the symbols are undefined when the code object is linked",
        remedy: Code("src/targets/amdgpu/constants.rs"),
        newer: RightFrom("23.1.4"),
        test: "tests/golden/amdgpu/symbols.ll",
    },
    Workaround {
        name: "drop_shift_flags",
        numbers: &[200924, 207280, 210152],
        devices: NVIDIA,
        fault: "`sext (shl nsw x, 31)` becomes a product with -2147483648, which has the wrong sign for -1; the same for \
                other widths",
        cure: "shifts into the sign do not promise that the result fits",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/nvptx/shifts.ll",
    },
    Workaround {
        name: "freeze_guarded_shifts",
        numbers: &[201165],
        devices: NVIDIA,
        fault: "`n < 64 ? x << n : 0` becomes a shift by the low 32 bits of `n`",
        cure: "the shift is frozen, so the comparison stays",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/nvptx/shifts.ll",
    },
    Workaround {
        name: "keep_null",
        numbers: &[],
        devices: NVIDIA,
        fault: "null becomes a meaningless address in the address spaces of private and shared memory",
        cure: "null is the largest number there, and is compared with it",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/codegen/compared-addresses.ll",
    },
    Workaround {
        name: "order_with_fences",
        numbers: &[],
        devices: "NVIDIA before `sm_70`",
        fault: "loads and stores with an ordering have no code",
        cure: "fences stand around relaxed accesses",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/nvptx/ordered-accesses.ll",
    },
    Workaround {
        name: "strengthen_atomics",
        numbers: &[],
        devices: NVIDIA,
        fault: "read-modify-write operations lose their ordering and their scope, and before `sm_70` so does \
                compare-and-exchange",
        cure: "the operations are assembly with a scope, between fences",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/nvptx/atomics-as-strong.ll",
    },
    Workaround {
        name: SEPARATE_PROCESS,
        numbers: &[],
        devices: SPIRV,
        fault: "a static without a lock keeps the analysis of a module, and a function of a later module gets its numbers",
        cure: "the code of each module is made in a process of its own",
        remedy: Code("src/llvm/machine.rs"),
        newer: RightFrom("23.1.4"),
        test: "tests/golden/spirv/recursion.ll",
    },
    Workaround {
        name: DISABLE_LOOP_REDUCE,
        numbers: &[],
        devices: SPIRV,
        fault: "the extended truncations that loop strength reduction leaves become an `and` of two widths, and a program \
                with vectors has wrong results",
        cure: "the option `-disable-lsr`, in the process of that code",
        remedy: Code("src/llvm/machine.rs"),
        newer: WrongIn("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: KEEP_BLOCK_ORDER,
        numbers: &[],
        devices: SPIRV,
        fault: "LLVM 23 gives loops an exit of their own after blocks were put in order, so the exit may stand in front of \
                the loop",
        cure: "loops have such exits before, and the option `-disable-cgp`, in the process of that code, keeps them",
        remedy: Code("src/llvm/machine.rs"),
        newer: WrongIn("23.1.4"),
        test: "tests/golden/spirv/block-order.ll",
    },
    Workaround {
        name: "drop_loop_hints",
        numbers: &[],
        devices: SPIRV,
        fault: "LLVM 23 writes how often a loop is to be unrolled also in versions of SPIR-V that cannot say it",
        cure: "loops have none of LLVM's hints; LLVM has unrolled them",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/passes/drop-loop-hints.ll",
    },
    Workaround {
        name: "mask_truncations",
        numbers: &[],
        devices: SPIRV,
        fault: "`zext (trunc a)` becomes an `and` of two widths if `a` is wider than the result",
        cure: "the number is cut to the width of the result, and masked",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/spirv/not-valid.ll",
    },
    Workaround {
        name: "widen_signs",
        numbers: &[209232],
        devices: SPIRV,
        fault: "a number of one bit with a sign, which is 0 or -1, is 1.0 as a float: \
                `(x.is_none() as i32).wrapping_neg() as f32`",
        cure: "the number is widened before it is converted",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/programs/single.rs",
    },
    Workaround {
        name: WIDEN_INDICES,
        numbers: &[],
        devices: SPIRV,
        fault: "`Scalarizer` compares an index of an element in its own type, so element 4 is element 0 for an index of 2 \
                bits",
        cure: "indices have 32 bits",
        remedy: Code("src/targets/spirv/legal.rs"),
        newer: RightFrom("23.1.4"),
        test: "tests/golden/spirv/narrow-indices.ll",
    },
    Workaround {
        name: "split_aggregates",
        numbers: &[],
        devices: SPIRV,
        fault: "a `phi` of a field of a struct has the type of the struct",
        cure: "a `phi`, `select` or `freeze` of a struct is one of each field",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/spirv/aggregates.ll",
    },
    Workaround {
        name: "drop_memory_effects",
        numbers: &[],
        devices: SPIRV,
        fault: "a function that does not access memory is `Pure`, although it reads its thread's position",
        cure: "functions have no attribute `memory`",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/spirv/pure-functions.ll",
    },
    Workaround {
        name: "order_with_barriers",
        numbers: &[],
        devices: SPIRV,
        fault: "atomic loads and stores become plain ones, and orderings do not say which memory they order",
        cure: "accesses are relaxed operations between barriers",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/spirv/atomic-order.ll",
    },
    Workaround {
        name: "align_locals",
        numbers: &[],
        devices: SPIRV,
        fault: "the alignment of a local is written as a signed byte",
        cure: "an aligned address is computed in a larger local",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/spirv/aligned-local.ll",
    },
    Workaround {
        name: "return_pointers_to_bytes",
        numbers: &[],
        devices: SPIRV,
        fault: "offsets from a pointer that a function returns are those of another type",
        cure: "functions return pointers to bytes",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/spirv/returned-pointers.ll",
    },
    Workaround {
        name: "join_pointers_to_bytes",
        numbers: &[],
        devices: SPIRV,
        fault: "a `phi` of pointers has another type than one of its values",
        cure: "a `phi` or `select` takes pointers to bytes from others",
        remedy: Pass,
        newer: RightFrom("23.1.4"),
        test: "tests/golden/spirv/joined-pointers.ll",
    },
    Workaround {
        name: "hold_global_addresses",
        numbers: &[],
        devices: SPIRV,
        fault: "the initial value of a static converts the address of another one, which SPIR-V's constants cannot",
        cure: "the static holds pointers to global memory, which have the same bits",
        remedy: Pass,
        newer: WrongIn("23.1.4"),
        test: "tests/golden/spirv/static-addresses.ll",
    },
];

// Each has one of the bits of `Without` (without.rs).
const _: () = assert!(WORKAROUNDS.len() <= 64);

const HEAD: &str = "# LLVM's faults

offloadc is built on LLVM, and LLVM has faults that reach kernels. This page lists those that offloadc works around:
what LLVM 22 does, what offloadc does instead, and whether a newer LLVM was seen to be right without it. It is made of
the table in `src/llvm/workarounds.rs`.

`--without-workaround=NAME,...` compiles without some of the work-arounds, and `--without-workaround=all` without any.
The option is for those who work on offloadc: the code is then wrong where LLVM is. Each test in the table fails with
it.
";

/// The text of `docs/llvm.md`.
pub fn document() -> String {
    let mut text = HEAD.to_owned();
    let mut devices = "";
    for row in WORKAROUNDS {
        if row.devices != devices {
            devices = row.devices;
            let name = format!("{}{}", devices[..1].to_uppercase(), &devices[1..]);
            let head = "| name | LLVM's number | LLVM | offloadc | newer LLVM | test |\n|---|---|---|---|---|---|";
            let _infallible = write!(text, "\n## {name}\n\n{head}\n");
        }
        let Workaround { name, numbers, devices: _, fault, cure, remedy, newer, test } = row;
        let links: Vec<_> =
            numbers.iter().map(|n| format!("[#{n}](https://github.com/llvm/llvm-project/issues/{n})")).collect();
        let place = match remedy {
            Pass => "pass".to_owned(),
            MachinePass => "pass of code generation".to_owned(),
            Code(file) | Pipeline(file) => format!("`{file}`"),
        };
        let newer = match newer {
            RightFrom(version) => format!("right from {version}"),
            WrongIn(version) => format!("wrong in {version}"),
        };
        let numbers = links.join(", ");
        let _infallible = writeln!(text, "| `{name}` | {numbers} | {fault} | {cure} ({place}) | {newer} | `{test}` |");
    }
    text
}

#[cfg(test)]
#[path = "workarounds_tests.rs"]
mod tests;
