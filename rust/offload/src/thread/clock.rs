//! Clocks, and a pause.

use std::sync::OnceLock;
use std::time::Instant;

use super::{arch, is_compiled};
use crate::contract::intrinsics::{amd_sleep, cycle_counter, nvidia_nanosleep, steady_counter};
use crate::host_call::call_host;

/// The parts of [`arch`] that decide.
const VENDOR_SHIFT: u32 = 24;
const NVIDIA: u32 = 2;
const AMD: u32 = 3;
const SPIRV: u32 = 4;
/// The AMD archs whose counter of cycles has only 20 bits.
const SHORT_COUNTER: u32 = 0x1100;
/// The first NVIDIA arch that can sleep.
const SLEEPS: u32 = 70;
/// The longest pause, as on NVIDIA's devices.
const LONGEST_PAUSE: u32 = 1_000_000;

/// The time on the host, in nanoseconds.
fn on_host() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// The value of a counter that the device increments while the kernel runs. The difference of two values in one thread
/// tells how much longer one piece of code takes than another. Values of threads in different blocks cannot be
/// compared.
///
/// | device | unit of the counter |
/// |---|---|
/// | NVIDIA's | cycles of the multiprocessor (`%clock64`) |
/// | AMD's | cycles; on RDNA 3 steps of 10 ns, because its counter of cycles has only 20 bits |
/// | CPU | cycles of the time stamp counter; on aarch64 those of the system counter |
/// | on the host, and without offloadc | nanoseconds |
///
/// ```
/// use offload::thread;
///
/// let begin = thread::clock();
/// let product = std::hint::black_box(3.0_f32) * 7.0;
/// assert!(thread::clock() >= begin && product == 21.0);
/// ```
///
/// # Panics
///
/// On OpenCL devices, which have no clock.
#[doc(alias("clock64", "wall_clock64"))]
#[inline(always)]
#[track_caller]
pub fn clock() -> u64 {
    if !is_compiled() {
        return on_host();
    }
    let arch = arch();
    match arch >> VENDOR_SHIFT {
        SPIRV => panic!("this device has no clock"),
        AMD if arch & 0xff00 == SHORT_COUNTER => steady_counter(),
        _ => cycle_counter(),
    }
}

/// The time in nanoseconds since some event that is the same for all threads of the device. Many devices update it only
/// about once in a microsecond.
///
/// | device | the time |
/// |---|---|
/// | NVIDIA's | that of the GPU (`%globaltimer`) |
/// | CPU | the host's, since the first call in the process |
/// | AMD's and OpenCL's | the same, by a [call of the host](crate::host_call!), which takes microseconds |
///
/// A kernel does not know the rate of AMD's timer. [`clock`] is faster.
///
/// ```
/// use offload::thread;
///
/// let begin = thread::global_timer();
/// assert!(thread::global_timer() >= begin);
/// ```
///
/// # Panics
///
/// Where a kernel cannot call the host: in kernels that a library has baked, on all devices but NVIDIA's. With a
/// runtime that has no such calls, offloadc refuses the kernel. An OpenCL device without memory for them refuses the
/// launch.
#[doc(alias = "globaltimer")]
#[inline(always)]
#[track_caller]
pub fn global_timer() -> u64 {
    if !is_compiled() {
        on_host()
    } else if arch() >> VENDOR_SHIFT == NVIDIA {
        steady_counter()
    } else {
        call_host((), |()| on_host())
    }
}

/// Lets other warps run for about this time, which is at most a millisecond: a hint for loops that wait for another
/// block. A device may return earlier or later. NVIDIA's devices before `sm_70`, the CPU and OpenCL devices return at
/// once.
///
/// ```
/// use offload::atomic::{AtomicOrdering::Acquire, DeviceAtomicU32};
/// use offload::thread;
///
/// fn wait_for(ready: &DeviceAtomicU32) {
///     let mut pause = 32;
///     while ready.load(Acquire) == 0 {
///         thread::nanosleep(pause);
///         pause = (2 * pause).min(1024);
///     }
/// }
///
/// wait_for(&DeviceAtomicU32::new(1));
/// ```
#[doc(alias = "__nanosleep")]
#[inline(always)]
pub fn nanosleep(nanoseconds: u32) {
    let nanoseconds = nanoseconds.min(LONGEST_PAUSE);
    if !is_compiled() {
        core::hint::spin_loop();
    } else if arch() >> VENDOR_SHIFT == NVIDIA && arch() & 0xffff >= SLEEPS {
        nvidia_nanosleep(nanoseconds);
    } else if arch() >> VENDOR_SHIFT == AMD {
        // About 1024 cycles, which take between 0.4 and 0.8 microseconds.
        let mut left = nanoseconds / 512;
        while left > 0 {
            amd_sleep(16);
            left -= 1;
        }
        amd_sleep(1);
    }
}
