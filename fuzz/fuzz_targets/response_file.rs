//! Response files; and the words that offloadc writes into one are read unchanged.

#![no_main]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use libfuzzer_sys::fuzz_target;
use offloadc::cli::response_file;

fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("offloadc-fuzz-{}.rsp", std::process::id()));
    let read = |text: &[u8]| {
        std::fs::write(&path, text).expect("the folder for temporary files can be written");
        let mut argument = OsString::from("@");
        argument.push(&path);
        response_file::expand([argument])
    };
    // A file that names others could name a device that never ends.
    if bytes.contains(&b'@') {
        return;
    }
    let _expanded = read(bytes);
    let words: Vec<OsString> = bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect();
    let words: Vec<OsString> = words.into_iter().filter(|word| !word.is_empty()).collect();
    assert_eq!(read(&response_file::text(&words)).expect("the file was just written"), words);
});
