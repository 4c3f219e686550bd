//! The device contract's builtins: functions that a kernel's source may call without defining them.
//!
//! One table contains the name and the signature of each builtin, whether it is convergent, and its meaning on the
//! host, where there is one block with one thread. Targets define the meaning on devices.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::abi::HostCallStatus;
use super::fast::FastFunction;
pub use super::lanes::{LaneOperation, Participants, ShuffleMode};
use super::queries::LINKED_FUNCTION;
use crate::llvm::{Module, Type, Value};

/// A scalar type in a builtin's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// No value.
    Void,
    /// Rust's `bool`.
    Bool,
    /// Rust's `u32`.
    U32,
    /// Rust's `u64` and `usize`.
    U64,
    /// Rust's `f32`.
    F32,
    /// A pointer in the generic address space.
    Pointer,
}

/// The result of a call on the host: one grid of one block of one thread of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostMeaning {
    /// A constant.
    Constant(u64),
    /// The argument with this index, from 0.
    Argument(usize),
    /// Nothing to do.
    Nothing,
    /// A null pointer.
    Null,
    /// The address of a static buffer of [`SHARED_BUFFER_BYTES`] in this program.
    SharedBuffer,
    /// Writes the given number of bytes from an address to standard output.
    Print,
    /// The value of the exact function.
    Exact(FastFunction),
}

/// The size in bytes of the buffer of [`HostMeaning::SharedBuffer`].
pub const SHARED_BUFFER_BYTES: u64 = 64 * 1024;

/// A direction of a grid or a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The direction in which threads have consecutive numbers.
    X,
    /// The second direction.
    Y,
    /// The third direction.
    Z,
}

impl Axis {
    /// All three, in order.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// Its number, from 0.
    pub fn number(self) -> usize {
        self as usize
    }

    /// Its letter.
    pub fn letter(self) -> &'static str {
        ["x", "y", "z"][self.number()]
    }
}

/// The threads among which a fence orders memory accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceScope {
    /// Those of the block.
    Block,
    /// Those of the device.
    Device,
    /// Those of all devices, and the host's.
    System,
}

/// A builtin that each target implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceBuiltin {
    /// The number of a thread in its block.
    ThreadId(Axis),
    /// The number of a block in the grid.
    BlockId(Axis),
    /// How many threads a block has.
    BlockDim(Axis),
    /// How many blocks the grid has.
    GridDim(Axis),
    /// The number of a lane in its warp.
    LaneId,
    /// How many lanes a warp has.
    LaneCount,
    /// A barrier for the threads of a block.
    SyncThreads,
    /// A fence.
    Fence(FenceScope),
    /// An operation of the lanes of a warp.
    Lanes(LaneOperation),
    /// The address of the launch-sized part of workgroup memory.
    DynamicShared,
    /// The size of this part in bytes.
    DynamicSharedSize,
}

impl DeviceBuiltin {
    /// Its row of the table.
    pub fn builtin(self) -> &'static Builtin {
        let row = BUILTINS.iter().find(|b| b.id == BuiltinId::Device(self));
        row.expect("each builtin has a row, which a test of this file checks")
    }

    /// Its symbol.
    pub fn symbol(self) -> &'static str {
        self.builtin().name
    }
}

