//! The levels of a processor.

use crate::targets::Processor;

/// The levels of the x86-64 psABI. `cpu` alone means the first one, because the output must not depend on the build
/// machine.
pub(super) const LEVELS: [&str; 4] = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"];

/// The level of a processor, from 1. Those of other platforms have one level.
pub(super) fn level(processor: &Processor) -> u32 {
    (1..).zip(LEVELS).find(|(_, name)| *name == processor.cpu).map_or(1, |(level, _)| level)
}

/// The highest level of the machine that offloadc runs on.
pub(super) fn own_level() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let second = has!("sse4.2") && has!("ssse3") && has!("popcnt") && has!("cmpxchg16b");
        let third = has!("avx2")
            && has!("fma")
            && has!("bmi1")
            && has!("bmi2")
            && has!("f16c")
            && has!("lzcnt")
            && has!("movbe");
        let fourth = has!("avx512f") && has!("avx512bw") && has!("avx512cd") && has!("avx512dq") && has!("avx512vl");
        [second, third, fourth].into_iter().take_while(|has| *has).count() + 1
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        1
    }
}
