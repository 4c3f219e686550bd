//! Checks that the version of the `offload` crate in the program matches the compiler's. The interface between the two
//! is not stable.

use crate::contract::builtin::VERSION_SECTION;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::Module;

/// Reports each other version once. Before 1.0, versions with different minor numbers are incompatible.
pub fn check_version(module: &Module<'_>) -> Vec<Diagnostic> {
    let ours = env!("CARGO_PKG_VERSION");
    let marks = module.variables().into_iter().filter(|v| v.section() == VERSION_SECTION);
    let mut others: Vec<String> =
        marks.filter_map(|v| String::from_utf8(v.initializer()?.constant_bytes()?).ok()).collect();
    others.retain(|theirs| interface(theirs) != interface(ours));
    others.sort();
    others.dedup();
    others.iter().map(|theirs| mismatch(theirs, ours)).collect()
}

fn interface(version: &str) -> Option<(&str, &str)> {
    let mut numbers = version.split('.');
    Some((numbers.next()?, numbers.next()?))
}

fn mismatch(theirs: &str, ours: &str) -> Diagnostic {
    let message = format!("the program uses version {theirs} of the `offload` crate, but this is offloadc {ours}");
    Diagnostic::coded(Code::CrateVersion, message).help(format!(
        "use the crate of the same version, `offload = \"={ours}\"`, or the offloadc of the crate's version"
    ))
}
