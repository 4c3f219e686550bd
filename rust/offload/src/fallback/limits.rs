//! The limits of a launch, and how many threads of the system run blocks.

use std::string::String;
use std::sync::OnceLock;
use std::{env, format};

use super::LANES;
use crate::abi::{LIMITS_VERSION, RawLimits};

/// The value of `OFFLOADRT_CPU_THREADS`, if there is one.
pub(super) fn read_cpu_threads() -> Result<Option<usize>, String> {
    let Some(text) = env::var("OFFLOADRT_CPU_THREADS").ok().filter(|text| !text.is_empty()) else { return Ok(None) };
    let digits = text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(count) if digits && count > 0 => Ok(Some(count)),
        _ => Err(format!("`OFFLOADRT_CPU_THREADS` is `{text}`, and must be a number above 0")),
    }
}

/// The number of threads that run blocks at the same time.
pub(super) fn cpu_threads() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = || *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    read_cpu_threads().ok().flatten().map_or_else(cores, |count| count.min(4096))
}

/// The limits, which are those of `runtime-c/drivers/cpu.c`. The bytes of memory are unknown.
pub(super) fn limits() -> RawLimits {
    RawLimits {
        size: size_of::<RawLimits>() as u32,
        version: LIMITS_VERSION,
        threads_per_block: 1024,
        block: [1024, 1024, 64],
        grid: [u32::MAX; 3],
        shared_bytes: u32::MAX,
        least_lanes: LANES,
        most_lanes: LANES,
        compute_units: cpu_threads() as u32,
        reserved: 0,
        memory_bytes: 0,
    }
}
