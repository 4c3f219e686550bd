//! The package for Debian, which `make deb` builds: its files in a separate root, where the demo's kernel runs.
//!
//! Part of `make test-all`, because building the package takes minutes.

use std::path::Path;
use std::process::Command;

use harness::{Outcome, root, run};
use offloadc::contract::abi::INTERFACE_VERSION;

/// dpkg on the system in `folder`, without a system's rights.
fn dpkg(folder: &Path, words: &[&str]) -> Outcome {
    let mut dpkg = Command::new("dpkg");
    let _ = dpkg.arg(format!("--root={}", folder.display())).args(["--force-not-root", "--force-script-chrootless"]);
    run(dpkg.args(words).env("LC_ALL", "C"))
}

/// A system without files whose installed packages are those in `status`.
fn system(status: &str) -> tempfile::TempDir {
    let folder = harness::scratch();
    let administration = folder.path().join("var/lib/dpkg");
    for name in ["info", "updates", "triggers"] {
        std::fs::create_dir_all(administration.join(name)).expect("the folder is ours");
    }
    std::fs::write(administration.join("status"), status).expect("the folder is ours");
    folder
}

/// Runs saxpy, compiled and linked by the package's files alone.
fn run_demo(system: &Path) {
    let folder = harness::scratch();
    let source = root().join("examples/contract/saxpy.rs");
    let mut rustc = Command::new("rustc");
    let flags = ["--edition=2021", "--emit=llvm-bc", "-Copt-level=3", "-Cno-prepopulate-passes"];
    let _ = run(rustc.args(flags).arg(source).current_dir(folder.path())).success();
    let mut offloadc = Command::new(system.join("usr/bin/offloadc"));
    let _ = offloadc.args(["saxpy.bc", "-o", "saxpy", "--emit=exe", "--offload-arch=cpu,sm_80,gfx90a,spirv64"]);
    let _ = run(offloadc.env("PATH", harness::search_path(&[])).current_dir(folder.path())).success();
    let said = run(&mut Command::new(folder.path().join("saxpy"))).success().stdout();
    assert!(said.contains("saxpy") && said.contains("1048576 elements"), "{said}");
}

#[test]
fn the_package_for_debian_runs_from_its_own_root() {
    if std::env::var_os("OFFLOADC_ALL_PACKAGES").is_none() {
        return;
    }
    let package = root().join("target/offloadc.deb");
    let package = package.to_str().expect("the repository's path is text");
    let refused = dpkg(system("").path(), &["-i", package]);
    assert!(!refused.status.success() && refused.stderr().contains("depends on libllvm22"), "{}", refused.report());

    let status = std::fs::read_to_string("/var/lib/dpkg/status").expect("this is Debian");
    let system = system(&status);
    let _ = dpkg(system.path(), &["-i", package]).success();
    for file in ["bin/cargo-offloadc", "lib/liboffloadrt.so", "include/offloadrt.hpp", "share/man/man1/offloadc.1.gz"] {
        assert!(system.path().join("usr").join(file).is_file(), "{file} is missing");
    }
    let name = format!("liboffloadrt.so.{INTERFACE_VERSION}");
    let link = std::fs::read_link(system.path().join("usr/lib").join(&name)).expect("it is a link");
    assert_eq!(link, Path::new(&format!("{name}.{}", env!("CARGO_PKG_VERSION"))));
    run_demo(system.path());
    let _ = dpkg(system.path(), &["-r", "offloadc"]).success();
    assert!(!system.path().join("usr").exists(), "everything is removed");
}
