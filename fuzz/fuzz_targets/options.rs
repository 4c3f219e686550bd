//! offloadc's command line.

#![no_main]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use libfuzzer_sys::fuzz_target;
use offloadc::cli::options::Options;
use offloadc::job::Job;

fuzz_target!(|bytes: &[u8]| {
    let words = bytes.split(|byte| *byte == b'\n').map(|word| OsString::from_vec(word.to_vec()));
    let words = std::iter::once(OsString::from("offloadc")).chain(words).collect();
    if let Ok(options) = Options::parse_from_arguments(words) {
        let _job = Job::resolve(&options);
    }
});
