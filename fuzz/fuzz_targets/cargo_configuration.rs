//! Cargo's configuration files, as `cargo offloadc` reads them, with conditions for targets.

#![no_main]

use libfuzzer_sys::fuzz_target;
use offloadc::cargo::configuration::Configuration;

fuzz_target!(|text: &str| {
    let conditions = ["unix", "target_os=\"linux\""].into_iter().filter_map(|text| text.parse().ok()).collect();
    let configuration = Configuration::of_text(text, "x86_64-unknown-linux-gnu", conditions);
    let _used = (configuration.linker(), configuration.rustc_wrapper(), configuration.runner().is_ok());
    for key in ["rustflags", "rustdocflags"] {
        let _flags = (configuration.has_only_build_flags(key), configuration.flags_as_text(key));
    }
});
