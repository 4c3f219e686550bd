//! The platforms for whose programs offloadc makes host objects. Each is also a platform whose processor executes
//! kernels.

use crate::contract::triples;

/// A processor with its system and its C convention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Platform {
    /// Linux on x86-64 processors.
    #[default]
    X86_64,
    /// Linux on 64-bit Arm processors, little-endian.
    Aarch64,
}

impl Platform {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::X86_64, Self::Aarch64];

    /// The platform with this triple, if it is one of ours.
    pub fn of(triple: &str) -> Option<Self> {
        let (architecture, rest) = triple.split_once('-')?;
        let linux = rest.starts_with("linux") || rest.contains("-linux");
        Self::ALL.into_iter().find(|platform| linux && platform.architecture() == architecture)
    }

    /// The first word of its triple.
    fn architecture(self) -> &'static str {
        self.triple().split('-').next().unwrap_or_default()
    }

    /// The target triple of its programs.
    pub const fn triple(self) -> &'static str {
        match self {
            Self::X86_64 => triples::X86_64_LINUX,
            Self::Aarch64 => triples::AARCH64_LINUX,
        }
    }

    /// Debian's name, which folders of libraries and the compilers for other platforms have.
    pub fn multiarch(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-linux-gnu",
            Self::Aarch64 => "aarch64-linux-gnu",
        }
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86-64 Linux",
            Self::Aarch64 => "aarch64 Linux",
        }
    }

    /// LLVM's name of the processor that every program of the platform can count on: rustc's default.
    pub fn baseline(self) -> &'static str {
        match self {
            Self::X86_64 => "x86-64",
            Self::Aarch64 => "generic",
        }
    }

    /// The features of every processor of the platform, with LLVM's names.
    pub fn baseline_features(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &["+64bit", "+cmov", "+cx8", "+fxsr", "+mmx", "+sse", "+sse2", "+x87"],
            Self::Aarch64 => &["+fp-armv8", "+neon", "+outline-atomics", "+v8a"],
        }
    }

    /// The start of the names of LLVM's intrinsics for its processors.
    fn intrinsics(self) -> &'static str {
        match self {
            Self::X86_64 => "llvm.x86.",
            Self::Aarch64 => "llvm.aarch64.",
        }
    }
}

/// The name of an intrinsic of a host's processor without the part that all of them have: `sse2.pause`.
pub fn host_intrinsic(symbol: &str) -> Option<&str> {
    Platform::ALL.into_iter().find_map(|platform| symbol.strip_prefix(platform.intrinsics()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_of_linux_are_known() {
        for platform in Platform::ALL {
            assert_eq!(Platform::of(platform.triple()), Some(platform));
        }
        assert_eq!(Platform::of("x86_64-linux-gnu"), Some(Platform::X86_64));
        assert_eq!(Platform::of("aarch64-unknown-linux-musl"), Some(Platform::Aarch64));
        for other in ["aarch64-apple-darwin", "x86_64-pc-windows-msvc", "aarch64_be-unknown-linux-gnu", "x86_64", ""] {
            assert_eq!(Platform::of(other), None, "{other}");
        }
    }
}
