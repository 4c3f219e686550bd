//! Host objects in the cache: an edit of one module compiles the host code of this module only.

use std::fs;
use std::process::Command;

use harness::run;
use tempfile::TempDir;

const START: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n";

/// A launch of each of two kernels of the other module.
fn launches(answer: u32) -> String {
    format!(
        "{START}declare ptr @__offload_kernel(ptr)\ndeclare void @one(ptr)\ndeclare void @two(ptr)\n\
         define i32 @answer() {{\n  ret i32 {answer}\n}}\n\
         define ptr @first() {{\n  %h = call ptr @__offload_kernel(ptr @one)\n  ret ptr %h\n}}\n\
         define ptr @second() {{\n  %h = call ptr @__offload_kernel(ptr @two)\n  ret ptr %h\n}}\n"
    )
}

fn kernels(value: u32) -> String {
    format!(
        "{START}define void @one(ptr %p) {{\n  store i32 {value}, ptr %p\n  ret void\n}}\n\
         define void @two(ptr %p) {{\n  store i32 2, ptr %p\n  ret void\n}}\n"
    )
}

/// Passes a function as a value.
fn functions() -> String {
    format!(
        "{START}declare i64 @__offload_function(ptr)\ndefine internal i32 @f() {{\n  ret i32 1\n}}\n\
         define i64 @number() {{\n  %n = call i64 @__offload_function(ptr @f)\n  ret i64 %n\n}}\n"
    )
}

/// A program of several modules, and a cache.
struct Place(TempDir);

impl Place {
    fn new(files: &[(&str, String)]) -> Self {
        let place = Self(harness::scratch());
        files.iter().for_each(|(name, text)| place.write(name, text));
        place
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("the folder can be written");
    }

    fn compile(&self, options: &[&str]) -> (Vec<u8>, String) {
        let mut names: Vec<_> = fs::read_dir(self.0.path())
            .expect("it is ours")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".ll"))
            .collect();
        names.sort();
        let mut command = Command::new(harness::offloadc());
        let _ = command.current_dir(self.0.path()).args(names).arg("--offload-arch=cpu,gfx90a").args(options);
        let said = run(command.args(["-o", "out.o"])).success().stderr();
        (fs::read(self.0.path().join("out.o")).expect("the object was written"), said)
    }

    /// The outputs that are not in the cache. The object has the same bytes as without the cache.
    fn missed(&self, options: &[&str]) -> Vec<String> {
        let (cached, said) = self.compile(&[options, &["--cache-dir=cache", "--cache-why"]].concat());
        let (compiled, _) = self.compile(&[options, &["--no-cache"]].concat());
        assert!(cached == compiled, "{options:?}: the cache changes the output");
        said.lines().filter_map(|line| Some(line.strip_prefix("note: ")?.to_owned())).collect()
    }
}

fn launched() -> Place {
    Place::new(&[("a.ll", launches(42)), ("b.ll", kernels(1))])
}

#[test]
fn an_edit_of_a_module_compiles_its_host_object_only() {
    let place = launched();
    assert_eq!(place.missed(&[]).len(), 5);
    assert_eq!(place.missed(&[]), [""; 0]);
    place.write("a.ll", &launches(43));
    let nearest = "is not in the cache: its nearest entry differs in: host code";
    assert_eq!(place.missed(&[]), [format!("the host object of `a.ll` {nearest}")]);
    place.write("b.ll", &kernels(3));
    let missed = place.missed(&[]);
    let (objects, device): (Vec<_>, Vec<_>) = missed.iter().partition(|line| line.starts_with("the host object"));
    assert_eq!(objects, [&format!("the host object of `b.ll` {nearest}")]);
    assert_eq!(device.len(), 3, "{missed:?}");
}

#[test]
fn statistics_count_entries_hits_and_misses() {
    let place = launched();
    let stats = || {
        let mut command = Command::new(harness::offloadc());
        let stats = run(command.current_dir(place.0.path()).args(["cache", "stats", "--cache-dir=cache"])).success();
        let text = stats.stdout();
        text.lines().filter(|line| !line.starts_with("size")).map(str::to_owned).collect::<Vec<_>>()
    };
    let wanted = |images: u32, objects: u32, modules: u32, hits: &str| {
        let folder = "folder   cache/entries".to_owned();
        let parts = "parts    0".to_owned();
        let rows = [("images   ", images), ("objects  ", objects), ("modules  ", modules)];
        let [images, objects, modules] = rows.map(|(name, count)| format!("{name}{count}"));
        let finished = "finished 0".to_owned();
        [folder, images, parts, objects, modules, finished, format!("hits     {hits}")]
    };
    assert_eq!(stats(), wanted(0, 0, 0, "0 of 0"));
    let _ = place.missed(&[]);
    assert_eq!(stats(), wanted(2, 2, 1, "0 of 5"));
    place.write("a.ll", &launches(43));
    let _ = place.missed(&[]);
    assert_eq!(stats(), wanted(2, 3, 1, "4 of 10"));
    let mut command = Command::new(harness::offloadc());
    let _ = run(command.current_dir(place.0.path()).args(["cache", "clear", "--cache-dir=cache"])).success();
    assert_eq!(stats(), wanted(0, 0, 0, "0 of 0"));
}

#[test]
fn a_folder_that_cannot_be_written_is_one_warning() {
    let place = launched();
    // No user can make a folder there, and the entries are only absent.
    let (bytes, said) = place.compile(&["--cache-dir=/proc/sys"]);
    assert!(bytes == place.compile(&["--no-cache"]).0);
    assert_eq!(harness::without_folders(&said).matches("warning").count(), 1, "{said}");
    assert!(said.contains("cannot make folder"), "{said}");
}