/// Which builtin a row of the table describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinId {
    /// One that each target implements.
    Device(DeviceBuiltin),
    /// The most threads a block has, and the least blocks per multiprocessor; `launch_bounds.rs` reads and erases it.
    LaunchBounds,
    /// The size that every block has; `launch_bounds.rs` reads and erases it.
    BlockSize,
    /// Memory that nothing writes while the kernel runs; `mark_read_only_loads.rs` reads and erases it.
    ReadOnly,
    /// Where a parameter leads to; `take_restrict.rs` reads and erases it.
    ParameterPointer,
    /// Memory that the kernel writes through a parameter is reached through no other one; `take_restrict.rs` reads and
    /// erases it.
    Restrict,
    /// Static workgroup memory by the function that names it; `declare_shared_arrays.rs` replaces it.
    SharedArray,
    /// The most registers of a thread; `launch_bounds.rs` reads and erases it.
    MaxRegisters,
    /// Whether a product and a sum may be one operation; `take_float_rules.rs` reads and erases it.
    FpContract,
    /// All rules of `--fast-math`; `take_float_rules.rs` reads and erases it.
    FastMath,
    /// Where a scalar is among the bytes of the arguments; `take_parameters.rs` reads and erases it.
    Parameter,
    /// Whether code for the size of the block is wanted; `take_parameters.rs` reads and erases it.
    SpecializeBlockDim,
    /// How often the loop around it is unrolled; `mark_unrolled_loops.rs` reads and erases it.
    Unroll,
    /// An approximation; `lower_fast_functions.rs` defines it.
    Fast(FastFunction),
    /// The address of a function by its number; the split stage replaces it.
    FunctionPointer,
    /// Writes text to standard output; its body is a text for each target.
    Print,
    /// Calls a function of the host by its number; `lower_host_calls.rs` defines it.
    CallHost,
}

/// A builtin. Marker calls are not builtins: `split` removes them.
#[derive(Debug)]
pub struct Builtin {
    /// Which one it is.
    pub id: BuiltinId,
    /// The symbol.
    pub name: &'static str,
    /// The type of its result.
    pub result: Scalar,
    /// The types of its parameters.
    pub parameters: &'static [Scalar],
    /// Whether it is `convergent`.
    pub convergent: bool,
    /// Whether it is a barrier for the whole block.
    pub barrier: bool,
    /// Whether its value can differ between the threads of a block.
    pub divergent: bool,
    /// The meaning on the host.
    pub host: HostMeaning,
}

const fn position(id: DeviceBuiltin, name: &'static str, divergent: bool, host: u64) -> Builtin {
    Builtin {
        id: BuiltinId::Device(id),
        name,
        result: Scalar::U32,
        parameters: &[],
        convergent: false,
        barrier: false,
        divergent,
        host: HostMeaning::Constant(host),
    }
}

const fn synchronise(id: DeviceBuiltin, name: &'static str, barrier: bool) -> Builtin {
    Builtin {
        id: BuiltinId::Device(id),
        name,
        result: Scalar::Void,
        parameters: &[],
        convergent: barrier,
        barrier,
        divergent: false,
        host: HostMeaning::Nothing,
    }
}

const fn promise(id: BuiltinId, name: &'static str, parameters: &'static [Scalar]) -> Builtin {
    Builtin {
        id,
        name,
        result: Scalar::Void,
        parameters,
        convergent: false,
        barrier: false,
        divergent: false,
        host: HostMeaning::Nothing,
    }
}

const fn lanes(operation: LaneOperation, name: &'static str, result: Scalar, parameters: &'static [Scalar]) -> Builtin {
    // A warp has one lane: the result is the value that follows the mask.
    let host = HostMeaning::Argument(operation.is_masked() as usize);
    let id = BuiltinId::Device(DeviceBuiltin::Lanes(operation));
    Builtin { id, name, result, parameters, convergent: true, barrier: false, divergent: true, host }
}

