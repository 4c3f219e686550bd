//! Linking the output of offloadc: four linkers, merged and removed sections, shared objects, several objects.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::program::{compile, runtime_libraries};
use harness::run;

/// The output of `tests/run/constructors.ll` and `second.ll` if everything is registered.
const REGISTERED: &str = "first_kernel left_kernel own constructor: runs right_kernel";

/// Compiles an input of `tests/run/` in `folder`.
fn object(name: &str, folder: &Path, options: &[&str]) -> PathBuf {
    let output = folder.join(name).with_extension("o");
    compile(&harness::root().join("tests/run").join(name), &output, options).success();
    output
}

/// The driver's arguments for a linker. LLVM's is found only by the name that it has in its own folder.
fn linker_arguments(linker: &str) -> Vec<String> {
    vec![format!("-B{}", harness::llvm_bin().display()), format!("-fuse-ld={linker}")]
}

/// Links two objects and the runtime, runs the program, and returns its output lines, sorted.
fn lines_with(linker: &str, options: &[&str]) -> String {
    let folder = harness::scratch();
    let program = folder.path().join("program");
    let objects = [object("constructors.ll", folder.path(), &[]), object("second.ll", folder.path(), &[])];
    let mut command = Command::new("cc");
    command.args(linker_arguments(linker)).args(options).args(objects).args(runtime_libraries("offloadrt"));
    run(command.arg("-o").arg(&program)).success();
    sorted(&run(&mut Command::new(&program)).success().stdout())
}

fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort();
    lines.join(" ")
}

#[test]
fn bfd() {
    assert_eq!(lines_with("bfd", &[]), REGISTERED);
    assert_eq!(lines_with("bfd", &["-Wl,--gc-sections", "-no-pie"]), REGISTERED);
}

#[test]
fn gold() {
    assert_eq!(lines_with("gold", &[]), REGISTERED);
    assert_eq!(lines_with("gold", &["-Wl,--gc-sections", "-Wl,--icf=all"]), REGISTERED);
}

#[test]
fn mold() {
    assert_eq!(lines_with("mold", &[]), REGISTERED);
    assert_eq!(lines_with("mold", &["-Wl,--gc-sections", "-Wl,--icf=all"]), REGISTERED);
}

#[test]
fn lld() {
    assert_eq!(lines_with("lld", &[]), REGISTERED);
    assert_eq!(lines_with("lld", &["-Wl,--gc-sections", "-Wl,--icf=all", "-pie"]), REGISTERED);
}

#[test]
fn kernels_of_a_shared_object_are_registered_when_it_is_loaded() {
    for linker in ["bfd", "gold", "mold", "lld"] {
        let folder = harness::scratch();
        let (library, program) = (folder.path().join("libsecond.so"), folder.path().join("program"));
        let second = object("second.ll", folder.path(), &[]);
        let main = object("constructors.ll", folder.path(), &[]);
        // Both use one runtime, the shared one.
        let runtime = harness::runtime_dir();
        let search = [format!("-L{}", runtime.display()), format!("-Wl,-rpath,{}", runtime.display())];
        let mut command = Command::new("cc");
        command.args(linker_arguments(linker)).arg("-shared").arg(&second).args(&search).arg("-loffloadrt");
        run(command.arg("-o").arg(&library)).success();
        let mut command = Command::new("cc");
        command.args(linker_arguments(linker)).arg("-Wl,--no-as-needed").arg(&main).arg(&library).args(&search);
        run(command.arg("-loffloadrt").arg("-o").arg(&program)).success();
        assert_eq!(sorted(&run(&mut Command::new(&program)).success().stdout()), REGISTERED, "{linker}");
    }
}

