//! The cache: it returns the output of a compilation, whatever happens to its folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use harness::{Outcome, run};
use tempfile::TempDir;

const ARCHS: &str = "--offload-arch=cpu,gfx90a,sm_80";

/// A kernel with panics, shared memory and a barrier. `host` is the text of the host's code.
fn program(host: &str) -> String {
    format!(
        "target triple = \"x86_64-unknown-linux-gnu\"\n\
         @tile = internal global [64 x i32] zeroinitializer, section \".offload.shared\"\n\
         declare i32 @__offload_thread_id_x()\ndeclare void @__offload_sync_threads()\n{host}\n\
         define ptx_kernel void @turn(ptr %p) {{\n\
           %i = call i32 @__offload_thread_id_x()\n  %at = getelementptr i32, ptr %p, i32 %i\n\
           %v = load i32, ptr %at\n  %here = getelementptr i32, ptr @tile, i32 %i\n  store i32 %v, ptr %here\n\
           call void @__offload_sync_threads()\n  %j = sub i32 63, %i\n\
           %there = getelementptr i32, ptr @tile, i32 %j\n  %w = load i32, ptr %there\n  store i32 %w, ptr %at\n\
           ret void\n}}\n"
    )
}

/// A folder with a program and a cache.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(harness::scratch());
        place.edit("");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes the program with other host code.
    fn edit(&self, host: &str) {
        fs::write(self.path("in.ll"), program(host)).expect("the folder can be written");
    }

    fn command(&self, options: &[&str], output: &str) -> Command {
        let mut command = Command::new(harness::offloadc());
        command.arg(self.path("in.ll")).arg(ARCHS).args(options).arg("-o").arg(self.path(output));
        command
    }

    fn output(&self, outcome: Outcome, output: &str) -> (Vec<u8>, String) {
        let said = outcome.success().stderr();
        (fs::read(self.path(output)).expect("the object was written"), said)
    }

    /// The object that is compiled without a cache.
    fn compiled(&self, options: &[&str]) -> Vec<u8> {
        let outcome = run(&mut self.command(&[options, &["--no-cache"]].concat(), "compiled.o"));
        self.output(outcome, "compiled.o").0
    }

    /// The object with the cache, and the messages.
    fn cached(&self, options: &[&str]) -> (Vec<u8>, String) {
        let folder = format!("--cache-dir={}", self.path("cache").display());
        let outcome = run(&mut self.command(&[options, &[&folder, "--cache-why"]].concat(), "cached.o"));
        self.output(outcome, "cached.o")
    }

    /// The entries of the cache, and other files in their folders.
    fn files(&self) -> Vec<PathBuf> {
        let list = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<_> =
            list(&self.path("cache/entries")).flat_map(|folder| list(&folder).collect::<Vec<_>>()).collect();
        files.sort();
        files
    }
}

#[test]
fn outputs_are_the_same_without_a_cache_cold_and_warm() {
    let place = Place::new();
    for options in [&[][..], &["-O0"], &["-Oz"], &["--runtime=omptarget", "-Wno-unregistered-image"]] {
        let wanted = place.compiled(options);
        let (cold, missed) = place.cached(options);
        let (warm, said) = place.cached(options);
        assert!(cold == wanted, "{options:?}: the cold cache changes the output");
        assert!(warm == wanted, "{options:?}: the warm cache changes the output");
        assert_eq!((missed.matches("the image for").count(), said.as_str()), (3, ""), "{options:?}: {missed}");
    }
}

#[test]
fn host_code_decides_no_image() {
    let place = Place::new();
    let (first, _) = place.cached(&[]);
    place.edit("@text = constant [6 x i8] c\"hello\\00\"\ndefine ptr @host(i32 %x) {\n  ret ptr @text\n}");
    let (second, said) = place.cached(&[]);
    assert!(!said.contains("the image for") && said.contains("the host object of"), "the images were there: {said}");
    assert!(first != second, "the object contains the host code");
    assert!(second == place.compiled(&[]), "the entries of the cpu have the names of this object");
}