/// Every builtin of the contract.
pub static BUILTINS: &[Builtin] = {
    use DeviceBuiltin::{
        BlockDim, BlockId, DynamicShared, DynamicSharedSize, Fence, GridDim, LaneCount, LaneId, SyncThreads, ThreadId,
    };
    use LaneOperation::{ActiveMask, All, Any, Ballot, Shuffle, SyncWarp};
    use Participants::{Active, Masked};
    use ShuffleMode::{Down, Index, Up, Xor};
    &[
        position(ThreadId(Axis::X), "__offload_thread_id_x", true, 0),
        position(ThreadId(Axis::Y), "__offload_thread_id_y", true, 0),
        position(ThreadId(Axis::Z), "__offload_thread_id_z", true, 0),
        position(BlockId(Axis::X), "__offload_block_id_x", false, 0),
        position(BlockId(Axis::Y), "__offload_block_id_y", false, 0),
        position(BlockId(Axis::Z), "__offload_block_id_z", false, 0),
        position(BlockDim(Axis::X), "__offload_block_dim_x", false, 1),
        position(BlockDim(Axis::Y), "__offload_block_dim_y", false, 1),
        position(BlockDim(Axis::Z), "__offload_block_dim_z", false, 1),
        position(GridDim(Axis::X), "__offload_grid_dim_x", false, 1),
        position(GridDim(Axis::Y), "__offload_grid_dim_y", false, 1),
        position(GridDim(Axis::Z), "__offload_grid_dim_z", false, 1),
        position(LaneId, "__offload_lane_id", true, 0),
        position(LaneCount, "__offload_lane_count", false, 1),
        synchronise(SyncThreads, "__offload_sync_threads", true),
        synchronise(Fence(FenceScope::Block), "__offload_fence_block", false),
        synchronise(Fence(FenceScope::Device), "__offload_fence_device", false),
        synchronise(Fence(FenceScope::System), "__offload_fence_system", false),
        // Promises of a kernel about its launches. They are erased before a target sees the code.
        promise(BuiltinId::LaunchBounds, LAUNCH_BOUNDS, &[Scalar::U32, Scalar::U32]),
        promise(BuiltinId::BlockSize, BLOCK_SIZE, &[Scalar::U32, Scalar::U32, Scalar::U32]),
        promise(BuiltinId::ReadOnly, READ_ONLY, &[Scalar::Pointer]),
        promise(BuiltinId::ParameterPointer, PARAMETER_POINTER, &[Scalar::Pointer, Scalar::U32]),
        promise(BuiltinId::Restrict, RESTRICT, &[]),
        promise(BuiltinId::Parameter, PARAMETER, &[Scalar::U32, Scalar::U32, Scalar::U32]),
        promise(BuiltinId::SpecializeBlockDim, SPECIALIZE_BLOCK_DIM, &[]),
        promise(BuiltinId::MaxRegisters, MAX_REGISTERS, &[Scalar::U32]),
        promise(BuiltinId::FpContract, FP_CONTRACT, &[Scalar::U32]),
        promise(BuiltinId::FastMath, FAST_MATH, &[]),
        promise(BuiltinId::Unroll, UNROLL, &[Scalar::U32]),
        FastFunction::Cos.row(),
        FastFunction::Div.row(),
        FastFunction::Exp.row(),
        FastFunction::Exp10.row(),
        FastFunction::Exp2.row(),
        FastFunction::Log.row(),
        FastFunction::Log10.row(),
        FastFunction::Log2.row(),
        FastFunction::Pow.row(),
        FastFunction::Rcp.row(),
        FastFunction::Rsqrt.row(),
        FastFunction::Sin.row(),
        FastFunction::Sqrt.row(),
        FastFunction::Tan.row(),
        FastFunction::Tanh.row(),
        lanes(Shuffle(Index, Active), "__offload_shuffle", Scalar::U32, &[Scalar::U32, Scalar::U32]),
        lanes(Shuffle(Xor, Active), "__offload_shuffle_xor", Scalar::U32, &[Scalar::U32, Scalar::U32]),
        lanes(Shuffle(Up, Active), "__offload_shuffle_up", Scalar::U32, &[Scalar::U32, Scalar::U32]),
        lanes(Shuffle(Down, Active), "__offload_shuffle_down", Scalar::U32, &[Scalar::U32, Scalar::U32]),
        lanes(Ballot(Active), "__offload_ballot", Scalar::U64, &[Scalar::Bool]),
        lanes(Any(Active), "__offload_any", Scalar::Bool, &[Scalar::Bool]),
        lanes(All(Active), "__offload_all", Scalar::Bool, &[Scalar::Bool]),
        Builtin { host: HostMeaning::Constant(1), ..lanes(ActiveMask, "__offload_active_mask", Scalar::U64, &[]) },
        // The same for the lanes of a mask, which all reach it with the same mask.
        lanes(Shuffle(Index, Masked), "__offload_shuffle_sync", Scalar::U32, &[Scalar::U64, Scalar::U32, Scalar::U32]),
        lanes(
            Shuffle(Xor, Masked),
            "__offload_shuffle_xor_sync",
            Scalar::U32,
            &[Scalar::U64, Scalar::U32, Scalar::U32],
        ),
        lanes(Shuffle(Up, Masked), "__offload_shuffle_up_sync", Scalar::U32, &[Scalar::U64, Scalar::U32, Scalar::U32]),
        lanes(
            Shuffle(Down, Masked),
            "__offload_shuffle_down_sync",
            Scalar::U32,
            &[Scalar::U64, Scalar::U32, Scalar::U32],
        ),
        lanes(Ballot(Masked), "__offload_ballot_sync", Scalar::U64, &[Scalar::U64, Scalar::Bool]),
        lanes(Any(Masked), "__offload_any_sync", Scalar::Bool, &[Scalar::U64, Scalar::Bool]),
        lanes(All(Masked), "__offload_all_sync", Scalar::Bool, &[Scalar::U64, Scalar::Bool]),
        lanes(SyncWarp, "__offload_sync_warp", Scalar::Void, &[Scalar::U64]),
        Builtin {
            result: Scalar::Pointer,
            host: HostMeaning::SharedBuffer,
            ..position(DynamicShared, "__offload_dynamic_shared", false, 0)
        },
        position(DynamicSharedSize, "__offload_dynamic_shared_size", false, SHARED_BUFFER_BYTES),
        // The function that identifies the memory, and its size and alignment in bytes, all constant.
        Builtin {
            result: Scalar::Pointer,
            host: HostMeaning::Null,
            ..promise(BuiltinId::SharedArray, SHARED_ARRAY, &[Scalar::Pointer, Scalar::U64, Scalar::U64])
        },
        // The address of the function that has a number; null for a number that is none. Gone after `split`.
        Builtin {
            result: Scalar::Pointer,
            divergent: true,
            host: HostMeaning::Null,
            ..promise(BuiltinId::FunctionPointer, FUNCTION_POINTER, &[Scalar::U64])
        },
        // A text, and its length in bytes.
        Builtin {
            id: BuiltinId::Print,
            name: PRINT,
            result: Scalar::Void,
            parameters: &[Scalar::Pointer, Scalar::U64],
            convergent: false,
            barrier: false,
            divergent: false,
            host: HostMeaning::Print,
        },
        // The number of the function, its arguments and the place of its result, each with its size in bytes.
        Builtin {
            result: Scalar::U32,
            divergent: true,
            host: HostMeaning::Constant(HostCallStatus::NoHost as u64),
            ..promise(
                BuiltinId::CallHost,
                CALL_HOST,
                &[Scalar::U64, Scalar::Pointer, Scalar::U64, Scalar::Pointer, Scalar::U64],
            )
        },
    ]
};

