//! Compiles `../scale.c` for the host, whose code of the kernel calls it, too.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").unwrap());
    let run = |command: &mut Command| assert!(command.status().unwrap().success());
    // A function in a separate section is left out if nothing calls it.
    run(Command::new("cc").args(["-c", "-O2", "-ffunction-sections", "../scale.c", "-o"]).arg(folder.join("scale.o")));
    run(Command::new("ar").arg("rcs").arg(folder.join("libscale.a")).arg(folder.join("scale.o")));
    println!("cargo::rerun-if-changed=../scale.c");
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=static=scale");
}
