//! The features of the processor, for kernels of a program that offloadc has not compiled.

/// Whether the processor has the feature with this name, as far as Rust's library can detect it. A name that the
/// library does not know is no feature: only offloadc knows all names.
pub(crate) fn has_feature(name: &str) -> bool {
    match name {
        "f64" | "subgroups" | "cpu" => true,
        "f16" => of_this_architecture("avx512fp16") || of_this_architecture("fullfp16"),
        "x86-64" => cfg!(target_arch = "x86_64"),
        "x86-64-v2" => all(&LEVEL_2),
        "x86-64-v3" => all(&LEVEL_2) && all(&LEVEL_3),
        "x86-64-v4" => all(&LEVEL_2) && all(&LEVEL_3) && all(&LEVEL_4),
        _ => of_this_architecture(name),
    }
}

/// LLVM's names of the features that the levels of x86-64 add.
const LEVEL_2: [&str; 6] = ["cx16", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"];
const LEVEL_3: [&str; 8] = ["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"];
const LEVEL_4: [&str; 5] = ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];

fn all(names: &[&str]) -> bool {
    names.iter().all(|name| of_this_architecture(name))
}

/// Asks the standard library, which takes literals only. Some of its names differ from LLVM's.
macro_rules! ask {
    ($detected:ident, $name:expr, $($llvm:literal => $rust:tt)*) => {
        match $name {
            $($llvm => std::arch::$detected!($rust),)*
            _ => false,
        }
    };
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn of_this_architecture(name: &str) -> bool {
    ask! { is_x86_feature_detected, name,
        "sse" => "sse" "sse2" => "sse2" "sse3" => "sse3" "ssse3" => "ssse3" "sse4.1" => "sse4.1"
        "sse4.2" => "sse4.2" "sse4a" => "sse4a" "popcnt" => "popcnt" "cx16" => "cmpxchg16b" "movbe" => "movbe"
        "avx" => "avx" "avx2" => "avx2" "fma" => "fma" "f16c" => "f16c" "bmi" => "bmi1" "bmi2" => "bmi2"
        "lzcnt" => "lzcnt" "adx" => "adx" "aes" => "aes" "pclmul" => "pclmulqdq" "sha" => "sha" "rdrnd" => "rdrand"
        "rdseed" => "rdseed" "gfni" => "gfni" "vaes" => "vaes" "vpclmulqdq" => "vpclmulqdq"
        "avx512f" => "avx512f" "avx512bw" => "avx512bw" "avx512cd" => "avx512cd" "avx512dq" => "avx512dq"
        "avx512vl" => "avx512vl" "avx512ifma" => "avx512ifma" "avx512vbmi" => "avx512vbmi"
        "avx512vbmi2" => "avx512vbmi2" "avx512vnni" => "avx512vnni" "avx512bitalg" => "avx512bitalg"
        "avx512vpopcntdq" => "avx512vpopcntdq" "avx512bf16" => "avx512bf16" "avx512fp16" => "avx512fp16"
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
fn of_this_architecture(name: &str) -> bool {
    ask! { is_aarch64_feature_detected, name,
        "neon" => "neon" "aes" => "aes" "sha2" => "sha2" "sha3" => "sha3" "crc" => "crc" "lse" => "lse"
        "fullfp16" => "fp16" "fp16fml" => "fhm" "dotprod" => "dotprod" "bf16" => "bf16" "i8mm" => "i8mm"
        "jsconv" => "jsconv" "complxnum" => "fcma" "rdm" => "rdm" "sve" => "sve" "sve2" => "sve2"
    }
}

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn of_this_architecture(_name: &str) -> bool {
    false
}
