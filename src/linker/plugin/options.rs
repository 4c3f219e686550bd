//! The options of a linker's command line for plugins: those for offloadc, those that rustc adds, and those that gcc
//! writes for its own plugin, because some linkers pass all options to one plugin.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use crate::llvm::OptLevel;

/// The options in the words after `-plugin-opt=`.
pub(super) struct PluginOptions {
    /// offloadc's own options, as on its command line.
    pub(super) options: Vec<OsString>,
    /// rustc's optimisation level.
    pub(super) level: Option<OptLevel>,
}

impl PluginOptions {
    pub(super) fn parse(words: &[OsString]) -> Self {
        let mut this = Self { options: Vec::new(), level: None };
        for word in words {
            this.add(word.as_bytes());
        }
        this
    }

    fn add(&mut self, word: &[u8]) {
        let prefixed = |prefix: &str, rest: &[u8]| OsString::from_vec([prefix.as_bytes(), rest].concat());
        let after = |prefix: &str| word.strip_prefix(prefix.as_bytes());
        if let [b'O', level] = word {
            // rustc passes 2 for its levels `s` and `z`.
            let letter = if level.is_ascii_digit() { char::from(*level) } else { '2' };
            self.level = OptLevel::from_letter(&letter.to_string()).ok().or(self.level);
        } else if let Some(option) = after("offloadc=") {
            self.options.push(OsString::from_vec(option.to_vec()));
        } else if let Some(folder) = after("offload-search=") {
            self.options.push(prefixed("-L", folder));
        } else if word.starts_with(b"--") {
            self.options.push(OsString::from_vec(word.to_vec()));
        } else if !is_of_others(word) {
            self.options.push(prefixed("--", word));
        }
    }
}

/// Whether a word is rustc's for LLVM's plugin, or gcc's for its own, which are paths and options with one dash.
fn is_of_others(word: &[u8]) -> bool {
    ["mcpu=", "sample-profile=", "offload-version=", "-", "/"].iter().any(|start| word.starts_with(start.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_has_its_own_words() {
        let words = "O3 mcpu=x86-64 sample-profile=p /usr/lib/lto-wrapper -fresolution=r -pass-through=-lgcc \
            offload-arch=cpu,sm_80 runtime=none --device-print offload-search=/lib offloadc=-g";
        let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
        let parsed = PluginOptions::parse(&words);
        assert_eq!(parsed.level, Some(OptLevel::O3));
        assert_eq!(parsed.options, ["--offload-arch=cpu,sm_80", "--runtime=none", "--device-print", "-L/lib", "-g"]);
    }
}
