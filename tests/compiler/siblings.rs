//! Modules of a link that mark no kernel: only functions that kernels reach are taken out of them.

use std::path::Path;
use std::process::Command;

use harness::run;

/// Links the modules and a C program, in which `launch` returns the number that a kernel stores, with `offloadc-ld`.
fn link(folder: &Path, modules: &[&str], main: &str) -> harness::Outcome {
    link_with(folder, modules, main, "")
}

/// The same with an option.
fn link_with(folder: &Path, modules: &[&str], main: &str, option: &str) -> harness::Outcome {
    link_between(folder, modules, main, option, [&[], &[]])
}

/// The same with words of the command line before and after the objects.
fn link_between(
    folder: &Path,
    modules: &[&str],
    main: &str,
    option: &str,
    [before, after]: [&[&str]; 2],
) -> harness::Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_offloadc-ld"));
    command.args(before);
    for (number, text) in modules.iter().enumerate() {
        let (source, object) = (folder.join(format!("{number}.ll")), folder.join(format!("{number}.o")));
        std::fs::write(&source, format!("target triple = \"x86_64-unknown-linux-gnu\"\n{text}\n")).expect("it is ours");
        run(Command::new(harness::llvm_tool("llvm-as")).arg(&source).arg("-o").arg(&object)).success();
        command.arg(object);
    }
    let text = format!(
        "#include \"offloadrt.h\"\n#include <stdio.h>\n\
        const struct offload_kernel *handle(void);\n\
        static int launch(void) {{\n\
          offloadrt_device *device; void *memory; int value = 0;\n\
          offloadrt_launch_config one = {{sizeof one, OFFLOADRT_LAUNCH_VERSION, {{1, 1, 1}}, {{1, 1, 1}}, 0, 0, 0, 0}};\n\
          offloadrt_argument out = {{&memory, sizeof memory}};\n\
          if (offloadrt_device_open(\"cpu\", &device) || offloadrt_allocate(device, 4, &memory) ||\n\
              offloadrt_launch(device, 0, handle(), &one, &out, 1) ||\n\
              offloadrt_copy_to_host(device, 0, &value, memory, 4)) return -1;\n\
          return value;\n}}\n{main}\n"
    );
    let (source, object) = (folder.join("main.c"), folder.join("main.o"));
    std::fs::write(&source, text).expect("the folder is ours");
    let include = format!("-I{}", harness::root().join("runtime-c").display());
    run(Command::new("cc").arg(include).arg("-c").arg(source).arg("-o").arg(&object)).success();
    command.env("OFFLOADC_LINK_OPTIONS", format!("--offload-arch=cpu\u{1f}{option}")).arg(object);
    run(command.args(after).arg("-o").arg(folder.join("program")))
}

/// The output of the linked program.
fn output(folder: &Path) -> String {
    run(&mut Command::new(folder.join("program"))).success().stdout()
}

const PRINTED: &str = "int main(void) { printf(\"%d\\n\", launch()); }";

/// The second function of a module is found to be needed only after the first one has been taken.
#[test]
fn functions_that_are_needed_at_different_times_share_a_static() {
    let marks = "declare ptr @__offload_kernel(ptr)
        declare void @first()
        declare i32 @later()
        define void @kernel(ptr %out) {
          call void @first()
          %value = call i32 @later()
          store i32 %value, ptr %out
          ret void
        }
        define ptr @handle() {
          %handle = call ptr @__offload_kernel(ptr @kernel)
          ret ptr %handle
        }";
    let state = "@kept = internal global i32 1, section \".offload.static\"
        define void @first() {
          store i32 5, ptr @kept
          ret void
        }
        define i32 @second() {
          %value = load i32, ptr @kept
          ret i32 %value
        }";
    let later = "declare i32 @second()
        define i32 @later() {
          %value = call i32 @second()
          ret i32 %value
        }";
    let folder = harness::scratch();
    link(folder.path(), &[marks, state, later], PRINTED).success();
    assert_eq!(output(folder.path()), "5\n");
}

