//! Questions about the device that code is compiled for, with constant answers.
//!
//! offloadc decides each question once for each image, before it reports code that a device cannot run. Code under a
//! condition on an answer may therefore contain anything, such as an intrinsic that other devices lack, and it costs
//! nothing where the condition is false.
//!
//! ```
//! use offload::target::{self, Vendor};
//!
//! fn lanes_per_tile() -> u32 {
//!     match target::vendor() {
//!         Vendor::Nvidia if target::has_feature("sm_80") => 32,
//!         Vendor::Amd => target::warp_size().unwrap_or(64),
//!         _ => 8,
//!     }
//! }
//! assert_eq!(lanes_per_tile(), 8); // on the host
//! ```
//!
//! On the host, the answers are those of no device: [`Vendor::Host`], no feature, and warps of one lane. In a kernel of
//! a program that offloadc has not compiled, they are those of the processor that runs the program.

use crate::contract as device;
use crate::fallback;
use crate::thread::{arch, is_compiled};

/// The vendors of devices, as [`vendor`] returns them.
///
/// See the example of [`vendor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Vendor {
    /// None: the code is not device code.
    Host,
    /// The device `cpu`, which is the processor of the host.
    Cpu,
    /// NVIDIA's GPUs.
    Nvidia,
    /// AMD's GPUs.
    Amd,
    /// Devices that run SPIR-V, whose vendor is known only at run time.
    Spirv,
}

/// The vendor of the devices that run the code.
///
/// ```
/// use offload::target::{self, Vendor};
/// use offload::{Device, Grid, kernel, prelude::*};
///
/// #[kernel]
/// fn on_the_processor() {
///     assert_eq!(target::vendor(), Vendor::Cpu);
/// }
///
/// on_the_processor.launch(&Device::open("cpu")?.default_stream(), Grid::for_len(1, 1), ())?;
/// assert_eq!(target::vendor(), Vendor::Host);
/// # Ok::<(), offload::Error>(())
/// ```
#[doc(alias("__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__"))]
#[inline(always)]
pub fn vendor() -> Vendor {
    match arch() >> 24 {
        0 => Vendor::Host,
        1 => Vendor::Cpu,
        2 => Vendor::Nvidia,
        3 => Vendor::Amd,
        _ => Vendor::Spirv,
    }
}

/// Whether every device that runs the code has the feature with this name.
///
/// The names are `f16` and `f64` (arithmetic in hardware), `subgroups` (warps of more than one lane), those of archs,
/// and LLVM's names of features. `sm_80` holds for that arch and newer ones, and `x86-64-v3` for that level and higher
/// ones. The name must be a literal. offloadc refuses a name that no target has.
///
/// ```
/// use offload::target;
///
/// /// Elements that one thread sums.
/// fn width() -> usize {
///     if target::has_feature("avx512f") { 16 } else if target::has_feature("avx2") { 8 } else { 4 }
/// }
/// assert_eq!(width(), 4); // host code is not for a device
/// ```
#[inline(always)]
pub fn has_feature(name: &'static str) -> bool {
    if fallback::is_linked() {
        return fallback::is_kernel() && fallback::processor::has_feature(name);
    }
    !cfg!(miri) && device::__offload_has_feature(name.as_ptr(), name.len())
}

/// The number of lanes in a warp, if it is the same on every device that runs the code. Devices that run SPIR-V choose
/// it at the launch; [`warp::lane_count`](crate::warp::lane_count) is the number there.
///
/// ```
/// use offload::target;
///
/// const LEAST: u32 = 32;
/// let per_block = target::warp_size().unwrap_or(LEAST) * 4;
/// assert_eq!(per_block, 4); // on the host, a warp has one lane
/// ```
#[doc(alias = "warpSize")]
#[inline(always)]
pub fn warp_size() -> Option<u32> {
    let lanes = match fallback::is_kernel() {
        true => fallback::LANES,
        false if cfg!(miri) => 1,
        false => device::__offload_warp_size(),
    };
    (lanes != 0).then_some(lanes)
}

/// Whether the code was compiled after the build, from the program's generic image. It is then for the device that runs
/// it, and nothing else. The answer is false on the host, and in images that the build has compiled.
///
/// ```
/// assert!(!offload::target::is_generic());
/// ```
#[inline(always)]
pub fn is_generic() -> bool {
    is_compiled() && device::__offload_is_generic()
}