/// The marker that makes its argument, a function, a kernel, and returns the kernel's handle.
pub const MARK_KERNEL: &str = "__offload_kernel";
/// The same for a block kernel. The arguments are the function, and the size and alignment of its argument struct in
/// bytes.
pub const MARK_KERNEL_BLOCK: &str = "__offload_kernel_block";
/// The same as [`MARK_KERNEL_BLOCK`], with a function that returns a display name (`fn() -> &'static str`, such as
/// `type_name::<F>`): one function of a library can be the entry of many kernels.
pub const MARK_KERNEL_NAMED: &str = "__offload_kernel_named";
/// The markers of kernels.
pub const KERNEL_MARKERS: [&str; 3] = [MARK_KERNEL, MARK_KERNEL_BLOCK, MARK_KERNEL_NAMED];
/// The marker that returns the number of its argument, a function. Device code finds the function by this number.
pub const MARK_FUNCTION: &str = "__offload_function";
/// The marker of a function of the host that kernels call. It returns the number of the function in device code, and
/// its address in host code.
pub const MARK_HOST_FUNCTION: &str = "__offload_host_function";
/// Every marker.
pub const MARKERS: [&str; 5] = [MARK_KERNEL, MARK_KERNEL_BLOCK, MARK_KERNEL_NAMED, MARK_FUNCTION, MARK_HOST_FUNCTION];
/// Whether the code runs on a device. It is folded before reachability is computed.
pub const IS_DEVICE: &str = "__offload_is_device";