#[test]
fn several_inputs_become_one_object() {
    let folder = harness::scratch();
    let (output, program) = (folder.path().join("both.o"), folder.path().join("program"));
    let sources = harness::root().join("tests/run");
    let mut command = Command::new(harness::offloadc());
    command.arg(sources.join("constructors.ll")).arg(sources.join("second.ll")).arg("-o").arg(&output);
    run(&mut command).success();
    let mut command = Command::new("cc");
    run(command.arg(&output).args(runtime_libraries("offloadrt")).arg("-o").arg(&program)).success();
    assert_eq!(sorted(&run(&mut Command::new(&program)).success().stdout()), REGISTERED);
}

#[test]
fn without_kernels_there_is_nothing_of_ours() {
    let folder = harness::scratch();
    let input = folder.path().join("plain.ll");
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\ndefine i32 @main() {\n  ret i32 7\n}\n";
    std::fs::write(&input, text).expect("the folder can be written");
    let output = folder.path().join("plain.o");
    let outcome = compile(&input, &output, &[]).success();
    assert!(outcome.stderr().contains("warning"), "no warning: {}", outcome.report());
    let sections = run(Command::new(harness::llvm_tool("llvm-readobj")).args(["--sections", "--symbols"]).arg(&output));
    let text = harness::without_folders(&sections.success().stdout());
    assert!(!text.contains("offload") && !text.contains(".init_array"), "{text}");
    let program = folder.path().join("plain");
    run(Command::new("cc").arg(&output).arg("-o").arg(&program)).success();
    assert_eq!(run(&mut Command::new(&program)).code(), 7);
}

#[test]
fn nothing_is_undefined_with_any_runtime() {
    for runtime in ["offloadrt", "omptarget", "none"] {
        let folder = harness::scratch();
        let object = object("second.ll", folder.path(), &[&format!("--runtime={runtime}")]);
        let symbols = run(Command::new(harness::llvm_tool("llvm-nm")).arg("--undefined-only").arg(&object));
        let symbols = symbols.success().stdout();
        assert!(!symbols.contains("__offload_"), "{runtime}: {symbols}");
    }
}

/// Functions with the same name in two modules, each with its own kernel: linking the modules renames one of them, but
/// host code is compiled from the original modules.
#[test]
fn a_marker_gives_its_own_modules_kernel() {
    let folder = harness::scratch();
    let module = |export: &str, value: u32| {
        let text = format!(
            "target triple = \"x86_64-unknown-linux-gnu\"\ndeclare ptr @__offload_kernel(ptr)\n\
             define internal void @kernel(ptr %out) {{\n  store i32 {value}, ptr %out\n  ret void\n}}\n\
             define internal ptr @handle() noinline {{\n  %h = call ptr @__offload_kernel(ptr @kernel)\n  ret ptr %h\n}}\n\
             define ptr @{export}() {{\n  %h = call ptr @handle()\n  ret ptr %h\n}}\n"
        );
        let path = folder.path().join(format!("{export}.ll"));
        std::fs::write(&path, text).expect("the folder is ours");
        path
    };
    let (first, second) = (module("first", 1), module("second", 2));
    let both = folder.path().join("both.o");
    compile(&first, &both, &[second.to_str().expect("the path is text")]).success();
    let source = main_of(&["first", "second"], folder.path());
    let program = folder.path().join("program");
    let mut command = Command::new("cc");
    command.arg(include_runtime()).arg(&source).arg(&both);
    run(command.args(runtime_libraries("offloadrt")).arg("-o").arg(&program)).success();
    assert_eq!(run(&mut Command::new(&program)).success().stdout(), "1 2 \n");
}

