//! The outline of bitcode, and objects with bitcode, before LLVM reads them.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use offloadc::input::bitcode;
use offloadc::input::file::Input;
use offloadc::input::newer_llvm::{Caching, Reader, Toolchain};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(modules) = bitcode::modules(bytes) {
        assert!(!modules.is_empty() && modules.iter().all(|(module, _)| !module.is_empty()));
        for (module, _) in modules {
            let _either = bitcode::symbols(module);
        }
    }
    // Modules of a newer LLVM are not converted, because there is no such LLVM.
    let reader = Reader::new(Toolchain { library: Some("/no/such/library".into()), ..Toolchain::default() }, None);
    if let Ok(input) = Input::from_bytes(Path::new("fuzz"), bytes.to_vec(), &reader, Caching::No) {
        assert!(input.modules().count() > 0);
    }
});
