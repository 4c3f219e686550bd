//! Archives: members that are not linked add no kernel.

use std::path::Path;
use std::process::Command;

use harness::run;

use super::{inspect, linkers, plugin, with_offloadc};

/// A module with a kernel, and a function that other modules call.
fn module(name: &str, more: &str, folder: &Path) {
    let text = format!(
        "target triple = \"x86_64-unknown-linux-gnu\"
         declare ptr @__offload_kernel(ptr)
         define internal void @{name}_kernel(ptr %out) {{
           store i32 1, ptr %out
           ret void
         }}
         define ptr @{name}() {{
           %handle = call ptr @__offload_kernel(ptr @{name}_kernel)
           ret ptr %handle
         }}
         {more}"
    );
    let source = folder.join(format!("{name}.ll"));
    std::fs::write(&source, text).expect("the folder is ours");
    run(Command::new(harness::llvm_tool("llvm-as")).arg(&source).arg("-o").arg(folder.join(format!("{name}.o"))))
        .success();
}

/// `main` calls a function of `near`, which calls one of `far`. A common symbol of `main` makes bfd look into the
/// member `common`, which it does not link, and `weak` is referred to weakly only.
fn modules(folder: &Path) {
    let main = "declare ptr @near()
        declare extern_weak ptr @weak()
        @shared = common global i32 0
        define i32 @main() {
          %kernel = call ptr @near()
          %is = icmp eq ptr @weak, null
          %value = load i32, ptr @shared
          %no = select i1 %is, i32 %value, i32 7
          ret i32 %no
        }";
    module("first", main, folder);
    module("near", "declare ptr @far()\ndefine ptr @nearer() {\n  %k = call ptr @far()\n  ret ptr %k\n}", folder);
    module("far", "", folder);
    module("weak", "", folder);
    module("common", "@shared = common global [2 x i32] zeroinitializer", folder);
    module("unused", "declare ptr @beyond()\ndefine ptr @uses() {\n  %k = call ptr @beyond()\n  ret ptr %k\n}", folder);
    module("beyond", "", folder);
    let mut archive = Command::new(harness::llvm_tool("llvm-ar"));
    archive.current_dir(folder).args([
        "rcs",
        "libkernels.a",
        "near.o",
        "far.o",
        "weak.o",
        "common.o",
        "unused.o",
        "beyond.o",
    ]);
    run(&mut archive).success();
}

#[test]
fn members_that_are_not_linked_give_no_kernel() {
    let folder = harness::scratch();
    let here = folder.path();
    modules(here);
    let program = here.join("program");
    for linker in linkers(here) {
        for whole in [false, true] {
            let mut command = with_offloadc(Command::new("cc"));
            command
                .args(&linker.words)
                .arg(format!("-Wl,-plugin,{}", plugin()))
                .arg("-Wl,-plugin-opt=offload-arch=cpu");
            command.arg(here.join("first.o"));
            command.args(whole.then_some("-Wl,--whole-archive")).arg(here.join("libkernels.a"));
            command.args(whole.then_some("-Wl,--no-whole-archive")).arg("-o").arg(&program);
            run(&mut command).success();
            let images = inspect(&program);
            for (name, is_linked) in [
                ("first", true),
                ("near", true),
                ("far", true),
                ("weak", whole),
                ("common", whole),
                ("unused", whole),
                ("beyond", whole),
            ] {
                let has = images.contains(&format!("{name}_kernel"));
                assert_eq!(has, is_linked, "{} whole={whole}: {name}: {images}", linker.name);
            }
            let code = if whole { 7 } else { 0 };
            assert_eq!(run(&mut with_offloadc(Command::new(&program))).code(), code, "{}", linker.name);
        }
    }
}