/// A C program that launches the kernels whose handles these functions return. It prints the value that each stores to
/// its argument.
fn main_of(handles: &[&str], folder: &Path) -> PathBuf {
    let declared: String = handles.iter().map(|name| format!("const struct offload_kernel *{name}(void);\n")).collect();
    let printed: String = handles.iter().map(|name| format!("printf(\"%d \", run({name}()));\n")).collect();
    let text = format!(
        "#include \"offloadrt.h\"\n#include <stdio.h>\n{declared}\
        static int run(const struct offload_kernel *kernel) {{\n\
          offloadrt_device *device; void *memory; int value = 0;\n\
          offloadrt_launch_config one = {{sizeof one, OFFLOADRT_LAUNCH_VERSION, {{1, 1, 1}}, {{1, 1, 1}}, 0, 0, 0, 0}};\n\
          offloadrt_argument out = {{&memory, sizeof memory}};\n\
          if (offloadrt_device_open(\"cpu\", &device) || offloadrt_allocate(device, 4, &memory) ||\n\
              offloadrt_launch(device, 0, kernel, &one, &out, 1) ||\n\
              offloadrt_copy_to_host(device, 0, &value, memory, 4)) return -1;\n\
          return value;\n}}\n\
        int main(void) {{\n{printed}puts(\"\");\n}}\n"
    );
    let source = folder.join("main.c");
    std::fs::write(&source, text).expect("the folder is ours");
    source
}

fn include_runtime() -> String {
    format!("-I{}", harness::root().join("runtime-c").display())
}

/// Modules of one crate, of which the first names the contract. The kernels, the functions that they call, and
/// the functions that return a kernel and a kernel's name are elsewhere, and a kernel calls back into the first
/// module. `unused` and `other` are reached by no kernel, and are not linked with them.
const MODULES: [(&str, &str); 7] = [
    (
        "marks",
        "declare ptr @__offload_kernel(ptr)
         declare i64 @__offload_function(ptr)
         declare ptr @__offload_function_pointer(i64)
         declare void @kernel(ptr)
         declare ptr @chosen()
         declare i32 @passed()
         declare ptr @__offload_kernel_named(ptr, i64, i64, ptr)
         declare { ptr, i64 } @name()
         define internal void @entry(ptr %arguments) {
           ret void
         }
         define ptr @named() {
           %handle = call ptr @__offload_kernel_named(ptr @entry, i64 8, i64 8, ptr @name)
           ret ptr %handle
         }
         define i32 @back() {
           ret i32 30
         }
         define void @calls_passed(ptr %out) {
           %number = call i64 @__offload_function(ptr @passed)
           %function = call ptr @__offload_function_pointer(i64 %number)
           %value = call i32 %function()
           store i32 %value, ptr %out
           ret void
         }
         define ptr @direct() {
           %handle = call ptr @__offload_kernel(ptr @kernel)
           ret ptr %handle
         }
         define ptr @computed() {
           %function = call ptr @chosen()
           %handle = call ptr @__offload_kernel(ptr %function)
           ret ptr %handle
         }
         define ptr @by_number() {
           %handle = call ptr @__offload_kernel(ptr @calls_passed)
           ret ptr %handle
         }",
    ),
    (
        "kernel",
        "declare i32 @twice()
         define void @kernel(ptr %out) {
           %value = call i32 @twice()
           store i32 %value, ptr %out
           ret void
         }",
    ),
    (
        "twice",
        "declare i32 @back()
         define i32 @twice() {
           %value = call i32 @back()
           %twice = mul i32 %value, 2
           ret i32 %twice
         }
         define i32 @other() {
           ret i32 9
         }",
    ),
    (
        "chosen",
        "define internal void @kernel(ptr %out) {
           store i32 7, ptr %out
           ret void
         }
         define ptr @chosen() {
           ret ptr @kernel
         }",
    ),
    (
        "name",
        "@text = private constant [10 x i8] c\"app::saxpy\"
         define { ptr, i64 } @name() {
           ret { ptr, i64 } { ptr @text, i64 10 }
         }",
    ),
    ("passed", "define i32 @passed() {\n  ret i32 5\n}"),
    ("unused", "define i32 @unused() {\n  ret i32 1\n}"),
];

