//! `offloadc inspect`: objects, programs, archives and containers, with kernel tables and images.

#![no_main]

use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use offloadc::bundle::Contents;
use offloadc::system::tool::Tools;
use offloadc::targets;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut contents) = Contents::read(bytes) else { return };
    let tools = Tools::new(PathBuf::new(), None);
    let _found = contents.find_resources(&|image| targets::resources(image, &tools));
    let texts = [contents.to_text("fuzz"), contents.to_json("fuzz")];
    assert!(texts.iter().all(|text| text.ends_with('\n')));
});