/// The largest number of threads in a block, and the number of blocks that should fit on a multiprocessor at once (0:
/// any).
pub const LAUNCH_BOUNDS: &str = "__offload_launch_bounds";
/// The size of every block.
pub const BLOCK_SIZE: &str = "__offload_block_size";
/// The address of memory that nothing writes while the kernel runs.
pub const READ_ONLY: &str = "__offload_read_only";
/// The address that a parameter of a kernel leads to, and flags: 1 if the kernel writes nothing through it.
pub const PARAMETER_POINTER: &str = "__offload_parameter_pointer";
/// The promise that memory which the kernel writes through one parameter is reached through no other one.
pub const RESTRICT: &str = "__offload_restrict";
/// The offset and size in bytes of a scalar among the arguments, and flags: 1 if the code should be compiled for its
/// value once that is known.
pub const PARAMETER: &str = "__offload_parameter";
/// The same for the size of the block.
pub const SPECIALIZE_BLOCK_DIM: &str = "__offload_specialize_block_dim";
/// The address of static workgroup memory.
pub const SHARED_ARRAY: &str = "__offload_shared_array";
/// The largest number of registers of a thread.
pub const MAX_REGISTERS: &str = "__offload_max_registers";
/// Whether a product and a sum may become one operation that rounds once: 1, or 0 if not.
pub const FP_CONTRACT: &str = "__offload_fp_contract";
/// All rules of `--fast-math`.
pub const FAST_MATH: &str = "__offload_fast_math";
/// How often the loop around the call is unrolled; 0 is as often as it has iterations.
pub const UNROLL: &str = "__offload_unroll";
/// Builtins with properties of the kernel that calls them. Their calls must be in the kernel's own body when they are
/// read.
pub const OF_KERNELS: [&str; 6] = [LAUNCH_BOUNDS, BLOCK_SIZE, MAX_REGISTERS, RESTRICT, PARAMETER, SPECIALIZE_BLOCK_DIM];
/// The address on the device of the function with a number of [`MARK_FUNCTION`].
pub const FUNCTION_POINTER: &str = "__offload_function_pointer";
/// Writes text to the host's standard output. On devices, it does nothing without `--device-print`.
pub const PRINT: &str = "__offload_print";
/// Calls the function of the host with a number of [`MARK_HOST_FUNCTION`], and waits for its result.
pub const CALL_HOST: &str = "__offload_call_host";
/// The prefix of the names of the contract's functions.
pub const PREFIX: &str = "__offload_";
/// The name, in its symbol, of a static that represents a promise: a type of another crate has no address.
pub const FOREIGN_MARK: &str = "__OFFLOAD_FOREIGN";
/// The prefix of the names of the contract's sections; the name of the section of stand-ins has a prefix of the
/// linker's.
pub const SECTION_PREFIX: &str = ".offload.";
/// The number of the arch that the code is compiled for, 0 on the host. It is folded before errors are reported.
pub const ARCH: &str = "__offload_arch";

/// A panic that is reported, between `legalize` and the end of `validate`; see `passes/panic/lower_panics.rs`.
pub const PANIC: &str = "__offload_panic";
/// The same for a panic with a text.
pub const PANIC_TEXT: &str = "__offload_panic_text";
/// `struct offload_launch_state *`, which a launch passes to its kernel in addition to the arguments; see
/// `passes/launch/launch_state.rs`.
pub const LAUNCH_STATE: &str = "__offload_launch_state";
/// Ends the calling thread.
pub const LEAVE: &str = "__offload_leave";
/// The prefix of an intrinsic's name in the symbol that represents it.
const INTRINSIC_PREFIX: &str = "__offload_intrinsic.";

