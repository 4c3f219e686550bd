//! The functions of Rust's `std` that kernels have with `--device-std`: the `offload` crate defines each of them with
//! the same signature, and calls the host in it.

use super::demangle::demangle;

/// What the names of the crate's functions begin with.
const PREFIX: &str = "__offload_std_";

/// The path of a function, or the name of one of C, and the rest of the name of the crate's function.
const FUNCTIONS: &[(&str, &str)] = &[
    ("std::io::stdio::_print", "print"),
    ("std::io::stdio::_eprint", "eprint"),
    ("std::time::Instant::now", "instant_now"),
    ("std::time::Instant::elapsed", "instant_elapsed"),
    ("std::time::Instant::duration_since", "instant_duration_since"),
    ("<std::time::Instant as core::ops::arith::Sub>::sub", "instant_sub"),
    ("<std::time::Instant as core::ops::arith::Add<core::time::Duration>>::add", "instant_add"),
    ("std::time::SystemTime::now", "system_time_now"),
    ("std::time::SystemTime::duration_since", "system_time_duration_since"),
    ("std::env::_var", "var"),
    ("std::env::_var_os", "var_os"),
    ("std::fs::read::inner", "read"),
    ("std::fs::read_to_string::inner", "read_to_string"),
    ("std::fs::write::inner", "write"),
    ("std::fs::OpenOptions::_open", "open"),
    ("<std::fs::File as std::io::Read>::read", "file_read"),
    ("<std::fs::File as std::io::Read>::read_to_end", "file_read_to_end"),
    ("<std::fs::File as std::io::Read>::read_to_string", "file_read_to_string"),
    ("<std::fs::File as std::io::Write>::write", "file_write"),
    ("<std::os::fd::owned::OwnedFd as core::ops::drop::Drop>::drop", "drop_owned_fd"),
    ("close", "close"),
];

/// The name of the crate's function for a function with this symbol.
pub fn replacement(symbol: &str) -> Option<String> {
    let path = demangle(symbol);
    // Newer symbols have `<std::time::Instant>::now` for a method of a type.
    let plain = path.strip_prefix('<').filter(|rest| !rest.contains(" as ")).map(|rest| rest.replacen('>', "", 1));
    let path = plain.as_deref().unwrap_or(&path);
    let found = FUNCTIONS.iter().find(|(name, _)| *name == path);
    found.map(|(_, own)| format!("{PREFIX}{own}"))
}

/// The names of all functions of the crate.
pub fn replacements() -> impl Iterator<Item = String> {
    FUNCTIONS.iter().map(|(_, own)| format!("{PREFIX}{own}"))
}

#[cfg(test)]
mod tests {
    use super::replacement;

    #[test]
    fn both_manglings_are_known() {
        let now = Some("__offload_std_instant_now".to_owned());
        assert_eq!(replacement("_ZN3std4time7Instant3now17h0123456789abcdefE"), now);
        assert_eq!(replacement("_RNvMNtCs1234_3std4timeNtB2_7Instant3now"), now);
        assert_eq!(replacement("close"), Some("__offload_std_close".to_owned()));
        assert_eq!(replacement("_ZN3std4time7Instant5later17h0123456789abcdefE"), None);
    }
}