/// LLVM makes declarations of the types in a part of a module, unless it is told not to.
#[test]
fn types_in_the_debug_information_of_a_function_are_whole() {
    let marks = "declare ptr @__offload_kernel(ptr)
        declare void @first()
        define void @kernel(ptr %out) {
          call void @first()
          store i32 1, ptr %out
          ret void
        }
        define ptr @handle() {
          %handle = call ptr @__offload_kernel(ptr @kernel)
          ret ptr %handle
        }";
    let traced = |name: &str| {
        format!(
            "define void @{name}() !dbg !3 {{
              %local = alloca i32
              #dbg_declare(ptr %local, !9, !DIExpression(), !10)
              ret void, !dbg !10
            }}
            define void @unused() !dbg !12 {{
              ret void
            }}
            !llvm.dbg.cu = !{{!0}}
            !llvm.module.flags = !{{!2}}
            !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
            !1 = !DIFile(filename: \"a.rs\", directory: \"/\")
            !2 = !{{i32 2, !\"Debug Info Version\", i32 3}}
            !3 = distinct !DISubprogram(name: \"{name}\", scope: !1, file: !1, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !0)
            !4 = !DISubroutineType(types: !5)
            !5 = !{{null}}
            !6 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Kept\", file: !1, size: 32, elements: !7, identifier: \"kept\")
            !7 = !{{!8}}
            !8 = !DIDerivedType(tag: DW_TAG_member, name: \"of_kept\", scope: !6, file: !1, baseType: !11, size: 32)
            !9 = !DILocalVariable(name: \"local\", scope: !3, file: !1, line: 1, type: !6)
            !10 = !DILocation(line: 1, scope: !3)
            !11 = !DIBasicType(name: \"i32\", size: 32, encoding: DW_ATE_signed)
            !12 = distinct !DISubprogram(name: \"unused\", scope: !1, file: !1, line: 2, type: !4, spFlags: DISPFlagDefinition, unit: !0)"
        )
    };
    let folder = harness::scratch();
    let temps = format!("--offloadc=--save-temps={}", folder.path().join("temps").display());
    link_with(folder.path(), &[marks, &traced("first")], PRINTED, &temps).success();
    let text = std::fs::read_to_string(folder.path().join("temps/program.read.ll")).expect("it was asked for");
    assert!(text.contains("name: \"of_kept\"") && !text.contains("DIFlagFwdDecl"), "{text}");
    assert!(!text.contains("\"unused\""), "{text}");
}

const KERNEL: &str = "declare ptr @__offload_kernel(ptr)
    define void @kernel(ptr %out) {
      store i32 3, ptr %out
      ret void
    }
    define ptr @handle() {
      %handle = call ptr @__offload_kernel(ptr @kernel)
      ret ptr %handle
    }";

#[test]
fn a_module_that_no_kernel_reaches_may_not_use_the_contract_wrongly() {
    let declared = "declare i64 @__offload_thread_id_x()
        define i64 @unused() {
          %id = call i64 @__offload_thread_id_x()
          ret i64 %id
        }";
    let folder = harness::scratch();
    let error = link(folder.path(), &[KERNEL, declared], PRINTED).stderr();
    assert!(error.contains("`__offload_thread_id_x` is declared as `i64 ()`"), "{error}");
    let right = declared.replace("i64", "i32");
    link(folder.path(), &[KERNEL, &right], PRINTED).success();
    assert_eq!(output(folder.path()), "3\n");
}

#[test]
fn a_mark_of_a_host_function_that_no_kernel_reaches_is_its_address() {
    let marked = |function: &str| {
        format!(
            "declare i64 @__offload_host_function(ptr)
            @other = external global ptr
            define i32 @called(ptr %a, ptr %b, ptr %c, i64 %d) {{
              ret i32 4
            }}
            define i64 @address() {{
              %loaded = load ptr, ptr @other
              %address = call i64 @__offload_host_function(ptr {function})
              ret i64 %address
            }}"
        )
    };
    let main = "unsigned long address(void); int called(void *, void *, void *, unsigned long); void *other;\n\
        int main(void) { printf(\"%d %d\\n\", launch(), address() == (unsigned long)&called); }";
    let folder = harness::scratch();
    link(folder.path(), &[KERNEL, &marked("@called")], main).success();
    assert_eq!(output(folder.path()), "3 1\n");
    let error = link(folder.path(), &[KERNEL, &marked("%loaded")], main).stderr();
    assert!(error.contains("`__offload_host_function` in `address` needs a function"), "{error}");
}

/// Nothing names the last module, and its constructor runs.
#[test]
fn each_of_many_modules_is_in_the_program() {
    let started = "@started = external global i32
        @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 9, ptr @start, ptr null }]
        define internal void @start() {
          store i32 8, ptr @started
          ret void
        }";
    let others: Vec<_> = (0..20).map(|number| format!("define i32 @n{number}() {{\n  ret i32 {number}\n}}")).collect();
    let modules = [KERNEL].into_iter().chain(others.iter().map(String::as_str)).chain([started]);
    let main = "int started; int n19(void); int main(void) { printf(\"%d %d %d\\n\", launch(), started, n19()); }";
    let folder = harness::scratch();
    link(folder.path(), &modules.collect::<Vec<_>>(), main).success();
    assert_eq!(output(folder.path()), "3 8 19\n");
}

/// All of an archive after the modules is linked, too, because the option before them is about both.
#[test]
fn options_around_many_modules_stay() {
    let others: Vec<_> = (0..20).map(|number| format!("define i32 @n{number}() {{\n  ret i32 {number}\n}}")).collect();
    let modules: Vec<_> = [KERNEL].into_iter().chain(others.iter().map(String::as_str)).collect();
    let main = "int started; int main(void) { printf(\"%d %d\\n\", launch(), started); }";
    let folder = harness::scratch();
    let at = |name: &str| folder.path().join(name);
    let start = "extern int started; __attribute__((constructor)) static void start(void) { started = 5; }";
    std::fs::write(at("start.c"), start).expect("the folder is ours");
    run(Command::new("cc").arg("-c").arg(at("start.c")).arg("-o").arg(at("start.o"))).success();
    run(Command::new("ar").arg("rc").arg(at("libstart.a")).arg(at("start.o"))).success();
    let library = at("libstart.a").display().to_string();
    let after = [&library[..], "-Wl,--no-whole-archive"];
    link_between(folder.path(), &modules, main, "", [&["-Wl,--whole-archive"], &after]).success();
    assert_eq!(output(folder.path()), "3 5\n");
}
