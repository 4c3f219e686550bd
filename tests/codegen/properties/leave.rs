//! How devices end a thread: how a target implements the calls of `__offload_leave` that a pass has left.
//!
//! On the host, `__offload_leave` ends the thread at once, wherever it is called. A device that cannot do that shows
//! whether a pass has prepared the module for it.

use std::path::Path;
use std::process::Command;

const LEAVE: &str = "  call void @__offload_leave()";
const BARRIER: &str = "  call void @_Z22__spirv_ControlBarrierjjj(";

/// Functions return instead of ending their thread. Kernels end it.
pub(super) fn return_from_functions(text: &str) -> String {
    let (mut lines, mut result) = (text.lines(), None);
    let mut all = String::new();
    while let Some(line) = lines.next() {
        if let Some(of_function) = result_of(line) {
            result = of_function;
        }
        match result {
            Some(ty) if line.starts_with(LEAVE) => {
                assert_eq!(lines.next(), Some("  unreachable"), "a thread goes on after it has left");
                let value = if ty == "void" { "" } else { " zeroinitializer" };
                all += &format!("  ret {ty}{value}\n");
            }
            _ => all += &format!("{line}\n"),
        }
    }
    all
}

/// The type that a function returns, if a line is the start of a definition; nothing in it for a kernel.
fn result_of(line: &str) -> Option<Option<&str>> {
    let (before, name) = line.strip_prefix("define ")?.split_once(" @")?;
    let is_kernel = name
        .strip_prefix('k')
        .and_then(|rest| rest.split_once('('))
        .is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let words = ["internal ", "private ", "dso_local ", "fastcc ", "spir_func "];
    let ty = words.iter().fold(before, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    Some((!is_kernel).then_some(ty))
}

/// A thread that has left a kernel goes on after one of the kernel's barriers, with the current contents of local
/// memory. If it leaves again, it ends. All values are in memory, so that code after a barrier finds some.
pub(super) fn resume_after_barriers(text: &str, folder: &Path) -> String {
    // Without phis, which name blocks, blocks can be split.
    let split = by_function(&in_memory(text, folder), split_at_barriers);
    by_function(&in_memory(&split, folder), resume_at_exits) + "declare i32 @properties_resume(i32)\n"
}

/// The module with all values that several blocks use in memory.
fn in_memory(text: &str, folder: &Path) -> String {
    let file = folder.join("resumed.ll");
    std::fs::write(&file, text).expect("the folder can be written");
    let mut opt = Command::new(harness::llvm_tool("opt"));
    harness::run(opt.args(["-S", "-passes=reg2mem"]).arg(file)).success().stdout()
}

fn by_function(text: &str, change: fn(&str) -> String) -> String {
    text.split_inclusive("\n}\n").map(change).collect()
}

/// Has a block start after each barrier of a function.
fn split_at_barriers(text: &str) -> String {
    let (mut all, mut number) = (String::new(), 0);
    for line in text.lines() {
        all += &format!("{line}\n");
        if line.starts_with(BARRIER) {
            all += &format!("  br label %resumed{number}\nresumed{number}:\n");
            number += 1;
        }
    }
    all
}

/// Replaces each exit of a function by a jump to one of these blocks.
fn resume_at_exits(text: &str) -> String {
    let barriers = text.lines().filter(|line| line.starts_with(BARRIER)).count();
    let cases: Vec<_> = (0..barriers).map(|number| format!("i32 {number}, label %resumed{number}")).collect();
    let (mut all, mut number) = (String::new(), 0);
    for line in text.lines() {
        if line.starts_with(LEAVE) {
            all += &format!("  %at{number} = call i32 @properties_resume(i32 {barriers})\n");
            all += &format!("  switch i32 %at{number}, label %gone{number} [ {} ]\ngone{number}:\n", cases.join(" "));
            number += 1;
        }
        all += &format!("{line}\n");
    }
    all
}
