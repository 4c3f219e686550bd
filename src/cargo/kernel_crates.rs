//! The names and flags that `cargo offloadc` shares with the program that cargo runs instead of rustc. That program
//! includes this file, because a program that is linked with the crate would load LLVM for every crate of a build.

use std::path::Path;

/// The variable with the user's own wrapper, which runs rustc for us.
pub(super) const INNER_WRAPPER: &str = "OFFLOADC_RUSTC_WRAPPER";

/// The variable with the options of links. It decides the bytes of programs, so cargo compares it.
pub(super) const LINK_OPTIONS: &str = "OFFLOADC_LINK_OPTIONS";

/// The option of a link that only checks kernels: there is neither code nor a program.
pub(super) const CHECK: &str = "--offload-check";

/// The variable with the file for the diagnostics of a link, and their form in front of it. The wrapper prints them as
/// rustc prints its own; rustc would print them below the linker's command line.
pub(super) const REPORT: &str = "OFFLOADC_REPORT";

/// The variable with a folder that has a file for each error that a run of cargo has shown.
pub(super) const SHOWN: &str = "OFFLOADC_SHOWN";

/// rustc's flags for a crate that may contain kernels or launches: bitcode without optimisation, because offloadc
/// optimises host and device code itself. Link-time optimisation would leave a single module of machine code.
pub(super) const BITCODE_ONLY: [&str; 3] = ["-Clinker-plugin-lto", "-Clto=off", "-Cno-prepopulate-passes"];

/// The flags for a link by `linker`. The user's flags may name another linker, and the last one is in force.
pub(super) fn linker_flags(linker: &Path) -> [String; 2] {
    ["-Clinker-flavor=gcc".to_owned(), format!("-Clinker={}", linker.display())]
}
