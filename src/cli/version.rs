//! The output of `--version` and `--print-targets`.

use crate::targets::{NATIVE, PORTABLE, TARGETS, Target, portable};

/// The form of the first line never changes, so that build systems can parse it. `verbose` adds the supported bitcode
/// versions and targets.
pub fn version(verbose: bool) -> String {
    let mut text = format!("offloadc {}\n", env!("CARGO_PKG_VERSION"));
    if verbose {
        let llvm = env!("OFFLOADC_LLVM_VERSION");
        let major = llvm.split('.').next().unwrap_or(llvm);
        let targets: Vec<_> = TARGETS.iter().map(|target| target.name()).collect();
        text += &format!("LLVM: {llvm}\n");
        text += &format!("reads: bitcode up to LLVM {major}; `rustc -vV` names the LLVM of a rustc\n");
        text += &format!("targets: {}\n", targets.join(", "));
    }
    text
}

/// One line for each arch: its name and its target's triple. Variants have a description instead.
pub fn targets() -> String {
    let line = |(name, what): (&str, &str)| format!("{name:14} {what}\n");
    let of = |target: &'static dyn Target| {
        let archs = target.archs().iter().map(|name| (*name, target.triple()));
        archs.chain(target.variants().iter().copied()).map(line).collect::<String>()
    };
    let sets = [(NATIVE, "the devices of this machine"), (PORTABLE, &portable().join(", "))].map(line).concat();
    TARGETS.iter().map(|target| of(*target)).collect::<String>() + &sets
}
