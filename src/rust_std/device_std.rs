//! The functions of Rust's `std` that kernels have with `--device-std`: the `offload` crate defines each of them with
//! the same signature, and calls the host in it.

use super::owner::path_in_rusts_library;

/// The prefix of the names of the crate's functions.
const PREFIX: &str = "__offload_std_";

/// The path of a function, or the name of one of C, and the rest of the name of the crate's function. The paths are
/// those of rustc 1.95; `path_of` has the differences of others.
const FUNCTIONS: &[(&str, &str)] = &[
    ("std::io::stdio::_print", "print"),
    ("std::io::stdio::_eprint", "eprint"),
    ("std::io::stdio::stdout", "stdout"),
    ("std::io::stdio::stderr", "stderr"),
    ("<std::io::stdio::Stdout as std::io::Write>::write_fmt", "stdout_write_fmt"),
    ("<std::io::stdio::Stderr as std::io::Write>::write_fmt", "stderr_write_fmt"),
    ("<std::io::stdio::Stdout as std::io::Write>::write_all", "stdout_write_all"),
    ("<std::io::stdio::Stderr as std::io::Write>::write_all", "stderr_write_all"),
    ("<std::io::stdio::Stdout as std::io::Write>::write", "stdout_write"),
    ("<std::io::stdio::Stderr as std::io::Write>::write", "stderr_write"),
    ("<std::io::stdio::Stdout as std::io::Write>::flush", "stdout_flush"),
    ("std::io::stdio::stdin", "stdin"),
    ("std::io::stdio::Stdin::read_line", "stdin_read_line"),
    ("<std::io::stdio::Stdin as std::io::Read>::read", "stdin_read"),
    ("<std::io::stdio::Stdin as std::io::Read>::read_to_end", "stdin_read_to_end"),
    ("<std::io::stdio::Stdin as std::io::Read>::read_to_string", "stdin_read_to_string"),
    ("std::time::Instant::now", "instant_now"),
    ("std::time::Instant::elapsed", "instant_elapsed"),
    ("std::time::Instant::duration_since", "instant_duration_since"),
    ("<std::time::Instant as core::ops::arith::Sub>::sub", "instant_sub"),
    ("<std::time::Instant as core::ops::arith::Add<core::time::Duration>>::add", "instant_add"),
    // In newer versions, these have a parameter for the caller's location.
    ("<std::time::Instant as core::ops::arith::Add<core::time::Duration>>::add", "instant_add_for"),
    ("std::time::SystemTime::now", "system_time_now"),
    ("std::time::SystemTime::duration_since", "system_time_duration_since"),
    ("std::env::_var", "var"),
    ("std::env::_var_os", "var_os"),
    ("std::env::args", "args"),
    ("std::env::args_os", "args_os"),
    ("std::env::current_dir", "current_dir"),
    ("std::env::current_exe", "current_exe"),
    ("std::env::temp_dir", "temp_dir"),
    ("std::process::id", "process_id"),
    ("std::fs::read::inner", "read"),
    ("std::fs::read_to_string::inner", "read_to_string"),
    ("std::fs::write::inner", "write"),
    ("std::fs::DirBuilder::_create", "create_dir"),
    ("std::sys::fs::remove_dir", "remove_dir"),
    ("std::sys::fs::remove_dir_all", "remove_dir_all"),
    ("std::sys::fs::remove_file", "remove_file"),
    ("std::sys::fs::rename", "rename"),
    ("std::sys::fs::copy", "copy"),
    ("std::sys::fs::metadata", "metadata"),
    ("std::sys::fs::symlink_metadata", "symlink_metadata"),
    ("std::sys::fs::exists", "exists"),
    ("std::sys::fs::canonicalize", "canonicalize"),
    ("std::fs::OpenOptions::_open", "open"),
    ("<std::fs::File as std::io::Read>::read", "file_read"),
    ("<std::fs::File as std::io::Read>::read_to_end", "file_read_to_end"),
    ("<std::fs::File as std::io::Read>::read_to_string", "file_read_to_string"),
    ("<std::fs::File as std::io::Write>::write", "file_write"),
    ("<std::fs::File as std::io::Seek>::seek", "file_seek"),
    ("<std::fs::File as std::io::Seek>::stream_position", "file_stream_position"),
    ("std::fs::File::set_len", "file_set_len"),
    ("std::fs::File::sync_all", "file_sync_all"),
    ("std::fs::File::sync_data", "file_sync_data"),
    ("std::fs::File::metadata", "file_metadata"),
    ("std::fs::File::try_clone", "file_try_clone"),
    ("<std::os::fd::owned::OwnedFd as core::ops::drop::Drop>::drop", "drop_owned_fd"),
    ("close", "close"),
    ("__xpg_strerror_r", "strerror_r"),
    ("std::sys::io::error::unix::error_string", "error_string"),
];

/// The names of the modules of `FUNCTIONS` in newer and older versions of rustc.
const MODULES: &[(&str, &str)] = &[
    (" as core::io::seek::", " as std::io::"),
    (" as core::io::write::", " as std::io::"),
    (" as alloc::io::read::", " as std::io::"),
    ("std::env::var::inner", "std::env::_var"),
    ("std::sys::env::unix::getenv", "std::env::_var_os"),
];

/// The names of the crate's functions for a function with this symbol. One of them may have its type.
pub fn replacements_of(symbol: &str) -> impl Iterator<Item = String> {
    let path = path_of(symbol).unwrap_or_else(|| symbol.to_owned());
    FUNCTIONS.iter().filter(move |(name, _)| *name == path).map(|(_, own)| format!("{PREFIX}{own}"))
}

/// The path of a function of Rust's library, as `FUNCTIONS` has it.
fn path_of(symbol: &str) -> Option<String> {
    let mut path = path_in_rusts_library(symbol)?;
    // Newer symbols have `<std::time::Instant>::now` for a method of a type.
    if let Some(rest) = path.strip_prefix('<').filter(|rest| !rest.contains(" as ")) {
        path = rest.replacen('>', "", 1);
    }
    for (theirs, ours) in MODULES {
        path = path.replacen(theirs, ours, 1);
    }
    Some(path)
}

/// The names of all functions of the crate.
pub fn replacements() -> impl Iterator<Item = String> {
    FUNCTIONS.iter().map(|(_, own)| format!("{PREFIX}{own}"))
}

#[cfg(test)]
mod tests {
    fn replacement(symbol: &str) -> Option<String> {
        super::replacements_of(symbol).next()
    }

    #[test]
    fn both_manglings_are_known() {
        let now = Some("__offload_std_instant_now".to_owned());
        assert_eq!(replacement("_ZN3std4time7Instant3now17h0123456789abcdefE"), now);
        assert_eq!(replacement("_RNvMNtCs1234_3std4timeNtB2_7Instant3now"), now);
        assert_eq!(replacement("close"), Some("__offload_std_close".to_owned()));
        assert_eq!(replacement("_ZN3std4time7Instant5later17h0123456789abcdefE"), None);
        // A function of a program.
        assert_eq!(replacement("_RNvNtCs1234_3app5close"), None);
    }

    #[test]
    fn traits_may_have_moved() {
        let seek = Some("__offload_std_file_seek".to_owned());
        assert_eq!(replacement("_RNvXsc_NtCs1234_3std2fsNtB5_4FileNtNtB7_2io4Seek4seek"), seek);
        assert_eq!(replacement("_RNvXsc_NtCs1234_3std2fsNtB5_4FileNtNtNtCs1_4core2io4seek4Seek4seek"), seek);
    }
}