#[test]
fn what_kernels_reach_may_be_in_modules_that_do_not_name_the_contract() {
    let folder = harness::scratch();
    let object = |(name, text): &(&str, &str)| {
        let (source, object) = (folder.path().join(format!("{name}.ll")), folder.path().join(format!("{name}.o")));
        std::fs::write(&source, format!("target triple = \"x86_64-unknown-linux-gnu\"\n{text}\n")).expect("it is ours");
        run(Command::new(harness::llvm_tool("llvm-as")).arg(&source).arg("-o").arg(&object)).success();
        object
    };
    let link = |modules: &[(&str, &str)], handles: &[&str]| {
        let main = folder.path().join("main.o");
        let source = main_of(handles, folder.path());
        run(Command::new("cc").arg(include_runtime()).arg("-c").arg(source).arg("-o").arg(&main)).success();
        let program = folder.path().join("program");
        let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc-ld"));
        let temps = folder.path().join("temps");
        let save = format!("--offload-arch=cpu\u{1f}--offloadc=--save-temps={}", temps.display());
        command.env("OFFLOADC_LINK_OPTIONS", save);
        run(command.args(modules.iter().map(object)).arg(main).arg("-o").arg(&program)).success();
        let text = std::fs::read_to_string(temps.join("program.read.ll")).expect("the linked module was asked for");
        let defined = ["kernel", "twice", "passed", "other", "unused"].map(|name| {
            let start = format!(" @{name}(");
            text.lines().any(|line| line.starts_with("define") && line.contains(&start))
        });
        let inspected = run(Command::new(harness::offloadc()).arg("inspect").arg(&program)).success().stdout();
        assert!(inspected.contains("app::saxpy"), "{inspected}");
        (run(&mut Command::new(&program)).success().stdout(), defined)
    };
    let without = |name: &str| MODULES.into_iter().filter(|(module, _)| *module != name).collect::<Vec<_>>();
    // It is not clear which kernel `computed` marks until all modules are linked.
    assert_eq!(link(&MODULES, &["direct", "computed", "by_number"]), ("60 7 5 \n".to_owned(), [true; 5]));
    let direct: Vec<_> = without("chosen").iter().map(|(name, text)| (*name, without_computed(text))).collect();
    let direct: Vec<_> = direct.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let needed = [true, true, true, false, false];
    assert_eq!(link(&direct, &["direct", "by_number"]), ("60 5 \n".to_owned(), needed));
}

/// A section's name is not among the bytes of bitcode, and no other part of this module shows that it has a kernel.
#[test]
fn a_module_that_only_names_a_section_of_the_contract_has_kernels() {
    let folder = harness::scratch();
    let (source, object) = (folder.path().join("listed.ll"), folder.path().join("listed.o"));
    let text = "target triple = \"x86_64-unknown-linux-gnu\"
        @list = constant ptr @listed, section \".offload.kernels\"
        define internal void @listed(ptr %out) {
          store i32 1, ptr %out
          ret void
        }
        define i32 @main() {
          ret i32 0
        }";
    std::fs::write(&source, text).expect("the folder is ours");
    run(Command::new(harness::llvm_tool("llvm-as")).arg(&source).arg("-o").arg(&object)).success();
    let program = folder.path().join("program");
    let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc-ld"));
    command.env("OFFLOADC_LINK_OPTIONS", "--offload-arch=cpu").arg(&object).arg("-o").arg(&program);
    run(&mut command).success();
    let inspected = run(Command::new(harness::offloadc()).arg("inspect").arg(&program)).success().stdout();
    assert!(inspected.contains("listed"), "{inspected}");
}

/// The module without its function `computed`.
fn without_computed(text: &str) -> String {
    match (text.find("define ptr @computed"), text.find("define ptr @by_number")) {
        (Some(start), Some(end)) => format!("{}{}", &text[..start], &text[end..]),
        _ => text.to_owned(),
    }
}

