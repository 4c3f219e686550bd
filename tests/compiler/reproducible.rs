//! The same input has the same output: in another run, in another folder, and with any number of jobs.

use std::path::Path;
use std::process::Command;

use harness::program::{self, RECOMMENDED};
use harness::run;

/// The object that offloadc writes in `folder`.
fn object(bitcode: &Path, folder: &Path, options: &[&str]) -> Vec<u8> {
    let mut command = Command::new(harness::offloadc());
    command.arg(bitcode).args(options).args(["--offload-arch=cpu,gfx90a,sm_80,gfx1100", "-o", "out.o"]);
    run(command.current_dir(folder).env("TMPDIR", folder)).success();
    std::fs::read(folder.join("out.o")).expect("the object was written")
}

#[test]
fn jobs_folder_and_time_change_no_byte() {
    for source in ["examples/contract/matmul.rs", "tests/run/closure.rs"] {
        let first = harness::scratch();
        let second = harness::scratch();
        let one = program::bitcode(source, RECOMMENDED, first.path());
        let two = second.path().join(one.file_name().expect("the bitcode has a name"));
        std::fs::copy(&one, &two).expect("the folder can be written");
        let bytes = object(&one, first.path(), &["-j1"]);
        assert!(bytes == object(&one, first.path(), &["-j1"]), "{source}: a second run differs");
        assert!(bytes == object(&one, first.path(), &["-j8"]), "{source}: eight jobs differ");
        let compressed = object(&one, first.path(), &["-j1", "--compress=zstd"]);
        assert!(compressed == object(&two, second.path(), &["-j8", "--compress=zstd"]), "{source}: compressed images");
        assert!(bytes == object(&two, second.path(), &["-j8"]), "{source}: another folder differs");
    }
}

#[test]
fn the_order_of_archs_changes_no_byte() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let object = |archs: &str| {
        let output = folder.path().join("out.o");
        program::compile(&bitcode, &output, &[&format!("--offload-arch={archs}")]).success();
        std::fs::read(output).expect("the object was written")
    };
    assert!(object("sm_80,cpu,gfx90a") == object("cpu,gfx90a,sm_80,sm_80"));
}

#[test]
fn debug_information_holds_no_folder_of_this_run() {
    let folder = harness::scratch();
    let bitcode = program::bitcode("examples/contract/saxpy.rs", RECOMMENDED, folder.path());
    let bytes = object(&bitcode, folder.path(), &[]);
    let name = folder.path().file_name().expect("the folder has a name").to_string_lossy().into_owned();
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains(&name), "the object names the folder it was made in");
}
