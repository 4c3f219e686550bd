//! The packages for crates.io: their files, and the programs of `cargo install`, which come without a runtime.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use harness::{Outcome, cargo, root, run, run_within};

/// The packages, with the folders of their workspaces.
const PACKAGES: [(&str, &str); 3] = [("", "offloadc"), ("rust", "offload-macros"), ("rust", "offload-kernels")];
/// The limit is 10 MB; a package of this size is downloaded in a moment.
const LARGEST: u64 = 5_000_000;
const PROGRAMS: [&str; 5] = ["offloadc", "offloadc-ld", "offloadc-rustc", "offloadc-dis", "cargo-offloadc"];

fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Packs all packages, and returns the folder of their files.
fn packed(folder: &Path) -> PathBuf {
    for workspace in ["", "rust"] {
        let names = PACKAGES.iter().filter(|(own, _)| *own == workspace).flat_map(|(_, name)| ["--package", name]);
        let mut pack = cargo::cargo(&root().join(workspace));
        let _ = pack.args(["package", "--offline", "--no-verify", "--allow-dirty", "--target-dir"]).arg(folder);
        let _ = run(pack.args(names)).success();
    }
    folder.join("package")
}

fn tar(words: &[&str], folder: &Path, file: &Path) -> String {
    run(Command::new("tar").args(words).arg(file).current_dir(folder)).success().stdout()
}

#[test]
fn packages_are_small_and_have_no_tests() {
    let folder = harness::scratch();
    let packed = packed(folder.path());
    let mut all = String::new();
    for (_, name) in PACKAGES {
        let file = packed.join(format!("{name}-{}.crate", version()));
        let size = file.metadata().expect("cargo has written it").len();
        assert!(size <= LARGEST, "{name}: {size} bytes");
        all += &tar(&["--list", "--gzip", "--file"], folder.path(), &file);
    }
    let version = version();
    let unwanted = ["/tests/", "/golden/", "/benches/", "/fuzz/", "/emulators/", "/docs/", "/scripts/"];
    let found: Vec<_> = all.lines().filter(|line| unwanted.iter().any(|part| line.contains(part))).collect();
    assert!(found.is_empty(), "{found:?}");
    for file in ["runtime-c/offloadrt.c", "runtime-c/drivers/cuda.c", "runtime-c/tools/info.c", "Cargo.lock"] {
        assert!(all.contains(&format!("offloadc-{version}/{file}\n")), "{file} is missing");
    }
    for name in PACKAGES.map(|(_, name)| name) {
        assert!(all.contains(&format!("{name}-{version}/LICENSE-MIT\n")), "{name} has no license");
    }
    assert!(all.contains(&format!("offload-kernels-{version}/runtime-c/offloadrt.c\n")));
}

/// Programs in a separate folder, with a cache folder that is empty at first.
struct Installed {
    folder: tempfile::TempDir,
}

impl Installed {
    fn new() -> Self {
        let folder = harness::scratch();
        std::fs::create_dir(folder.path().join("bin")).expect("the folder is ours");
        for name in PROGRAMS {
            let to = folder.path().join("bin").join(name);
            std::fs::hard_link(harness::program_folder().join(name), to).expect("both are below `target`");
        }
        std::fs::create_dir(folder.path().join("work")).expect("the folder is ours");
        let mut rustc = Command::new("rustc");
        let _ = rustc.args(["--edition=2021", "--emit=llvm-bc", "-Copt-level=3", "-Cno-prepopulate-passes"]);
        let source = root().join("examples/contract/saxpy.rs");
        let _ = run(rustc.arg(source).current_dir(folder.path().join("work"))).success();
        Self { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.at("bin").join(program));
        let path = harness::search_path(&[&self.at("bin")]);
        cargo::prepare(&mut command).env("PATH", path).env("XDG_CACHE_HOME", self.at("cache"));
        let _ = command.env_remove("OFFLOADC_RUNTIME_DIR").current_dir(self.at("work"));
        command
    }

    /// Links a program with the runtime.
    fn link(&self, output: &str) -> Command {
        let mut command = self.command("offloadc");
        let _ = command.args(["saxpy.bc", "--emit=exe", "--offload-arch=cpu", "-o", output]);
        command
    }

