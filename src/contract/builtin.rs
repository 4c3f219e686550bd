//! The device contract's builtins: functions that a kernel's source may call without defining them.
//!
//! One table contains the name and the signature of each builtin, whether it is convergent, and its meaning on the
//! host, where there is one block with one thread. Targets define the meaning on devices.

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
    /// The address of a static buffer of 64 KiB in this program.
    SharedBuffer,
    /// Writes the given number of bytes from an address to standard output.
    Print,
}

/// A builtin. Marker calls are not builtins: `split` removes them.
#[derive(Debug)]
pub struct Builtin {
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
    /// Whether its first argument is a mask of the lanes that do it together.
    pub masked: bool,
    /// Whether its value can differ between the threads of a block.
    pub divergent: bool,
    /// The meaning on the host.
    pub host: HostMeaning,
}

const fn position(name: &'static str, divergent: bool, host: u64) -> Builtin {
    Builtin {
        name,
        result: Scalar::U32,
        parameters: &[],
        convergent: false,
        barrier: false,
        masked: false,
        divergent,
        host: HostMeaning::Constant(host),
    }
}

const fn synchronise(name: &'static str, barrier: bool) -> Builtin {
    Builtin {
        name,
        result: Scalar::Void,
        parameters: &[],
        convergent: barrier,
        barrier,
        masked: false,
        divergent: false,
        host: HostMeaning::Nothing,
    }
}

const fn promise(name: &'static str, parameters: &'static [Scalar]) -> Builtin {
    Builtin {
        name,
        result: Scalar::Void,
        parameters,
        convergent: false,
        barrier: false,
        masked: false,
        divergent: false,
        host: HostMeaning::Nothing,
    }
}

const fn lanes(name: &'static str, result: Scalar, parameters: &'static [Scalar]) -> Builtin {
    let host = HostMeaning::Argument(0);
    Builtin { name, result, parameters, convergent: true, barrier: false, masked: false, divergent: true, host }
}

const fn masked(name: &'static str, result: Scalar, parameters: &'static [Scalar]) -> Builtin {
    let host = HostMeaning::Argument(1);
    Builtin { name, result, parameters, convergent: true, barrier: false, masked: true, divergent: true, host }
}

/// Every builtin of the contract.
pub static BUILTINS: &[Builtin] = &[
    position("__offload_thread_id_x", true, 0),
    position("__offload_thread_id_y", true, 0),
    position("__offload_thread_id_z", true, 0),
    position("__offload_block_id_x", false, 0),
    position("__offload_block_id_y", false, 0),
    position("__offload_block_id_z", false, 0),
    position("__offload_block_dim_x", false, 1),
    position("__offload_block_dim_y", false, 1),
    position("__offload_block_dim_z", false, 1),
    position("__offload_grid_dim_x", false, 1),
    position("__offload_grid_dim_y", false, 1),
    position("__offload_grid_dim_z", false, 1),
    position(LANE_ID, true, 0),
    position(LANE_COUNT, false, 1),
    synchronise("__offload_sync_threads", true),
    synchronise("__offload_fence_block", false),
    synchronise("__offload_fence_device", false),
    synchronise("__offload_fence_system", false),
    // What the kernel that calls it promises of its launches; gone before a target sees the code.
    promise(LAUNCH_BOUNDS, &[Scalar::U32, Scalar::U32]),
    promise(BLOCK_SIZE, &[Scalar::U32, Scalar::U32, Scalar::U32]),
    // The value of another lane: by its number, by this lane's number exclusive-or, minus or plus a distance.
    lanes("__offload_shuffle", Scalar::U32, &[Scalar::U32, Scalar::U32]),
    lanes("__offload_shuffle_xor", Scalar::U32, &[Scalar::U32, Scalar::U32]),
    lanes("__offload_shuffle_up", Scalar::U32, &[Scalar::U32, Scalar::U32]),
    lanes("__offload_shuffle_down", Scalar::U32, &[Scalar::U32, Scalar::U32]),
    // One bit per lane, lane 0 lowest.
    lanes(BALLOT, Scalar::U64, &[Scalar::Bool]),
    lanes("__offload_any", Scalar::Bool, &[Scalar::Bool]),
    lanes("__offload_all", Scalar::Bool, &[Scalar::Bool]),
    Builtin { host: HostMeaning::Constant(1), ..lanes(ACTIVE_MASK, Scalar::U64, &[]) },
    // The same for the lanes of a mask, which all come there with it.
    masked("__offload_shuffle_sync", Scalar::U32, &[Scalar::U64, Scalar::U32, Scalar::U32]),
    masked("__offload_shuffle_xor_sync", Scalar::U32, &[Scalar::U64, Scalar::U32, Scalar::U32]),
    masked("__offload_shuffle_up_sync", Scalar::U32, &[Scalar::U64, Scalar::U32, Scalar::U32]),
    masked("__offload_shuffle_down_sync", Scalar::U32, &[Scalar::U64, Scalar::U32, Scalar::U32]),
    masked("__offload_ballot_sync", Scalar::U64, &[Scalar::U64, Scalar::Bool]),
    masked("__offload_any_sync", Scalar::Bool, &[Scalar::U64, Scalar::Bool]),
    masked("__offload_all_sync", Scalar::Bool, &[Scalar::U64, Scalar::Bool]),
    masked("__offload_sync_warp", Scalar::Void, &[Scalar::U64]),
    Builtin {
        name: DYNAMIC_SHARED,
        result: Scalar::Pointer,
        parameters: &[],
        convergent: false,
        barrier: false,
        masked: false,
        divergent: false,
        host: HostMeaning::SharedBuffer,
    },
    // The address of the function that has a number; null for a number that is none. Gone after `split`.
    Builtin {
        name: FUNCTION_POINTER,
        result: Scalar::Pointer,
        parameters: &[Scalar::U64],
        convergent: false,
        barrier: false,
        masked: false,
        divergent: true,
        host: HostMeaning::Null,
    },
    // A text, and its length in bytes.
    Builtin {
        name: PRINT,
        result: Scalar::Void,
        parameters: &[Scalar::Pointer, Scalar::U64],
        convergent: false,
        barrier: false,
        masked: false,
        divergent: false,
        host: HostMeaning::Print,
    },
];

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
/// Every marker.
pub const MARKERS: [&str; 4] = [MARK_KERNEL, MARK_KERNEL_BLOCK, MARK_KERNEL_NAMED, MARK_FUNCTION];
/// Whether the code runs on a device. It is folded before reachability is computed.
pub const IS_DEVICE: &str = "__offload_is_device";

