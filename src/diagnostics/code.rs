//! The table of diagnostic codes: one number, one name and one title for each distinct cause.
//!
//! A number is never given to another cause. New rows go to the end.

use super::Severity;
use std::fmt;

/// Makes [`Code`] and its columns from one table, so that no row can lack a column.
macro_rules! codes {
    ($($code:ident = $number:literal, $severity:ident, $name:literal, $title:literal;)*) => {
        /// A distinct cause; printed as `OFC0007`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Code {
            $(#[doc = $title] $code = $number,)*
        }

        impl Code {
            /// Every code, by number.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// How bad it is unless a `-W` option says otherwise.
            pub fn severity(self) -> Severity {
                match self { $(Self::$code => Severity::$severity,)* }
            }

            /// The word that `-W` takes.
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => $name,)* }
            }

            /// What it means, in one line.
            pub fn title(self) -> &'static str {
                match self { $(Self::$code => $title,)* }
            }
        }
    };
}

codes! {
    NoKernel = 1, Warning, "no-kernel", "no kernel found";
    NoArch = 2, Note, "default-arch", "no arch given, so `cpu` is taken";
    DuplicateKernel = 3, Error, "duplicate-kernel", "two kernels have the same name";
    KernelGlob = 4, Error, "kernel-glob", "`--kernel` matches no exported function";
    NotFunction = 5, Error, "not-function", "a kernel section names something that is not a function";
    MarkerArgument = 6, Error, "marker-argument", "the argument of a marker call is not a constant function";
    NeedsOperatingSystem = 7, Error, "needs-operating-system", "a kernel reaches what needs an operating system";
    NoDeviceCode = 8, Error, "no-device-code", "a kernel reaches a function that has no device code";
    ThreadLocal = 9, Error, "thread-local", "a kernel reaches a thread-local variable";
    InlineAsm = 10, Error, "inline-asm", "a kernel reaches inline assembly of the host";
    HostIntrinsic = 11, Error, "host-intrinsic", "a kernel reaches an x86 intrinsic";
    DivergentBarrier = 12, Error, "divergent-barrier", "a barrier stands under control flow that differs between threads";
    KernelSignature = 13, Error, "kernel-signature", "a kernel's parameters cannot be passed to a device";
    KernelReturns = 14, Error, "kernel-returns", "a kernel returns a value";
    RecursiveBarrier = 15, Error, "recursive-barrier", "a recursive function reaches a barrier";
    IndirectCall = 16, Error, "indirect-call", "an indirect call that the device cannot make";
    CopiedStatic = 17, Warning, "copied-static", "a static is copied to the device and no longer shared with the host";
    Unwinding = 18, Error, "unwinding", "a kernel catches or raises unwinding";
    Varargs = 19, Error, "varargs", "a kernel reaches a function with variable arguments";
    UnsupportedType = 20, Error, "unsupported-type", "a kernel uses a type that the device does not have";
    NewerLlvm = 21, Error, "newer-llvm", "the input was written by a newer LLVM";
    InvalidInput = 22, Error, "invalid-input", "the input is not what was expected";
    InvalidModule = 23, Error, "invalid-module", "LLVM's verifier refuses the module";
    SharedAddress = 24, Error, "shared-address", "a static is initialised with the address of shared memory";
    StaticValue = 25, Error, "static-value", "a static has an initial value that a device cannot load";
    MemoryLimit = 26, Error, "memory-limit", "a kernel needs more memory of one kind than a device has";
    BuiltinType = 27, Error, "builtin-type", "a builtin is declared with another type than its own, or defined";
    Intrinsic = 28, Error, "intrinsic", "a kernel names an intrinsic that the target does not have, or with another type";
    LaunchBounds = 29, Error, "launch-bounds", "what a kernel promises of its launches is not constant or cannot be";
    NoBitcode = 30, Error, "no-bitcode", "a kernel reaches a function of a library that was compiled without bitcode";
    OtherBuild = 31, Error, "other-build", "a kernel reaches a function of another build of a library than the one at hand";
    NoSysroot = 32, Error, "no-sysroot", "a kernel reaches a function of Rust's own library, and that is not found";
}

impl Code {
    /// The names that `-W` takes: those of warnings and notes.
    pub fn warning_names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().filter(|c| c.severity() != Severity::Error).map(|c| c.name())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OFC{:04}", *self as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_names_unique() {
        assert!(Code::ALL.windows(2).all(|pair| pair[0] < pair[1]));
        let mut names: Vec<_> = Code::ALL.iter().map(|c| c.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        assert_eq!(Code::NeedsOperatingSystem.to_string(), "OFC0007");
    }

    #[test]
    fn no_name_reads_as_another_option() {
        // `-Wno-<name>` must not be the `-W<name>` of another row.
        let names: Vec<_> = Code::ALL.iter().map(|c| c.name()).collect();
        for name in &names {
            assert!(!names.contains(&format!("no-{name}").as_str()));
        }
    }
}