/// A kernel with debug information, and `above` lines above it.
fn with_lines(above: &str) -> String {
    format!(
        "#![no_std]\n{above}\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn one(p: *mut u32) {{\n    unsafe {{ *p = 1 }};\n}}\n"
    )
}

#[test]
fn a_line_above_a_kernel_changes_device_code_only_with_debug_information() {
    let place = Place::new(&[]);
    let missed = |above: &str, options: &[&str]| {
        place.write("k.rs", &with_lines(above));
        let mut rustc = Command::new("rustc");
        let _ = rustc.current_dir(place.0.path()).args(["k.rs", "--crate-type=lib", "--emit=llvm-ir", "-Cpanic=abort"]);
        let _ = run(rustc.args(["-g", "-Cno-prepopulate-passes", "-o", "k.ll"])).success();
        place.missed(&[&["--kernel=one"], options].concat()).len()
    };
    assert_eq!(missed("", &[]), 4);
    assert_eq!(missed("// A line.", &[]), 1, "lines are in the host object");
    assert_eq!(missed("// A line.", &["-g"]), 3, "device code has other options");
    assert_eq!(missed("// A line.\n// And another.", &["-g"]), 4, "lines are in device code, too");
}

#[test]
fn handles_belong_to_their_own_program() {
    let place = launched();
    let (first, _) = place.compile(&["--cache-dir=cache"]);
    place.write("b.ll", &kernels(3));
    let (second, _) = place.compile(&["--cache-dir=cache"]);
    let handles = |object: &[u8]| -> Vec<String> {
        let elf = goblin::elf::Elf::parse(object).expect("it is an object");
        let names = elf.syms.iter().filter_map(|symbol| elf.strtab.get_at(symbol.st_name));
        let mut names: Vec<_> = names.filter(|name| name.starts_with("__offload_handle.")).map(str::to_owned).collect();
        names.sort();
        names
    };
    let (first, second) = (handles(&first), handles(&second));
    assert_eq!((first.len(), second.len()), (2, 2), "every handle that is used is also defined: {first:?} {second:?}");
    assert!(first.iter().chain(&second).all(|name| !name.contains("0000000000000000")), "{first:?} {second:?}");
    assert_ne!(first, second, "two objects of one program have different symbols");
}

#[test]
fn what_decides_an_object_misses_and_nothing_else_does() {
    let place = launched();
    let objects =
        |options: &[&str]| place.missed(options).iter().filter(|line| line.starts_with("the host object")).count();
    assert_eq!(objects(&[]), 2);
    for options in [&["-j1"][..], &["--device-stack=4096"], &["-MD"], &["-v"], &["--fast-math"]] {
        assert_eq!(objects(options), 0, "{options:?} decides no byte of host code");
    }
    for options in [&["--host-opt-level=0"][..], &["-O1"]] {
        assert_eq!(objects(options), 2, "{options:?} decides bytes");
        assert_eq!(objects(options), 0, "{options:?}: they are there now");
    }
    assert_eq!(objects(&["-O2", "--host-opt-level=1"]), 0, "only the level of host code counts");
    fs::rename(place.0.path().join("a.ll"), place.0.path().join("c.ll")).expect("it is ours");
    assert_eq!(objects(&[]), 1, "text without a name of its own has that of its file");
}

#[test]
fn what_a_marker_call_becomes_decides_an_object() {
    let place = launched();
    let _ = place.missed(&[]);
    let swapped = "@one = alias void (ptr), ptr @c\n@two = alias void (ptr), ptr @c\n\
                   define void @c(ptr %p) {\n  ret void\n}\n";
    place.write("b.ll", &format!("{START}{swapped}"));
    assert!(place.missed(&[]).len() >= 3, "the aliased function is another kernel, or another entry");
    let place = Place::new(&[("a.ll", launches(42)), ("b.ll", kernels(1)), ("f.ll", functions())]);
    let _ = place.missed(&[]);
    place.write("a.ll", &launches(43));
    let differs = |file: &str, part: &str| {
        format!("the host object of `{file}` is not in the cache: its nearest entry differs in: {part}")
    };
    assert_eq!(place.missed(&[]), [differs("a.ll", "host code")], "the numbers of functions are the same");
    place.write("g.ll", &functions().replace("@f(", "@g(").replace("@f)", "@g)").replace("@number", "@other_number"));
    let missed = place.missed(&[]);
    assert!(missed.contains(&differs("f.ll", "kernels")), "one more function has a number: {missed:?}");
}

#[test]
fn damaged_objects_are_compiled_again() {
    let place = launched();
    let _ = place.missed(&[]);
    let list = |folder: &std::path::Path| {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let files: Vec<_> = list(&place.0.path().join("cache/entries")).iter().flat_map(|folder| list(folder)).collect();
    assert_eq!(files.len(), 5);
    for file in files {
        let mut bytes = fs::read(&file).expect("the entry is there");
        let at = bytes.len() / 2;
        bytes[at] ^= 4;
        fs::write(&file, bytes).expect("the entry can be written");
    }
    let (bytes, said) = place.compile(&["--cache-dir=cache"]);
    assert_eq!(said.matches("the cache cannot be used").count(), 1, "{said}");
    assert!(bytes == place.compile(&["--no-cache"]).0);
    assert_eq!(place.missed(&[]), [""; 0]);
}