    fn run(&self, program: &str) {
        let said = run(&mut Command::new(self.at("work").join(program))).success().stdout();
        assert!(said.contains("1048576 elements, ok"), "{said}");
    }

    /// The files of the runtime in the cache folder, with their times.
    fn kept(&self) -> Vec<String> {
        let format = ["-type", "f", "-printf", "%f %T@\n"];
        let listed = run(Command::new("find").arg(self.at("cache/offloadc")).args(format)).stdout();
        let mut kept: Vec<_> = listed.lines().map(str::to_owned).collect();
        kept.sort();
        kept
    }
}

#[test]
fn the_runtime_is_compiled_at_its_first_use_and_kept() {
    let installed = Installed::new();
    // Two at once find no library, and both compile it.
    thread::scope(|scope| {
        let link = |output: &'static str| scope.spawn(|| run(&mut installed.link(output)).success());
        for link in ["one", "two"].map(link) {
            let _ = link.join().expect("it has no panic of its own");
        }
    });
    ["one", "two"].iter().for_each(|program| installed.run(program));
    let kept = installed.kept();
    let names: Vec<_> = kept.iter().filter_map(|row| row.split(' ').next()).collect();
    assert_eq!(names, ["liboffloadrt.a", "offloadrt-info"]);
    let native = run(installed.link("native").arg("--offload-arch=native"));
    let _ = native.success();
    installed.run("native");
    assert_eq!(kept, installed.kept(), "nothing is compiled again");
    // The same as in the library that is installed: also nothing of zstd, which a program may link, too.
    let same = harness::runtime_dir().join("liboffloadrt.a");
    assert_eq!(symbols(&library(&installed)), symbols(&same));
}

/// The global symbols that a library defines.
fn symbols(library: &Path) -> Vec<String> {
    let mut nm = Command::new(harness::llvm_tool("llvm-nm"));
    let listed = run(nm.args(["--extern-only", "--defined-only", "--format=just-symbols"]).arg(library)).success();
    let mut names: Vec<_> =
        listed.stdout().lines().filter(|line| !line.is_empty() && !line.ends_with(':')).map(str::to_owned).collect();
    names.sort();
    names
}

fn library(installed: &Installed) -> PathBuf {
    let folders = std::fs::read_dir(installed.at("cache/offloadc/runtime")).expect("it was made");
    let folder = folders.flatten().next().expect("there is one platform");
    folder.path().join("liboffloadrt.a")
}

#[test]
fn one_line_says_what_is_missing() {
    let installed = Installed::new();
    let said = |outcome: Outcome| {
        assert_eq!(outcome.code(), 1, "{}", outcome.report());
        outcome.stderr()
    };
    let text = said(run(installed.link("app").env("PATH", installed.at("none"))));
    let [line] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!(line.contains("from the sources in offloadc: cannot run `cc`"), "{line}");
    assert!(line.ends_with(
        "install gcc and binutils, or set `OFFLOADC_HOME` to the folder of an unpacked archive of offloadc"
    ));
    assert_eq!(installed.kept(), [""; 0]);
    // The other runtimes are in the archive alone.
    let text = said(run(installed.link("app").arg("--runtime=omptarget")));
    assert!(text.contains("cannot find the runtime's `liboffloadrt-omptarget.a`"), "{text}");
    assert!(text.contains("set `OFFLOADC_HOME` to the folder of an unpacked archive"), "{text}");
    // Others could exchange the compiled files.
    let _ = run(&mut installed.link("app")).success();
    let _ = run(Command::new("chmod").args(["-R", "o+w"]).arg(installed.at("cache"))).success();
    let text = said(run(&mut installed.link("app")));
    assert!(text.contains("everybody can write `"), "{text}");
}

