//! The cache of the device code that all archs share: the parts of the source that are in its key, and the messages for
//! a program whose device code is in the cache.

use std::fs;
use std::process::Command;

use harness::run;
use tempfile::TempDir;

/// The panic of an index, as rustc names it.
const PANIC: &str = "_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check";

/// The steps that are not done for a module in the cache.
const STEPS: [&str; 3] = ["\"legalize\"", "\"simplify\"", "\"validate\""];

/// A kernel that panics in `line`, with these further instructions, after some host code.
fn panics(host: &str, line: u8, more: &str) -> String {
    format!(
        "target triple = \"x86_64-unknown-linux-gnu\"\n{host}\n\
         @file = private unnamed_addr constant [7 x i8] c\"main.rs\"\n\
         @alloc_{line} = private unnamed_addr constant <{{ ptr, [16 x i8] }}> <{{ ptr @file, [16 x i8] \
         c\"\\07\\00\\00\\00\\00\\00\\00\\00\\{line:02X}\\00\\00\\00\\05\\00\\00\\00\" }}>, align 8\n\
         declare void @{PANIC}(i64, i64, ptr) noreturn\n\
         define ptx_kernel void @get(ptr %out, i64 %i) {{\n\
           %inside = icmp ult i64 %i, 4\n  br i1 %inside, label %good, label %bad\n\
         good:\n  {more}\n  store i32 7, ptr %out\n  ret void\n\
         bad:\n  call void @{PANIC}(i64 %i, i64 4, ptr @alloc_{line})\n  unreachable\n}}\n"
    )
}

/// Reads the line of the location, and stores it.
fn reads_line(line: u8) -> String {
    format!(
        "%field = getelementptr i8, ptr @alloc_{line}, i64 16\n  %line = load i32, ptr %field\n  \
         %next = getelementptr i32, ptr %out, i64 1\n  store i32 %line, ptr %next"
    )
}

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(harness::scratch())
    }

    fn compile(&self, program: &str, options: &[&str]) -> (Vec<u8>, String, String) {
        fs::write(self.0.path().join("in.ll"), program).expect("the folder can be written");
        let mut command = Command::new(harness::offloadc());
        let _ = command.current_dir(self.0.path()).args(["in.ll", "--offload-arch=cpu,gfx90a,sm_80", "-o", "out.o"]);
        let said = run(command.args(options).arg("--time-trace=trace.json")).success().stderr();
        let read = |name: &str| fs::read(self.0.path().join(name)).expect("the file was written");
        (read("out.o"), said, String::from_utf8(read("trace.json")).expect("it is JSON"))
    }

    /// Whether the device code was made again, and the messages. The object is the one without a cache.
    fn makes(&self, program: &str, options: &[&str]) -> (bool, String) {
        let (cached, said, trace) = self.compile(program, &[options, &["--cache-dir=cache"]].concat());
        let (compiled, said_without, _) = self.compile(program, &[options, &["--no-cache"]].concat());
        assert!(cached == compiled, "{options:?}: the cache changes the output");
        assert_eq!(said, said_without, "{options:?}: the cache changes what is said");
        let done = STEPS.map(|step| trace.contains(step));
        assert!(done == [done[0]; 3], "{options:?}: all steps are done, or none: {done:?}");
        (done[0], said)
    }
}

#[test]
fn host_code_and_the_lines_of_panics_are_not_in_the_key() {
    let place = Place::new();
    assert!(place.makes(&panics("", 12, ""), &[]).0);
    assert!(!place.makes(&panics("", 12, ""), &[]).0, "nothing changed");
    assert!(!place.makes(&panics("define void @host() {\n  ret void\n}", 12, ""), &[]).0, "the host changed");
    assert!(!place.makes(&panics("", 13, ""), &[]).0, "the line of the panic changed");
    assert!(place.makes(&panics("", 13, "store i32 8, ptr %out"), &[]).0, "the kernel changed");
    for mode in ["trap", "unreachable"] {
        let option = format!("--device-panic={mode}");
        assert!(place.makes(&panics("", 12, ""), &[&option]).0, "{option} decides the code");
        assert!(!place.makes(&panics("", 13, ""), &[&option]).0);
    }
}

#[test]
fn lines_that_a_kernel_reads_are_in_the_key() {
    for options in [&[][..], &["-O0"], &["--device-panic=trap"]] {
        let place = Place::new();
        for (line, makes) in [(12, true), (12, false), (13, true), (13, false), (12, false)] {
            let program = panics("", line, &reads_line(line));
            assert_eq!(place.makes(&program, options).0, makes, "{options:?}, line {line}");
        }
    }
}

