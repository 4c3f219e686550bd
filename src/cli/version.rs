//! The output of `--version` and `--print-targets`.

use crate::targets::TARGETS;

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

/// One line for each arch: its name and its target's triple.
pub fn targets() -> String {
    let arch = |name: &&str, triple: &str| format!("{name:12} {triple}\n");
    TARGETS.iter().flat_map(|target| target.archs().iter().map(|name| arch(name, target.triple()))).collect()
}