#[test]
fn what_decides_bytes_misses_and_nothing_else_does() {
    let place = Place::new();
    let _ = place.cached(&[]);
    // The number of archs that are compiled again.
    let missed = |options: &[&str]| {
        let (bytes, said) = place.cached(options);
        assert!(bytes == place.compiled(options), "{options:?}: the output differs");
        said.matches("the image for").count()
    };
    let trace = place.path("trace.json").display().to_string();
    let others: [&[&str]; 8] = [
        &["-j1"],
        &["-j7"],
        &["--color=always"],
        &["--message-format=json"],
        &["-v"],
        &["-MD"],
        &["--skip-refused-archs"],
        &["--time-trace", &trace],
    ];
    for options in others {
        assert_eq!(missed(options), 0, "{options:?} decides no byte");
    }
    let deciding: [&[&str]; 11] = [
        &["-O1"],
        &["-O3"],
        &["--device-stack=4096"],
        &["--cpu-warp-size=1"],
        &["--cpu-vectorize=never"],
        &["--without-workaround=keep_null"],
        &["--fast-math"],
        &["--ftz"],
        &["--fp-contract=fast"],
        &["--ptx-version=8.0"],
        &["--runtime=none"],
    ];
    for options in deciding {
        assert_eq!(missed(options), 3, "{options:?} decides bytes");
        assert_eq!(missed(options), 0, "{options:?}: they are there now");
    }
    let lld = place.path("lld");
    let real =
        harness::find_program("ld.lld-22").or_else(|| harness::find_program("ld.lld")).expect("lld is installed");
    fs::write(&lld, format!("#!/bin/sh\nexec {} \"$@\"\n", real.display())).expect("the folder can be written");
    harness::run(Command::new("chmod").arg("+x").arg(&lld)).success();
    let option = format!("--lld={}", lld.display());
    assert_eq!(missed(&[&option]), 3, "another linker decides bytes");
    fs::copy(&lld, place.path("copy")).expect("the folder can be written");
    assert_eq!(missed(&[&format!("--lld={}", place.path("copy").display())]), 0, "its path decides no byte");
}

/// The system finds such a tool, and it may be another one tomorrow.
#[test]
fn a_tool_with_a_name_alone_decides_bytes() {
    let place = Place::new();
    let (folder, real) = (place.path("tools"), harness::find_program("ld.lld-22"));
    let real = real.or_else(|| harness::find_program("ld.lld")).expect("lld is installed");
    fs::create_dir(&folder).expect("the folder can be written");
    let missed = |word: &str| {
        let (path, text) = (folder.join("own-lld"), format!("#!/bin/sh\n# {word}\nexec {} \"$@\"\n", real.display()));
        fs::write(&path, text).expect("the folder can be written");
        harness::run(Command::new("chmod").arg("+x").arg(&path)).success();
        let cache = format!("--cache-dir={}", place.path("cache").display());
        let mut command = place.command(&["--lld=own-lld", &cache, "--cache-why"], "cached.o");
        let said = run(command.env("PATH", harness::search_path(&[&folder]))).success().stderr();
        said.matches("the image for").count()
    };
    assert_eq!([missed("one"), missed("one"), missed("two"), missed("two")], [3, 0, 3, 0]);
}

#[test]
fn damaged_entries_are_compiled_again() {
    let place = Place::new();
    let (wanted, _) = place.cached(&[]);
    let mut random = 1_u64;
    for round in 0..8 {
        for file in place.files() {
            let mut bytes = fs::read(&file).expect("the entry is there");
            for _ in 0..=round {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (random >> 33) as usize % bytes.len();
                bytes[at] ^= 1 << (random % 8);
            }
            bytes.truncate(if round == 7 { bytes.len() / 2 } else { bytes.len() });
            fs::write(&file, bytes).expect("the entry can be written");
        }
        let (bytes, said) = place.cached(&[]);
        assert!(bytes == wanted, "round {round}: the output differs");
        assert_eq!(said.matches("the cache cannot be used").count(), 1, "one warning: {said}");
        assert_eq!(place.cached(&[]), (wanted.clone(), String::new()));
    }
}

#[test]
fn entries_of_another_version_are_compiled_again() {
    let place = Place::new();
    let (wanted, _) = place.cached(&[]);
    for file in place.files() {
        let bytes = fs::read(&file).expect("the entry is there");
        let (body, _checksum) = bytes.split_at(bytes.len() - blake3::OUT_LEN);
        let body = body.strip_prefix(b"offloadc cache 1\n").expect("an entry begins with its version");
        let mut other = [b"offloadc cache 2\n", body].concat();
        other.extend(blake3::hash(&other).as_bytes());
        fs::write(&file, other).expect("the entry can be written");
    }
    let (bytes, said) = place.cached(&[]);
    assert!(bytes == wanted, "the output differs");
    assert_eq!(said.matches("the cache cannot be used").count(), 1, "one warning: {said}");
    assert_eq!(place.cached(&[]), (wanted, String::new()), "the entries were written again");
}

#[test]
fn an_entry_of_another_key_is_not_taken() {
    let place = Place::new();
    let (wanted, _) = place.cached(&[]);
    let files = place.files();
    let first = fs::read(&files[0]).expect("the entry is there");
    for file in &files[1..] {
        fs::write(file, &first).expect("the entry can be written");
    }
    let (bytes, said) = place.cached(&[]);
    assert!(bytes == wanted && said.contains("is damaged"), "{said}");
}