/// The kernel, whose panic is in a library, from this line of the user's.
fn panics_in_library(line: u8) -> String {
    let program = panics("", 12, "").replace("c\"main.rs\"", "c\"/lib.rs\"").replace("i64 %i) {", "i64 %i) !dbg !4 {");
    let program = program.replace("ptr @alloc_12)\n", "ptr @alloc_12), !dbg !6\n");
    let described = [
        "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1}".to_owned(),
        "!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: LineTablesOnly)".to_owned(),
        "!1 = !{i32 2, !\"Debug Info Version\", i32 3}".to_owned(),
        "!2 = !DIFile(filename: \"main.rs\", directory: \"/app\")".to_owned(),
        "!3 = !DIFile(filename: \"/lib.rs\", directory: \"\")".to_owned(),
        "!4 = distinct !DISubprogram(name: \"get\", file: !2, type: !8, unit: !0, spFlags: DISPFlagDefinition)"
            .to_owned(),
        "!5 = distinct !DISubprogram(name: \"at\", file: !3, type: !8, unit: !0, spFlags: DISPFlagDefinition)"
            .to_owned(),
        "!6 = !DILocation(line: 12, column: 5, scope: !5, inlinedAt: !7)".to_owned(),
        format!(
            "!7 = distinct !DILocation(line: {line}, column: 9, scope: !4)\n!8 = !DISubroutineType(types: !{{}})\n"
        ),
    ];
    program + &described.join("\n")
}

/// They are part of the place of a panic in a library, and the code is that of a panic in the user's own line.
#[test]
fn lines_that_lead_to_a_panic_in_a_library_are_in_the_key() {
    let place = Place::new();
    for (line, makes) in [(7, true), (7, false), (8, true), (8, false), (7, false)] {
        let program = panics_in_library(line);
        assert_eq!(place.makes(&program, &[]).0, makes, "line {line}");
        let own = program.replace("c\"/lib.rs\"", "c\"main.rs\"");
        assert_eq!(place.makes(&own, &["-j1"]).0, makes && line == 7, "the panic is in the user's line {line}");
    }
    assert!(place.makes(&panics("", 12, ""), &[]).0, "a module without lines has other places");
}

#[test]
fn options_and_archs_are_in_the_key() {
    let place = Place::new();
    let program = panics("", 12, "");
    assert!(place.makes(&program, &[]).0);
    let deciding: [&[&str]; 5] =
        [&["-O1"], &["--runtime=none"], &["--offload-arch=gfx1100"], &["--device-stack=4096"], &["--fast-math"]];
    for options in deciding {
        assert!(place.makes(&program, options).0, "{options:?} decides the code, or whether it is refused");
        assert!(!place.makes(&program, options).0, "{options:?}");
    }
    for options in [&["-j1"][..], &["--parts=1"], &["-w"], &["--color=always"]] {
        assert!(!place.makes(&program, options).0, "{options:?} does not decide the code");
    }
}

#[test]
fn what_is_shown_is_made() {
    let place = Place::new();
    let program = panics("", 12, "");
    let _ = place.makes(&program, &[]);
    for option in ["--emit=simplify=shown", "--print-after=lower_panics", "--verify-each", "--save-temps"] {
        let (_, _, trace) = place.compile(&program, &[option, "--cache-dir=cache"]);
        assert!(STEPS.iter().all(|step| trace.contains(step)), "{option}");
    }
}

/// A warning that was hidden when the code was made is shown later, and every time.
#[test]
fn a_program_with_a_warning_is_checked_each_time() {
    let place = Place::new();
    let program = panics(
        "@count = global i32 0",
        12,
        "%c = load i32, ptr @count\n  %d = add i32 %c, 1\n  store i32 %d, ptr @count",
    );
    for options in [&["-w"][..], &["-w"], &[], &[]] {
        let (made, said) = place.makes(&program, options);
        assert!(made, "{options:?}");
        assert_eq!(said.contains("separate copy"), options.is_empty(), "{options:?}: {said}");
    }
}

/// The place of an operation with a mask is that of its debug information, and the code contains its number.
#[test]
fn places_of_masks_are_in_the_key() {
    let place = Place::new();
    let program = |subprogram: &str, location: &str| {
        format!(
            "target triple = \"x86_64-unknown-linux-gnu\"\ndeclare i64 @__offload_ballot_sync(i64, i1)\n\
             define ptx_kernel void @get(ptr %out, i64 %m) {subprogram} {{\n  \
             %b = call i64 @__offload_ballot_sync(i64 %m, i1 true){location}\n  store i64 %b, ptr %out\n  \
             ret void\n}}\n\
             !llvm.module.flags = !{{!0}}\n!0 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n\
             !llvm.dbg.cu = !{{!1}}\n\
             !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)\n\
             !2 = !DIFile(filename: \"main.c\", directory: \"/src\")\n!5 = !DISubroutineType(types: !{{null}})\n\
             !6 = distinct !DISubprogram(name: \"get\", scope: !2, file: !2, line: 5, type: !5, \
             spFlags: DISPFlagDefinition, unit: !1)\n!9 = !DILocation(line: 7, column: 3, scope: !6)\n"
        )
    };
    assert!(place.makes(&program("", ""), &[]).0);
    assert!(!place.makes(&program("", ""), &[]).0);
    assert!(place.makes(&program("!dbg !6", ", !dbg !9"), &[]).0, "the call has a place now");
}
