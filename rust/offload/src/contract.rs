//! The device contract: the functions that a kernel can call in addition to Rust's own `core`.
//!
//! offloadc replaces each of these functions, in device code and in host code. A program that offloadc has not
//! compiled contains the functions below. They exist so that the program links. Nothing calls them, because
//! [`__offload_is_device`] returns false: kernels of such a program are host code (`fallback.rs`).
//!
//! Nothing in this module is public; the other modules of the crate wrap it.

use crate::abi::HOST_CALL_NO_HOST;
pub(crate) use crate::abi::RawKernel;

// SAFETY: nothing writes the value, and its pointers are null or point to a literal.
unsafe impl Sync for RawKernel {}

/// A kernel of a program without device code.
static NO_KERNEL: RawKernel = RawKernel {
    size: size_of::<RawKernel>() as u32,
    version: 0,
    name: c"".as_ptr(),
    parameters: core::ptr::null(),
    parameter_count: 0,
    argument_bytes: 0,
    argument_align: 0,
    shared_bytes: 0,
    cpu_entry: core::ptr::null(),
    descriptor: core::ptr::null(),
    flags: 0,
    threads_per_block: 0,
};

#[cfg(offload_linker_plugin)]
unsafe extern "C" {
    /// Nobody defines it. Bitcode is for a linker that runs offloadc, which drops the stand-ins. A linker that compiles
    /// the bitcode itself would make a program without device code; instead, it reports this name. offloadc has the
    /// same text in `src/contract/builtin.rs`.
    #[link_name = "kernels of this program: the linker has not run offloadc. Load liboffloadc_plugin.so in bfd, gold, mold or wild"]
    safe fn bitcode_for_linker();
}

/// The value of a marker's stand-in. This is no function, because only the stand-in itself may name the missing symbol.
macro_rules! no_kernel {
    () => {{
        #[cfg(offload_linker_plugin)]
        bitcode_for_linker();
        &raw const NO_KERNEL
    }};
}

/// Whether offloadc has compiled this code for a device.
#[inline(always)]
pub(crate) fn is_compiled() -> bool {
    !cfg!(miri) && __offload_is_device()
}

/// The result of the stand-in for `__offload_arch`. No arch has this number.
pub(crate) const NOT_COMPILED: u32 = u32::MAX;

/// The version that offloadc compares with its own.
#[used]
#[unsafe(link_section = ".offload.version")]
static VERSION: [u8; env!("CARGO_PKG_VERSION").len()] = {
    let text = env!("CARGO_PKG_VERSION").as_bytes();
    let mut bytes = [0; env!("CARGO_PKG_VERSION").len()];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i] = text[i];
        i += 1;
    }
    bytes
};

/// Stand-ins for the builtins, for programs that offloadc has not compiled. Nothing uses their results. `black_box`
/// hides the results from rustc, which would otherwise remove the device's side of a branch. Each has a section of its
/// own: LLVM makes one function of equal functions in the same section, and the calls of the two are then the same.
macro_rules! stand_ins {
    ($($name:ident($($parameter:ident: $ty:ty),*) $(-> $result:ty = $value:expr)?;)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(link_section = concat!(".text.offload.stand_in.", stringify!($name)))]
        #[inline(never)]
        #[doc(hidden)]
        #[allow(unreachable_pub, reason = "`__private` lets macros name some of them")]
        pub extern "C" fn $name($($parameter: $ty),*) $(-> $result)? {
            // Under Miri, callers take the host's side before this call; `tests/projects/api.rs` runs tests with its
            // `cfg`.
            assert!(!cfg!(miri), "the device contract is not called on the host");
            core::hint::black_box(($($parameter,)*));
            $(core::hint::black_box::<$result>($value))?
        }
    )* };
}

pub(crate) mod atomics;
pub(crate) mod intrinsics;