#[test]
fn without_a_usable_folder_there_is_a_warning_and_the_same_output() {
    let place = Place::new();
    fs::write(place.path("cache"), "a file").expect("the folder can be written");
    let (bytes, said) = place.cached(&[]);
    assert!(bytes == place.compiled(&[]));
    assert_eq!(harness::without_folders(&said).matches("warning").count(), 1, "{said}");
}

/// A disk without room, as far as the compiler sees: no file may grow.
#[test]
fn a_full_disk_is_a_warning_and_the_same_output() {
    let place = Place::new();
    let image = |options: &[&str]| {
        let mut command = Command::new("sh");
        let _ = command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]).arg(harness::offloadc());
        let _ = command
            .arg(place.path("in.ll"))
            .args(["--offload-arch=sm_80", "--nvptx-image=ptx", "--emit=image=-"])
            .args(options);
        run(&mut command).success()
    };
    let folder = format!("--cache-dir={}", place.path("cache").display());
    let (full, wanted) = (image(&[&folder]), image(&["--no-cache"]));
    assert!(full.stdout() == wanted.stdout() && !full.stdout().is_empty());
    let said = full.stderr();
    assert_eq!(harness::without_folders(&said).matches("warning").count(), 1, "{said}");
    assert!(said.contains("the cache cannot be used") && said.contains("file too large"), "{said}");
    let left = place.files();
    assert!(left.is_empty(), "half an entry is left: {left:?}");
}

#[test]
fn builds_at_once_share_the_folder() {
    let place = Place::new();
    let wanted = place.compiled(&[]);
    for _ in 0..3 {
        let folder = format!("--cache-dir={}", place.path("cache").display());
        let start = |output: &str| place.command(&[&folder], output).stderr(Stdio::piped()).spawn().expect("it starts");
        let names = ["one.o", "two.o", "three.o"];
        for (name, child) in names.map(|name| (name, start(name))) {
            let output = child.wait_with_output().expect("it ends");
            assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            assert!(fs::read(place.path(name)).expect("the object was written") == wanted, "{name} differs");
        }
        let _ = run(Command::new(harness::offloadc()).args(["cache", "clear"]).arg(&folder)).success();
        assert!(place.files().is_empty());
    }
}

/// `OFFLOADC_ALL_KILLS` in `make test-all` asks for more.
#[test]
fn a_killed_build_leaves_the_cache_whole() {
    let place = Place::new();
    let wanted = place.compiled(&[]);
    let count = std::env::var("OFFLOADC_ALL_KILLS").map_or(20, |text| text.parse().expect("a number"));
    let folder = format!("--cache-dir={}", place.path("cache").display());
    let temporary = place.path("temporary");
    fs::create_dir(&temporary).expect("the folder can be written");
    for moment in 0..count {
        // Each option has separate entries, so there is always something to write.
        let stack = format!("--device-stack={}", 2048 + 16 * moment);
        let mut command = place.command(&[&folder, &stack], "killed.o");
        let mut child = command.env("TMPDIR", &temporary).spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(600 * moment / count));
        child.kill().expect("it is ours");
        let _ = child.wait().expect("it is ours");
        let (bytes, said) = place.cached(&[&stack]);
        assert!(!said.contains("the cache cannot be used"), "{said}");
        assert!(bytes == place.compiled(&[&stack]), "moment {moment}");
    }
    assert!(place.cached(&[]).0 == wanted);
    let _ = run(place.command(&["--no-cache"], "last.o").env("TMPDIR", &temporary)).success();
    let left: Vec<_> = fs::read_dir(&temporary).expect("it is ours").flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "the next run removes temporary folders: {left:?}");
}

#[test]
fn the_folder_stays_below_its_limit_and_litter_is_removed() {
    let place = Place::new();
    let _ = place.cached(&[]);
    let entry = place.files().remove(0);
    let folder = entry.parent().expect("it is in a folder");
    let (old, new) = (folder.join(".offloadc-old"), folder.join(".offloadc-new"));
    for path in [&old, &new] {
        fs::write(path, "half").expect("the folder can be written");
    }
    let day = Duration::from_secs(86400);
    let file = fs::File::options().write(true).open(&old).expect("it was written");
    file.set_modified(SystemTime::now() - day).expect("it is ours");
    let _ = place.cached(&["-O1"]);
    assert_eq!((old.exists(), new.exists()), (false, true), "the new one may belong to a process that runs");
    let folder = format!("--cache-dir={}", place.path("cache").display());
    let mut command = place.command(&[&folder, "-O3"], "limited.o");
    let outcome = run(command.env("OFFLOADC_CACHE_SIZE", "0"));
    assert!(place.output(outcome, "limited.o").0 == place.compiled(&["-O3"]));
    assert_eq!(place.files(), [new]);
}