/// The name of the intrinsic that a symbol represents.
pub fn intrinsic_name(symbol: &str) -> Option<&str> {
    symbol.strip_prefix(INTRINSIC_PREFIX)
}

/// Whether a function belongs to this compiler, which defines or removes it before code is generated.
pub fn is_own(symbol: &str) -> bool {
    [PANIC, PANIC_TEXT, LAUNCH_STATE, LEAVE, LINKED_FUNCTION].contains(&symbol)
}

/// The section whose pointers are kernels.
pub const KERNELS_SECTION: &str = ".offload.kernels";
/// The section whose structs are kernels with the names that other launchers use: the pointer, then the bytes of the
/// name.
pub const EXPORTS_SECTION: &str = ".offload.exports";
/// The section of workgroup memory.
pub const SHARED_SECTION: &str = ".offload.shared";
/// The section of constant memory.
pub const CONSTANT_SECTION: &str = ".offload.constant";
/// The section of mutable statics of which each device has its own copy.
pub const STATIC_SECTION: &str = ".offload.static";

/// An undefined symbol whose name is the error message: a marker's stand-in refers to it if the crate was compiled as
/// bitcode. A linker that compiles such bitcode itself then reports this name, instead of making a program without
/// device code.
pub const BITCODE_FOR_LINKER: &str =
    "kernels of this program: the linker has not run offloadc. Load liboffloadc_plugin.so in bfd, gold, mold or wild";
/// The section of the `offload` crate's version.
pub const VERSION_SECTION: &str = ".offload.version";

impl Builtin {
    /// The builtin with this symbol.
    pub fn named(name: &str) -> Option<&'static Builtin> {
        // Analyses ask for each call.
        static BY_NAME: LazyLock<HashMap<&str, &Builtin>> =
            LazyLock::new(|| BUILTINS.iter().map(|builtin| (builtin.name, builtin)).collect());
        BY_NAME.get(name).copied()
    }

    /// The builtin that an instruction calls.
    pub fn called_by(instruction: Value<'_>) -> Option<&'static Builtin> {
        Builtin::named(&instruction.called_function()?.name())
    }

    /// The operation of lanes that it is.
    pub fn lane_operation(&self) -> Option<LaneOperation> {
        match self.id {
            BuiltinId::Device(DeviceBuiltin::Lanes(operation)) => Some(operation),
            _ => None,
        }
    }

    /// Whether it is about the lanes of a warp.
    pub fn is_of_lanes(&self) -> bool {
        use DeviceBuiltin::{LaneCount, LaneId, Lanes};
        matches!(self.id, BuiltinId::Device(LaneCount | LaneId | Lanes(_)))
    }

    /// Whether its first argument is a mask of the lanes that do it together.
    pub fn is_masked(&self) -> bool {
        self.lane_operation().is_some_and(LaneOperation::is_masked)
    }

    /// Its function type in a module's context.
    pub fn function_type<'c>(&self, module: &Module<'c>) -> Type<'c> {
        let parameters: Vec<_> = self.parameters.iter().map(|s| s.in_module(module)).collect();
        self.result.in_module(module).function(&parameters)
    }
}

impl Scalar {
    /// The IR type that rustc uses for it.
    pub fn in_module<'c>(self, module: &Module<'c>) -> Type<'c> {
        let types = module.types();
        match self {
            Scalar::Void => types.void(),
            Scalar::Bool => types.i1(),
            Scalar::U32 => types.i32(),
            Scalar::U64 => types.i64(),
            Scalar::F32 => types.float(),
            Scalar::Pointer => types.ptr(0),
        }
    }
}

#[cfg(test)]
#[path = "builtin_tests.rs"]
mod tests;
