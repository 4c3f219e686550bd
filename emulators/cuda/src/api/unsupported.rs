//! Functions that programs look for, and that the emulated devices cannot carry out: addresses that a program gives to
//! memory itself, memory that moves ahead of its use, memory of other programs, graphs, and launches whose blocks run
//! at the same time.

use std::ffi::{c_int, c_void};

use super::{NOT_SUPPORTED, Status, call, put};

/// The granularity of memory at chosen addresses: that of NVIDIA's GPUs. Programs ask for it before they find out
/// whether they can have such memory.
///
/// # Safety
///
/// `size` has room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAllocationGranularity(size: *mut usize, _: *const c_void, _: c_int) -> Status {
    // SAFETY: the caller's.
    call(|_| unsafe { put(size, 2 << 20) })
}

/// Functions that return this error, whatever their parameters. In the C convention of both systems, a function need
/// not read the arguments that its caller passes.
macro_rules! unsupported {
    ($($name:ident,)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`: `CUDA_ERROR_NOT_SUPPORTED`.")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> Status {
                NOT_SUPPORTED
            }
        )*
    };
}

unsupported! {
    cuDestroyExternalMemory,
    cuExternalMemoryGetMappedBuffer,
    cuGraphClone,
    cuGraphDestroy,
    cuGraphExecDestroy,
    cuGraphInstantiate,
    cuGraphInstantiateWithFlags,
    cuGraphLaunch,
    cuGraphUpload,
    cuImportExternalMemory,
    cuLaunchCooperativeKernel,
    cuMemAddressFree,
    cuMemAddressReserve,
    cuMemCreate,
    cuMemMap,
    cuMemPrefetchAsync,
    cuMemPrefetchAsync_v2,
    cuMemRelease,
    cuMemSetAccess,
    cuMemUnmap,
    cuOccupancyMaxActiveClusters,
    cuOccupancyMaxPotentialClusterSize,
    cuStreamBeginCapture_v2,
    cuStreamEndCapture,
}