stand_ins! {
    // They are constants before offloadc checks the code that a kernel reaches.
    __offload_is_device() -> bool = false;
    __offload_arch() -> u32 = NOT_COMPILED;
    __offload_warp_size() -> u32 = 1;
    __offload_is_generic() -> bool = false;
    __offload_has_feature(name: *const u8, length: usize) -> bool = false;

    __offload_thread_id_x() -> u32 = 0;
    __offload_thread_id_y() -> u32 = 0;
    __offload_thread_id_z() -> u32 = 0;
    __offload_block_id_x() -> u32 = 0;
    __offload_block_id_y() -> u32 = 0;
    __offload_block_id_z() -> u32 = 0;
    __offload_block_dim_x() -> u32 = 1;
    __offload_block_dim_y() -> u32 = 1;
    __offload_block_dim_z() -> u32 = 1;
    __offload_grid_dim_x() -> u32 = 1;
    __offload_grid_dim_y() -> u32 = 1;
    __offload_grid_dim_z() -> u32 = 1;
    __offload_lane_id() -> u32 = 0;
    __offload_lane_count() -> u32 = 1;

    __offload_sync_threads();
    __offload_fence_block();
    __offload_fence_device();
    __offload_fence_system();
    __offload_dynamic_shared() -> *mut u8 = core::ptr::null_mut();
    __offload_dynamic_shared_size() -> u32 = 0;
    // The function identifies the memory. offloadc does not call it.
    __offload_shared_array(name: *const (), size: usize, align: usize) -> *mut u8 = core::ptr::null_mut();

    __offload_shuffle(value: u32, lane: u32) -> u32 = value;
    __offload_shuffle_xor(value: u32, mask: u32) -> u32 = value;
    __offload_shuffle_up(value: u32, distance: u32) -> u32 = value;
    __offload_shuffle_down(value: u32, distance: u32) -> u32 = value;
    __offload_ballot(value: bool) -> u64 = value.into();
    __offload_any(value: bool) -> bool = value;
    __offload_all(value: bool) -> bool = value;
    __offload_active_mask() -> u64 = 1;
    __offload_shuffle_sync(mask: u64, value: u32, lane: u32) -> u32 = value;
    __offload_shuffle_xor_sync(mask: u64, value: u32, lane_mask: u32) -> u32 = value;
    __offload_shuffle_up_sync(mask: u64, value: u32, distance: u32) -> u32 = value;
    __offload_shuffle_down_sync(mask: u64, value: u32, distance: u32) -> u32 = value;
    __offload_ballot_sync(mask: u64, value: bool) -> u64 = value.into();
    __offload_any_sync(mask: u64, value: bool) -> bool = value;
    __offload_all_sync(mask: u64, value: bool) -> bool = value;
    __offload_sync_warp(mask: u64);

    __offload_fast_cos(x: f32) -> f32 = x;
    __offload_fast_div(x: f32, y: f32) -> f32 = x / y;
    __offload_fast_exp(x: f32) -> f32 = x;
    __offload_fast_exp10(x: f32) -> f32 = x;
    __offload_fast_exp2(x: f32) -> f32 = x;
    __offload_fast_log(x: f32) -> f32 = x;
    __offload_fast_log10(x: f32) -> f32 = x;
    __offload_fast_log2(x: f32) -> f32 = x;
    __offload_fast_pow(x: f32, y: f32) -> f32 = x + y;
    __offload_fast_rcp(x: f32) -> f32 = x;
    __offload_fast_rsqrt(x: f32) -> f32 = x;
    __offload_fast_sin(x: f32) -> f32 = x;
    __offload_fast_sqrt(x: f32) -> f32 = x;
    __offload_fast_tan(x: f32) -> f32 = x;
    __offload_fast_tanh(x: f32) -> f32 = x;

    // The number of a function, which is 0 in a program without device code, and the address of its code on a device.
    __offload_function(function: *const ()) -> u64 = 0;
    __offload_function_pointer(number: u64) -> *const () = core::ptr::null();

    // The number of a function of the host on a device, and its address on the host.
    __offload_host_function(function: *const ()) -> u64 = function.expose_provenance() as u64;
    // Calls the function of the host with this number; `offload_host_call_status` in `offloadrt.h` is the result.
    __offload_call_host(
        number: u64,
        arguments: *const u8,
        argument_bytes: usize,
        result: *mut u8,
        result_bytes: usize
    ) -> u32 = HOST_CALL_NO_HOST;

    // Makes `function` a kernel with one block of bytes as its argument, and returns its handle. The name of the kernel
    // is the string that `name` would return: offloadc reads the string and does not call the function.
    __offload_kernel_named(function: *const (), size: usize, align: usize, name: *const ()) -> *const RawKernel =
        no_kernel!();

    __offload_launch_bounds(threads: u32, blocks: u32);
    __offload_block_size(x: u32, y: u32, z: u32);
    __offload_read_only(pointer: *const u8);
    __offload_parameter_pointer(pointer: *const u8, flags: u32);
    __offload_restrict();
    __offload_parameter(offset: u32, size: u32, flags: u32);
    __offload_specialize_block_dim();
    __offload_max_registers(count: u32);
    __offload_fp_contract(rule: u32);
    __offload_fast_math();
    __offload_unroll(count: u32);
    __offload_print(text: *const u8, length: usize);
}
