//! Functions that only a host can provide: those of an operating system, and C's heap.

use super::demangle::demangle;
use super::device_std;
use super::owner::path_in_rusts_library;

/// Paths and C functions that need an operating system.
const OPERATING_SYSTEM: &[&str] =
    &["std::io", "std::fs", "std::net", "std::env", "std::process", "std::thread", "std::time", "std::sys", "std::os"];
/// Among these paths, those of functions that only compute: of errors, descriptors, options, the metadata of files,
/// arguments, and buffers.
const COMPUTING: &[&str] = &[
    "std::io::error::",
    "std::io::impls::",
    "std::io::buffered::bufwriter::",
    "std::fs::File as std::os::fd::",
    "std::os::fd::",
    "std::fs::OpenOptions",
    "std::fs::DirBuilder",
    "std::fs::Metadata",
    "std::fs::FileType",
    "std::fs::Permissions",
    "std::env::Args as ",
    "std::env::ArgsOs as ",
    "std::sys::io::error::unix::decode_error_kind",
    "std::sys::pal::unix::decode_error_kind",
];
/// Among the latter, the functions that need the host.
const NOT_COMPUTING: &[&str] = &["::_open", "::_create"];
#[rustfmt::skip]
const SYSTEM_CALLS: &[&str] = &[
    "open", "read", "write", "close", "mmap", "munmap", "syscall", "getenv", "exit", "abort",
    "printf", "puts", "putchar", "fwrite", "fputc", "fputs", "fprintf", "__xpg_strerror_r",
];

/// The locks of `std`.
const LOCKS: &str = "std::sys::sync::";

/// The advice for functions whose paths begin so. The first row that fits counts.
const INSTEAD: &[(&[&str], &str)] = &[
    (
        &["std::sys::sync::once", "std::sync::once", "std::sync::lazy_lock", "std::sync::poison::once"],
        "compute the value on the host and pass it to the kernel, or make it a `const`; `offload::device_static!` \
         declares a static that the host sets",
    ),
    (
        &[LOCKS, "std::sync::"],
        "change what threads share with `offload::atomic`, or give each thread an element of its own; \
         `offload::host_call!` can take a lock of the host",
    ),
    (
        &["std::thread::sleep", "std::thread::functions::sleep", "std::sys::thread::unix::sleep"],
        "wait with `offload::thread::nanosleep`",
    ),
    (
        &[
            "std::thread::spawn",
            "std::thread::functions::spawn",
            "std::thread::Builder",
            "std::thread::builder::",
            "std::thread::scoped::",
            "std::thread::lifecycle::",
            "std::sys::thread::unix::Thread",
        ],
        "a kernel cannot start threads: launch it with more of them, or start the thread on the host",
    ),
];

/// Functions that print.
const PRINTS: &[&str] =
    &["std::io::stdio::_print", "std::io::stdio::_eprint", "printf", "puts", "putchar", "fputs", "fputc", "fprintf"];

/// C's functions for memory. Devices have Rust's own, for `Box`, `Vec` and `String`.
const C_ALLOCATION: &[&str] = &["malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc"];

/// Whether only the host can provide a function, so that no body is searched for.
pub fn needs_host(symbol: &str) -> bool {
    needs_operating_system(symbol) || allocates(symbol)
}

/// Whether a function needs an operating system.
pub fn needs_operating_system(symbol: &str) -> bool {
    if SYSTEM_CALLS.contains(&symbol) {
        return true;
    }
    let Some(path) = path_in_rusts_library(symbol) else { return false };
    let path = path.trim_start_matches('<');
    let starts_with = |paths: &[&str]| paths.iter().any(|p| path.starts_with(p));
    let computes = starts_with(COMPUTING) && !NOT_COMPUTING.iter().any(|end| path.ends_with(end));
    starts_with(OPERATING_SYSTEM) && !computes
}

/// The type of which a function of `std`'s locks is a method: `std::sys::sync::mutex::futex::Mutex`.
pub fn type_of_lock(symbol: &str) -> Option<String> {
    let path = path_in_rusts_library(symbol)?.replace(['<', '>'], "");
    let (ty, _) = path.strip_prefix(LOCKS)?.rsplit_once("::")?;
    Some(ty.to_owned())
}

/// Whether a static is the number of panics of a thread or of all threads.
pub fn of_panic_count(symbol: &str) -> bool {
    path_in_rusts_library(symbol).is_some_and(|path| path.starts_with("std::panicking::panic_count::"))
}

/// The remedy for a call of a function that needs an operating system.
pub fn instead_of_operating_system(symbol: &str) -> &'static str {
    if let Some(instead) = path_in_rusts_library(symbol).and_then(|path| instead_of_path(&path)) {
        instead
    } else if PRINTS.contains(&demangle(symbol).as_str()) {
        "print with `offload::device_println!` and `--device-print`; with `--device-std`, the host runs `println!` for a \
         kernel that uses the `offload` crate"
    } else if device_std::replacements_of(symbol).next().is_some() {
        "with `--device-std`, the host runs it for a kernel that uses the `offload` crate; or move the call out of the \
         kernel"
    } else {
        "let the host call it, with `offload::host_call!`, or move the call out of the kernel"
    }
}

/// The same for a function of Rust's library, by its path, if there is something better than a call of the host.
pub fn instead_of_path(path: &str) -> Option<&'static str> {
    let path = path.trim_start_matches('<');
    let fits = |(paths, _): &&(&[&str], &str)| paths.iter().any(|start| path.starts_with(start));
    INSTEAD.iter().find(fits).map(|(_, instead)| *instead)
}

/// Whether a function allocates or frees memory in C.
pub fn allocates(symbol: &str) -> bool {
    C_ALLOCATION.contains(&symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rusts_own_functions_need_an_operating_system() {
        assert!(needs_operating_system("_ZN3std4time7Instant3now17h0123456789abcdefE"));
        assert!(needs_operating_system("_RNvMs0_NtCs1_3std4timeNtB5_7Instant3now") && needs_operating_system("write"));
        // `<std::time::Instant as app::Part>::take` of `app`.
        assert!(!needs_operating_system("_RNvXCs1_3appNtNtCs2_3std4time7InstantNtB2_4Part4take"));
        assert!(!needs_operating_system(
            "_ZN44_$LT$std..time..Instant$u20$as$u20$app..Part$GT$4take17h0123456789abcdefE"
        ));
        assert!(!needs_operating_system("_RNvNtNtCs1_3app3std2io5write") && !needs_operating_system("std::io::write"));
        assert_eq!(type_of_lock("_RNvXCs1_3appNtNtNtNtNtCs2_3std3sys4sync5mutex5futex5MutexNtB2_4Part4take"), None);
    }

    #[test]
    fn the_advice_is_about_the_function() {
        let advice = |path: &str| instead_of_path(path).unwrap_or_default();
        assert!(advice("<std::sys::sync::mutex::futex::Mutex>::lock_contended").contains("`offload::atomic`"));
        assert!(advice("std::sys::sync::once::futex::Once::call").contains("`offload::device_static!`"));
        assert!(advice("std::thread::functions::spawn").contains("cannot start threads"));
        assert!(advice("std::thread::sleep").contains("nanosleep") && instead_of_path("std::fs::read").is_none());
    }
}
