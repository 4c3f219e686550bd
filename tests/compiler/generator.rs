//! The child processes that generate code for SPIR-V: they end although other jobs run, a signal that kills one is an
//! error, and none outlives offloadc.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use harness::run;

/// A kernel whose compilation takes at least a second.
fn long_kernel(folder: &Path) -> std::path::PathBuf {
    let mut text = String::from(
        "target triple = \"x86_64-unknown-linux-gnu\"\n\
         define spir_kernel void @k(ptr %p) {\n  %x0 = load i32, ptr %p\n  %y0 = load i32, ptr %p\n",
    );
    for i in 0..20_000 {
        text += &format!("  %y{} = mul i32 %x{i}, %y{i}\n  %x{} = xor i32 %y{i}, {i}\n", i + 1, i + 1);
    }
    text += "  store i32 %x20000, ptr %p\n  ret void\n}\n";
    let file = folder.join("long.ll");
    std::fs::write(&file, text).expect("the folder can be written");
    file
}

/// The process IDs of a process's children.
fn children(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(|n| n.parse().expect("a number")).collect::<Vec<_>>()).collect()
}

/// Starts a long compilation. Returns it with the IDs of the generator and of the fork that compiles.
fn at_work(folder: &Path) -> (Child, u32, u32) {
    let mut command = Command::new(harness::offloadc());
    command.arg(long_kernel(folder)).args(["-O0", "--offload-arch=spirv64", "-o", "out.o"]).current_dir(folder);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("offloadc runs");
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) && child.try_wait().expect("it is our child").is_none() {
        for generator in children(child.id()) {
            if let [copy] = children(generator)[..] {
                return (child, generator, copy);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("no process was seen that makes code");
}

fn kill(process: u32) {
    run(Command::new("kill").args(["-KILL", &process.to_string()])).success();
}

/// Whether a process has ended, including one whose parent has not waited for it yet.
fn is_gone(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.is_empty() || status.contains(") Z ")
}

#[test]
fn a_process_that_is_killed_is_an_error() {
    for of_the_copy in [true, false] {
        let folder = harness::scratch();
        let (child, generator, copy) = at_work(folder.path());
        kill(if of_the_copy { copy } else { generator });
        let output = child.wait_with_output().expect("it is our child");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let expected = if of_the_copy { "was killed by signal 9" } else { "is gone" };
        assert!(said.contains(&format!("the process that generates code {expected}")), "{said}");
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(!folder.path().join("out.o").exists());
        assert!(is_gone(generator));
    }
}

#[test]
fn none_outlives_offloadc() {
    let folder = harness::scratch();
    let (mut child, generator, copy) = at_work(folder.path());
    kill(child.id());
    let _status = child.wait().expect("it is our child");
    let start = Instant::now();
    while !(is_gone(generator) && is_gone(copy)) {
        assert!(start.elapsed() < Duration::from_secs(10), "a process is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The generator must be forked from a process without threads, because otherwise it has the locks of threads that are
/// inside LLVM.
#[test]
fn other_jobs_do_not_hinder_it() {
    let folder = harness::scratch();
    let file = folder.path().join("k.ll");
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\ndefine spir_kernel void @k(ptr %p) {\n  ret void\n}\n";
    std::fs::write(&file, text).expect("the folder can be written");
    for _ in 0..20 {
        let mut command = Command::new("timeout");
        command.arg("60").arg(harness::offloadc()).arg(&file).current_dir(folder.path());
        run(command.args(["-j5", "--offload-arch=cpu,sm_80,spirv64,gfx90a,sm_90", "-o", "out.o"])).success();
    }
}
