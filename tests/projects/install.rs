//! `make install`: what it copies, how a C program finds the runtime, and what `make uninstall` leaves.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use harness::{run, run_within};

/// Where a package would lie.
const PREFIX: &str = "/opt/off load";

fn make(goal: &str, folder: &Path) {
    let mut command = Command::new("make");
    harness::cargo::prepare(command.args(["-s", goal, "PROFILE=dev"]).current_dir(harness::root()));
    command.arg(format!("PREFIX={PREFIX}")).arg(format!("DESTDIR={}", folder.display()));
    let _ = run_within(&mut command, Duration::from_secs(900)).success();
}

#[test]
fn c_programs_find_the_runtime_and_nothing_remains() {
    let folder = harness::scratch();
    // Twice, as for an update.
    make("install", folder.path());
    make("install", folder.path());
    let installed = folder.path().join(PREFIX.trim_start_matches('/'));
    let plugin = "lib/offloadc/liboffloadc_plugin.so";
    for file in ["bin/cargo-offloadc", "include/offloadrt.h", "lib/offloadc/crates/offload/Cargo.toml", plugin] {
        assert!(installed.join(file).is_file(), "{file} is missing");
    }
    let mut asked = Command::new("pkg-config");
    asked.args(["--define-variable"]).arg(format!("prefix={}", installed.display()));
    let asked =
        run(asked.args(["--cflags", "--libs", "offloadrt"]).env("PKG_CONFIG_PATH", installed.join("lib/pkgconfig")));
    let words = asked.success().stdout();
    let source = folder.path().join("app.c");
    let text = "#include <offloadrt.h>\n#include <stdio.h>\nint main(void) {\n  offloadrt_device *device;\n  \
                if (offloadrt_device_open(\"cpu\", &device))\n    return puts(offloadrt_error_text()), 1;\n  \
                puts(offloadrt_device_name(device));\n  return offloadrt_device_close(device);\n}\n";
    std::fs::write(&source, text).expect("the folder is ours");
    let line = format!("cc -o app app.c {words}");
    let _ = run(Command::new("sh").args(["-ec", line.trim()]).current_dir(folder.path())).success();
    assert_eq!(run(&mut Command::new(folder.path().join("app"))).success().stdout(), "cpu\n");

    make("uninstall", folder.path());
    let left = run(Command::new("find").arg(&installed).args(["-type", "f"])).success().stdout();
    assert_eq!(left, "");
}