/// Writes a runtime library with another name in the place of the symbol that has its version.
fn doctored_runtime(folder: &Path, symbol: &[u8]) {
    const VERSION: &[u8] = b"offloadrt_interface_version_3";
    let mut library = std::fs::read(harness::runtime_dir().join("liboffloadrt.a")).expect("the runtime is built");
    let places: Vec<_> = library.windows(VERSION.len()).enumerate().filter(|(_, w)| *w == VERSION).collect();
    let places: Vec<_> = places.into_iter().map(|(at, _)| at).collect();
    assert!(places.len() >= 2, "the index and a member name the version");
    for at in places {
        library[at..at + VERSION.len()].copy_from_slice(symbol);
    }
    std::fs::write(folder.join("liboffloadrt.a"), library).expect("the folder is ours");
}

#[test]
fn a_runtime_of_another_version_is_refused() {
    let folder = harness::scratch();
    let here = folder.path();
    let source = harness::root().join("tests/run/constructors.ll");
    let bitcode = here.join("program.bc");
    run(Command::new(harness::llvm_tool("llvm-as")).arg(source).arg("-o").arg(&bitcode)).success();
    let offloadc = || {
        let mut command = Command::new(harness::offloadc());
        command.arg(&bitcode).args(["--offload-arch=cpu", "--emit=exe", "-o"]).arg(here.join("program"));
        command
    };
    let linker = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc-ld"));
        command.arg(&bitcode).args(["--offload-arch=cpu", "-o"]).arg(here.join("program"));
        command
    };
    let library = format!("`{}/liboffloadrt.a`", here.canonicalize().expect("the folder is ours").display());
    let ours = "and this offloadc has version 3: build the library with `make runtime`, or reinstall offloadc with its runtime";
    let other = "has version 9 of the interface to the runtime";
    let none = "does not say its version of the interface to the runtime";
    for (symbol, theirs) in [(&b"offloadrt_interface_version_9"[..], other), (b"offloadrt_interface_versions2", none)] {
        doctored_runtime(here, symbol);
        for mut command in [offloadc(), linker()] {
            let outcome = run(command.env("OFFLOADC_RUNTIME_DIR", here));
            assert_eq!(outcome.code(), 1, "{}", outcome.report());
            let expected = format!("{library} {theirs}, {ours}");
            assert!(outcome.stderr().contains(&expected), "{}", outcome.report());
            assert!(!here.join("program").exists(), "{}", outcome.report());
        }
    }
}

#[test]
fn a_damaged_object_in_a_library_is_an_error_of_the_library() {
    let folder = harness::scratch();
    let here = folder.path();
    let source = harness::root().join("tests/run/constructors.ll").display().to_string();
    let script = format!("set -e; llvm-as '{source}' -o program.bc; echo 'int x;' >x.c; cc -c x.c -o x.o");
    let shell = |script: &str| {
        let path = harness::search_path(&[]);
        run(Command::new("bash").args(["-c", script]).current_dir(here).env("PATH", path)).success();
    };
    shell(&script);
    let mut object = std::fs::read(here.join("x.o")).expect("the compiler writes an object");
    // The offset of the symbol table's section.
    const FIRST_SECTION: usize = 0x28;
    const SECTION_SIZE: usize = 64;
    let first = usize::from_le_bytes(object[FIRST_SECTION..][..8].try_into().expect("eight bytes"));
    const SYMBOLS: [u8; 4] = 2u32.to_le_bytes();
    let is_symbols = |start: &usize| object[start + 4..].starts_with(&SYMBOLS);
    let symbols = (first..object.len()).step_by(SECTION_SIZE).find(is_symbols).expect("an object has symbols");
    object[symbols + 0x18 + 2] = 0x77;
    std::fs::write(here.join("x.o"), object).expect("the folder is ours");
    shell("llvm-ar rcS library.a program.bc x.o");
    let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc-ld"));
    let refused = run(command.args(["-shared", "library.a", "-o", "out"]).current_dir(here));
    let says = refused.stderr();
    assert!(refused.code() == 1 && says.contains("copying the members of `library.a`"), "{}", refused.report());
    assert!(!here.join("out").exists(), "nothing is linked");
}
