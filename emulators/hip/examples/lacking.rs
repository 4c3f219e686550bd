//! Prints the instructions of code objects that are not emulated, with the number of their uses:
//!
//! ```text
//! cargo run --example lacking -- gfx90a FILE...
//! ```

use std::collections::BTreeMap;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(processor) = arguments.next() else {
        eprintln!("usage: lacking PROCESSOR FILE...");
        std::process::exit(2);
    };
    let mut all = BTreeMap::new();
    for path in arguments {
        match std::fs::read(&path) {
            Ok(file) => amdhip64::lacking(&file, &processor, &mut all),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
    for (name, count) in all {
        println!("{count:7} {name}");
    }
}
