//! The entries of the parts of device code, for the steps that all archs share: which parts an edit makes again, and
//! that neither the split nor the cache changes the messages.

use std::fs;
use std::process::Command;

use harness::run;
use tempfile::TempDir;

/// The panic of an index, as rustc names it.
const PANIC: &str = "_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check";
const HEAD: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    @file = private unnamed_addr constant [7 x i8] c\"main.rs\"\n";

/// A kernel that stores a number.
fn stores(name: &str, number: u32) -> String {
    format!("define ptx_kernel void @{name}(ptr %out) {{\n  store i32 {number}, ptr %out\n  ret void\n}}\n")
}

/// A kernel that panics in a line, and reads the line with `reads`.
fn panics(name: &str, line: u8, reads: bool) -> String {
    let read = "%field = getelementptr i8, ptr @place_NAME, i64 16\n  %line = load i32, ptr %field\n  \
                %next = getelementptr i32, ptr %out, i64 1\n  store i32 %line, ptr %next\n  ";
    let read = if reads { read.replace("NAME", name) } else { String::new() };
    format!(
        "@place_{name} = private unnamed_addr constant <{{ ptr, [16 x i8] }}> <{{ ptr @file, [16 x i8] \
         c\"\\07\\00\\00\\00\\00\\00\\00\\00\\{line:02X}\\00\\00\\00\\05\\00\\00\\00\" }}>, align 8\n\
         define ptx_kernel void @{name}(ptr %out, i64 %i) {{\n  {read}%inside = icmp ult i64 %i, 4\n  \
         br i1 %inside, label %good, label %bad\n\
         good:\n  store i32 7, ptr %out\n  ret void\n\
         bad:\n  call void @{PANIC}(i64 %i, i64 4, ptr @place_{name})\n  unreachable\n}}\n"
    )
}

/// A kernel that calls one of two functions, chosen by a number in memory.
fn chooses(name: &str, number: u32) -> String {
    format!(
        "define internal i32 @one_{name}(i32 %v) noinline {{\n  %w = mul i32 %v, {number}\n  ret i32 %w\n}}\n\
         define internal i32 @two_{name}(i32 %v) noinline {{\n  %w = xor i32 %v, {number}\n  ret i32 %w\n}}\n\
         define ptx_kernel void @{name}(ptr %out) {{\n  %v = load i32, ptr %out\n  %c = icmp ult i32 %v, 9\n  \
         %f = select i1 %c, ptr @one_{name}, ptr @two_{name}\n  %place = alloca ptr\n  \
         store volatile ptr %f, ptr %place\n  %g = load volatile ptr, ptr %place\n  \
         %w = call i32 %g(i32 %v)\n  store i32 %w, ptr %out\n  ret void\n}}\n"
    )
}

/// A kernel with a recursive function, about which there is a note.
fn recurses(name: &str) -> String {
    format!(
        "define internal i32 @down_{name}(i32 %v) noinline {{\n  %end = icmp eq i32 %v, 0\n  \
         br i1 %end, label %done, label %more\nmore:\n  %less = sub i32 %v, 1\n  \
         %low = call i32 @down_{name}(i32 %less)\n  %both = xor i32 %low, %v\n  \
         %sum = mul i32 %both, %low\n  ret i32 %sum\ndone:\n  ret i32 1\n}}\n\
         define ptx_kernel void @{name}(ptr %out) {{\n  %v = load i32, ptr %out\n  \
         %w = call i32 @down_{name}(i32 %v)\n  store i32 %w, ptr %out\n  ret void\n}}\n"
    )
}

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(harness::scratch())
    }

    fn compile(&self, options: &[&str]) -> (Vec<u8>, String, String) {
        let mut command = Command::new(harness::offloadc());
        let archs = "--offload-arch=cpu,gfx90a,sm_80,spirv64";
        let _ = command.current_dir(self.0.path()).args(["in.ll", archs, "--parts=9", "-o", "out.o"]);
        let said = run(command.args(options).arg("--time-trace=trace.json")).success().stderr();
        let read = |name: &str| fs::read(self.0.path().join(name)).expect("the file was written");
        (read("out.o"), said, String::from_utf8(read("trace.json")).expect("it is JSON"))
    }

    /// The number of modules that were simplified, and the messages. The object is the one without a cache.
    fn simplifies(&self, kernels: &[String]) -> (usize, String) {
        let program = format!("{HEAD}declare void @{PANIC}(i64, i64, ptr) noreturn\n{}", kernels.concat());
        fs::write(self.0.path().join("in.ll"), program).expect("the folder can be written");
        let (cached, said, trace) = self.compile(&["--cache-dir=cache"]);
        let (compiled, said_without, _) = self.compile(&["--no-cache", "-j1"]);
        assert!(cached == compiled, "the cache changes the output");
        assert_eq!(said, said_without, "the cache changes what is said");
        (trace.matches("\"simplify\"").count(), said)
    }
}

#[test]
fn an_edit_makes_one_part_again() {
    let place = Place::new();
    let simplifies = |kernels: [String; 3]| place.simplifies(&kernels).0;
    assert_eq!(simplifies([stores("a", 1), panics("b", 12, false), stores("c", 3)]), 3);
    assert_eq!(simplifies([stores("a", 1), panics("b", 12, false), stores("c", 3)]), 0, "nothing changed");
    assert_eq!(simplifies([stores("a", 4), panics("b", 12, false), stores("c", 3)]), 1, "the first kernel changed");
    assert_eq!(simplifies([stores("a", 4), panics("b", 13, false), stores("c", 3)]), 0, "a line changed");
    assert_eq!(simplifies([panics("a", 9, false), panics("b", 13, false), stores("c", 3)]), 1, "there is a panic more");
}

#[test]
fn lines_that_a_part_reads_are_in_its_key() {
    let place = Place::new();
    let simplifies = |line: u8| place.simplifies(&[panics("a", line, false), panics("b", line, true)]).0;
    assert_eq!([12, 12, 13, 13, 12].map(simplifies), [2, 0, 1, 0, 0]);
}

#[test]
fn kernels_with_function_values_are_made_again_as_one_part() {
    let place = Place::new();
    let simplifies = |a: u32, b: u32, c: u32| place.simplifies(&[chooses("a", a), stores("b", b), chooses("c", c)]).0;
    assert_eq!(simplifies(1, 2, 3), 4, "three parts, and one of two kernels");
    assert_eq!(simplifies(1, 2, 3), 0);
    assert_eq!(simplifies(1, 5, 3), 1, "the kernel without function values changed");
    assert_eq!(simplifies(6, 5, 3), 2, "a kernel with function values changed");
}

#[test]
fn a_note_about_a_part_is_about_the_program() {
    let place = Place::new();
    let program = |number: u32| [stores("a", number), recurses("b"), panics("c", 12, false)];
    let (first, said) = place.simplifies(&program(1));
    assert!(first > 1 && said.contains("which is recursive"), "{first}: {said}");
    assert_eq!(place.simplifies(&program(1)), (1, said.clone()), "the whole program only");
    assert_eq!(place.simplifies(&program(2)).1, said);
}
