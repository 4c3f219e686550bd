//! The shared runtime libraries: their names, their symbols and the versions of these.

use std::collections::BTreeSet;
use std::process::Command;

use harness::{llvm_tool, root, run, runtime_dir};
use offloadc::contract::abi::INTERFACE_VERSION;

const LIBRARIES: [&str; 3] = ["liboffloadrt", "liboffloadrt-omptarget", "liboffloadrt-liboffload"];

/// The functions that `offloadrt.h` declares.
fn declared() -> BTreeSet<String> {
    let header = root().join("runtime-c/offloadrt.h");
    let text = run(Command::new("cc").args(["-E", "-P"]).arg(header)).success().stdout();
    let calls = text.match_indices('(').map(|(at, _)| text[..at].trim_end());
    let names = calls.map(|before| &before[before.rfind(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(0)..]);
    names
        .map(|name| name.trim_start_matches(['*', ' ', '\n']))
        .filter(|n| n.starts_with("offloadrt_"))
        .map(str::to_owned)
        .collect()
}

/// The functions that a library exports, with their versions: `NAME@@VERSION`.
fn exported(library: &str) -> Vec<String> {
    let path = runtime_dir().join(format!("{library}.so"));
    let text = run(Command::new(llvm_tool("llvm-nm")).args(["-D", "--defined-only"]).arg(path)).success().stdout();
    // The versions themselves are absolute symbols.
    let words = text.lines().map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>());
    words.filter(|words| words[0] != "A").map(|words| words[1].to_owned()).collect()
}

#[test]
fn every_function_of_the_header_has_a_version_and_nothing_else_has_it() {
    let declared = declared();
    assert!(declared.contains("offloadrt_launch") && declared.len() > 30, "{declared:?}");
    for library in LIBRARIES {
        // A function that was added later has the minor version with which it came, such as `3.1`.
        let is_ours = |version: &str| version.split('.').next() == Some(&INTERFACE_VERSION.to_string());
        let exported = exported(library);
        let exported = exported.iter().filter_map(|name| name.split_once("@@OFFLOADRT_"));
        let exported = exported.filter(|(_, version)| is_ours(version)).map(|(name, _)| name.to_owned()).collect();
        let difference: Vec<_> = declared.symmetric_difference(&exported).collect();
        assert!(
            difference.is_empty(),
            "{library}: add these to runtime-c/offloadrt.map, or remove them: {difference:?}"
        );
    }
}

#[test]
fn libraries_export_nothing_without_a_version() {
    for library in LIBRARIES {
        let plain: Vec<_> = exported(library).into_iter().filter(|name| !name.contains("@@OFFLOADRT_")).collect();
        assert!(plain.is_empty(), "{library}: {plain:?}");
    }
    let version = format!("@@OFFLOADRT_CHECKER_{INTERFACE_VERSION}");
    let checker: Vec<_> = exported(LIBRARIES[0]).into_iter().filter(|name| name.ends_with(&version)).collect();
    let version = format!("@@OFFLOADRT_PROFILE_{INTERFACE_VERSION}");
    let profile: Vec<_> = exported(LIBRARIES[0]).into_iter().filter(|name| name.ends_with(&version)).collect();
    assert_eq!(profile, [format!("offloadrt_profile_write{version}")]);
    assert!(checker.iter().all(|name| name.starts_with("offloadrt_check_")) && checker.len() > 10, "{checker:?}");
}

#[test]
fn a_program_records_the_interface_and_the_versions() {
    let folder = harness::scratch();
    let (source, program) = (folder.path().join("app.c"), folder.path().join("app"));
    let text =
        "#include <offloadrt.h>\n#include <stdio.h>\nint main(void) { return puts(offloadrt_error_text()) < 0; }\n";
    std::fs::write(&source, text).expect("the folder is ours");
    let mut cc = Command::new("cc");
    let _ = cc.arg(&source).arg("-I").arg(root().join("runtime-c")).arg("-L").arg(runtime_dir()).arg("-loffloadrt");
    let _ = run(cc.arg(format!("-Wl,-rpath,{}", runtime_dir().display())).arg("-o").arg(&program)).success();
    assert_eq!(run(&mut Command::new(&program)).success().stdout(), "\n");
    let elf = run(Command::new(llvm_tool("llvm-readelf")).args(["-d", "-V"]).arg(&program)).success().stdout();
    for text in [format!("[liboffloadrt.so.{INTERFACE_VERSION}]"), format!("Name: OFFLOADRT_{INTERFACE_VERSION} ")] {
        assert!(elf.contains(&text), "{text}: {elf}");
    }
}
