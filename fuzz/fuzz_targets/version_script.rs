//! rustc's version scripts, without the names that a linked program does not define.

#![no_main]

use libfuzzer_sys::fuzz_target;
use offloadc::linker::version_script::rewritten;

fuzz_target!(|script: &[u8]| {
    let lines = |text: &[u8]| text.split(|byte| *byte == b'\n').count();
    let once = rewritten(script);
    // At most the line of the runtime is added, once for each time.
    assert!(lines(&once) <= lines(script) + 1);
    let of_library = script.windows(14).any(|part| part == b"rust_metadata_");
    assert!(of_library || rewritten(&once) == once);
});