/// The number of a thread in its warp.
pub const LANE_ID: &str = "__offload_lane_id";
/// The number of lanes in a warp.
pub const LANE_COUNT: &str = "__offload_lane_count";
/// The lanes for which a condition holds.
pub const BALLOT: &str = "__offload_ballot";
/// The lanes that execute the call together.
pub const ACTIVE_MASK: &str = "__offload_active_mask";
/// The largest number of threads in a block, and the number of blocks that should fit on a multiprocessor at once (0:
/// any).
pub const LAUNCH_BOUNDS: &str = "__offload_launch_bounds";
/// The size of every block.
pub const BLOCK_SIZE: &str = "__offload_block_size";
/// The address on the device of the function with a number of [`MARK_FUNCTION`].
pub const FUNCTION_POINTER: &str = "__offload_function_pointer";
/// Writes text to the host's standard output. On devices, it does nothing without `--device-print`.
pub const PRINT: &str = "__offload_print";
/// The address of the launch-sized part of workgroup memory.
pub const DYNAMIC_SHARED: &str = "__offload_dynamic_shared";
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
/// The prefix of an intrinsic's name in the symbol that stands for it.
const INTRINSIC_PREFIX: &str = "__offload_intrinsic.";

/// The name of the intrinsic that a symbol stands for.
pub fn intrinsic_name(symbol: &str) -> Option<&str> {
    symbol.strip_prefix(INTRINSIC_PREFIX)
}

/// Whether a function belongs to this compiler, which defines or removes it before code is generated.
pub fn is_own(symbol: &str) -> bool {
    [PANIC, PANIC_TEXT, LAUNCH_STATE, LEAVE].contains(&symbol)
}

/// The section whose pointers are kernels.
pub const KERNELS_SECTION: &str = ".offload.kernels";
/// The section of workgroup memory.
pub const SHARED_SECTION: &str = ".offload.shared";
/// The section of constant memory.
pub const CONSTANT_SECTION: &str = ".offload.constant";
/// The section of mutable statics of which each device has its own copy.
pub const STATIC_SECTION: &str = ".offload.static";

/// The section of stand-ins for builtins, in programs that offloadc has not compiled. offloadc replaces them by its own
/// definitions.
pub const STAND_IN_SECTION: &str = ".text.offload.stand_in";
/// The section of the `offload` crate's version.
pub const VERSION_SECTION: &str = ".offload.version";

impl Builtin {
    /// The builtin with this symbol.
    pub fn named(name: &str) -> Option<&'static Builtin> {
        BUILTINS.iter().find(|b| b.name == name)
    }

    /// The builtin that an instruction calls.
    pub fn called_by(instruction: Value<'_>) -> Option<&'static Builtin> {
        Builtin::named(&instruction.called_function()?.name())
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
            Scalar::Pointer => types.ptr(0),
        }
    }
}