#[test]
fn an_unpacked_archive_is_found_by_its_variable() {
    let installed = Installed::new();
    let home = super::install::installed();
    let _ = run(installed.link("app").env("OFFLOADC_HOME", home)).success();
    installed.run("app");
    let _ = run(installed.link("app").arg("--runtime=omptarget").env("OFFLOADC_HOME", home)).success();
    assert_eq!(installed.kept(), [""; 0], "nothing is compiled");
    let cargo_offloadc = |words: &[&str]| {
        let mut command = installed.command("cargo-offloadc");
        run(command.arg("offloadc").args(words).env("OFFLOADC_HOME", home))
    };
    let _ = cargo_offloadc(&["new", "--vcs", "none", "fresh"]).success();
    let text = std::fs::read_to_string(installed.at("work/fresh/.cargo/config.toml")).expect("it was written");
    assert!(text.contains(&format!("path = \"{}/lib/offloadc/crates/offload\"", home.display())), "{text}");
    let said = cargo_offloadc(&["doctor"]).stdout();
    assert!(said.contains(&format!("`{}/lib/offloadc/liboffloadrt.a`", home.display())), "{said}");
}

/// Part of `make test-all`, because all of offloadc is compiled again.
#[test]
fn programs_of_cargo_install_need_only_a_compiler() {
    if std::env::var_os("OFFLOADC_ALL_PACKAGES").is_none() {
        return;
    }
    // No file of cargo's configuration is above this folder, as in a user's home.
    let folder = tempfile::tempdir().expect("the system has a folder for temporary files");
    let packed = packed(&harness::temporary().join("packed"));
    for (_, name) in PACKAGES {
        let file = packed.join(format!("{name}-{}.crate", version()));
        let _ = tar(&["--extract", "--gzip", "--file"], folder.path(), &file);
    }
    let unpacked = |name: &str| folder.path().join(format!("{name}-{}", version()));
    let mut install = cargo::cargo(folder.path());
    for variable in ["LLVM_SYS_221_PREFIX", "OFFLOADC_NO_CACHE"] {
        let _ = install.env_remove(variable);
    }
    let _ = install.args(["install", "--debug", "--locked", "--offline", "--path"]).arg(unpacked("offloadc"));
    let _ = install.arg("--root").arg(folder.path().join("home")).arg("--target-dir");
    let _ = run_within(install.arg(harness::temporary().join("of-cargo-install")), Duration::from_secs(3600)).success();

    let bin = folder.path().join("home/bin");
    let offloadc = |folder: &Path, words: &[&str]| {
        let mut command = cargo::cargo(folder);
        let path =
            std::env::join_paths([bin.clone()].into_iter().chain(std::env::split_paths(&harness::search_path(&[]))));
        command.arg("offloadc").args(words).env("PATH", path.expect("no folder has a colon in its name"));
        command.env("XDG_CACHE_HOME", folder.join("cache")).env_remove("OFFLOADC_RUNTIME_DIR");
        run_within(&mut command, Duration::from_secs(600))
    };
    let _ = offloadc(folder.path(), &["new", "--vcs", "none", "fresh"]).success();
    let fresh = folder.path().join("fresh");
    assert!(!fresh.join(".cargo").exists(), "the crate is the one of crates.io");
    // The one of crates.io, as this version will be there.
    let patch = |name: &str| format!("patch.crates-io.{name}.path={:?}", unpacked(name));
    let configuration = [patch("offload-kernels"), patch("offload-macros")];
    let words = ["run", "--offline", "--config", &configuration[0], "--config", &configuration[1]];
    let ran = offloadc(&fresh, &words).success();
    assert_eq!(ran.stdout(), "1000 elements on cpu\n");
    let again = offloadc(&fresh, &words).success();
    assert!(!again.stderr().contains("Compiling"), "{}", again.report());
}

/// Part of `make test-all`, because it asks crates.io.
#[test]
fn crates_io_would_take_the_crates() {
    if std::env::var_os("OFFLOADC_ALL_PACKAGES").is_none() {
        return;
    }
    for (workspace, words) in [("", &["--no-verify"][..]), ("rust", &["--workspace"])] {
        let mut publish = cargo::cargo(&root().join(workspace));
        let _ = publish.args(["publish", "--dry-run", "--allow-dirty", "--target-dir"]);
        let _ = publish.arg(harness::temporary().join("published")).args(words);
        let published = run_within(&mut publish, Duration::from_secs(900));
        if published.mentions("spurious network error") || published.mentions("failed to download") {
            println!("skipped: crates.io does not answer: {}", published.stderr().lines().last().unwrap_or_default());
            return;
        }
        assert!(published.success().stderr().contains("aborting upload due to dry run"));
    }
}
