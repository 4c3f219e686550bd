//! Archives with bodies that the inputs lack.

#![no_main]

use std::io::Write as _;

use libfuzzer_sys::fuzz_target;
use offloadc::input::archive::{self, Archive};

fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("offloadc-fuzz-{}.a", std::process::id()));
    let mut file = std::fs::File::create(&path).expect("the folder for temporary files can be written");
    file.write_all(bytes).expect("the folder for temporary files can be written");
    let _is_one = archive::is_one(&path);
    if let Ok(archive) = Archive::open(&path) {
        for (_, member) in archive.symbols().take(100) {
            let _bytes = archive.member(member);
        }
    }
});
