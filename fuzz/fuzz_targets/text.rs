//! IR text of another LLVM, which is rewritten for ours.

#![no_main]

use libfuzzer_sys::fuzz_target;
use offloadc::input::newer_llvm::text_in_our_words;

fuzz_target!(|text: &str| {
    let _rewritten = text_in_our_words("fuzz", text.to_owned());
});
