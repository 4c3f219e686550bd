//! The limit on busy threads that make and cargo set: it holds for all programs that they start, nothing waits for
//! ever, and every token comes back.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use harness::run;

const ARCHS: &str = "--offload-arch=cpu,sm_80,gfx90a,gfx1100,spirv64";

/// A kernel whose compilation takes a moment on every arch. `length` is its number of instructions.
fn kernel(folder: &Path, length: usize) {
    let mut text = String::from(
        "target triple = \"x86_64-unknown-linux-gnu\"\n\
         define ptx_kernel void @k(ptr %p) {\n  %x0 = load i32, ptr %p\n",
    );
    for i in 0..length {
        text += &format!("  %y{i} = mul i32 %x{i}, %x{i}\n  %x{} = xor i32 %y{i}, {i}\n", i + 1);
    }
    text += &format!("  store i32 %x{length}, ptr %p\n  ret void\n}}\n");
    std::fs::write(folder.join("in.ll"), text).expect("the folder can be written");
}

/// The times, in microseconds, in which a trace has a busy thread.
fn busy_times(trace: &Path) -> Vec<(f64, f64)> {
    let text = std::fs::read_to_string(trace).expect("the trace was written");
    let trace: serde_json::Value = serde_json::from_str(&text).expect("the trace is JSON");
    let start = trace["beginningOfTime"].as_f64().expect("the trace has its start");
    let rows = trace["traceEvents"].as_array().expect("the trace has rows").iter();
    let times = rows.filter(|row| row["cat"] == "stage").map(|row| {
        let number = |name: &str| row[name].as_f64().expect("a row has times");
        // The two clocks of a trace are read one after the other.
        (start + number("ts") + 500.0, start + number("ts") + number("dur") - 500.0)
    });
    times.filter(|(begin, end)| begin < end).collect()
}

/// The largest number of threads that are busy at a time.
fn busiest(traces: &[&Path]) -> i32 {
    let times = traces.iter().flat_map(|trace| busy_times(trace));
    let mut changes: Vec<(f64, i32)> = times.flat_map(|(begin, end)| [(begin, 1), (end, -1)]).collect();
    changes.sort_by(|a, b| a.partial_cmp(b).expect("times are numbers"));
    let mut busy = 0;
    let counts = changes.iter().map(|(_, change)| {
        busy += change;
        busy
    });
    counts.max().unwrap_or(0)
}

/// The busy threads of three compilations that make runs, with a prefix of the command in the makefile.
fn under_make(prefix: &str) -> i32 {
    let folder = harness::scratch();
    kernel(folder.path(), 700);
    let program = harness::offloadc();
    let makefile = format!(
        "all: a.o b.o c.o; @:\na.o b.o c.o: in.ll\n\t{prefix}'{}' in.ll {ARCHS} -j4 -w --time-trace=$@.json -o $@\n",
        program.display()
    );
    std::fs::write(folder.path().join("Makefile"), makefile).expect("the folder can be written");
    let mut make = Command::new("make");
    make.args(["-r", "-j2"]).current_dir(folder.path()).env_remove("MAKEFLAGS").env_remove("MFLAGS");
    let outcome = run(make.env_remove("CARGO_MAKEFLAGS")).success();
    assert!(outcome.stderr().is_empty(), "{}", outcome.report());
    let traces = ["a.o.json", "b.o.json", "c.o.json"].map(|name| folder.path().join(name));
    busiest(&traces.each_ref().map(|path| path.as_path()))
}

#[test]
fn make_limits_the_busy_threads_of_three_compilations() {
    assert_eq!(under_make("+"), 2);
    // The same without its job server: the test can see more than two threads.
    assert!(under_make("+MAKEFLAGS= ") > 2);
}

/// The pipe of a job server with this many tokens, as GNU make makes it since 4.4.
fn pipe(folder: &Path, tokens: usize) -> File {
    let path = folder.join("tokens");
    run(Command::new("mkfifo").arg(&path)).success();
    let mut pipe = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(path);
    pipe.as_mut().expect("it was made").write_all(&b"+".repeat(tokens)).expect("a pipe takes a page");
    pipe.expect("it was made")
}

/// The tokens in the pipe, which are taken out.
fn tokens(mut pipe: &File) -> usize {
    pipe.read(&mut [0; 64]).unwrap_or(0)
}

fn compile(folder: &Path) -> Command {
    let mut command = Command::new(harness::offloadc());
    command.args(["in.ll", ARCHS, "-j8", "-w", "--time-trace=trace.json", "-o", "out.o"]).current_dir(folder);
    command.env_remove("CARGO_MAKEFLAGS").env("MAKEFLAGS", "-j --jobserver-auth=fifo:tokens");
    command
}

#[test]
fn every_token_is_used_and_comes_back() {
    for count in [0, 1, 7] {
        let folder = harness::scratch();
        kernel(folder.path(), 500);
        let pipe = pipe(folder.path(), count);
        run(&mut compile(folder.path())).success();
        assert_eq!(tokens(&pipe), count);
        let busy = busiest(&[&folder.path().join("trace.json")]);
        // Five archs and the host module.
        assert!((1..=6).contains(&busy) && busy <= 1 + count as i32, "{busy} threads with {count} tokens");
        assert!(count == 0 || busy > 1, "{busy} threads with {count} tokens");
    }
}

#[test]
fn tokens_come_back_after_an_error() {
    let folder = harness::scratch();
    let text = "target triple = \"x86_64-unknown-linux-gnu\"\n\
                declare void @puts(ptr)\n\
                define ptx_kernel void @k(ptr %p) {\n  call void @puts(ptr %p)\n  ret void\n}\n";
    std::fs::write(folder.path().join("in.ll"), text).expect("the folder can be written");
    let pipe = pipe(folder.path(), 3);
    assert_eq!(run(&mut compile(folder.path())).code(), 1);
    assert_eq!(tokens(&pipe), 3);
}

#[test]
fn tokens_come_back_when_the_process_is_killed() {
    for signal in ["TERM", "SEGV"] {
        let folder = harness::scratch();
        kernel(folder.path(), 10_000);
        let pipe = pipe(folder.path(), 3);
        let mut child = compile(folder.path()).stderr(Stdio::null()).spawn().expect("offloadc runs");
        wait_until("a token is taken", || {
            let left = tokens(&pipe);
            (&pipe).write_all(&b"+".repeat(left)).expect("a pipe takes a page");
            left < 3
        });
        run(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()])).success();
        let _ = child.wait().expect("it is our child");
        assert_eq!(tokens(&pipe), 3, "after {signal}");
    }
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// cargo passes two descriptors, and in another variable.
#[test]
fn the_pipe_of_cargo_is_found() {
    let folder = harness::scratch();
    kernel(folder.path(), 500);
    let server = jobserver::Client::new(1).expect("a pipe can be made");
    let mut command = compile(folder.path());
    server.configure(&mut command);
    let outcome = run(&mut command).success();
    assert!(outcome.stderr().is_empty(), "{}", outcome.report());
    assert_eq!(server.available().expect("it is a pipe"), 1);
    assert_eq!(busiest(&[&folder.path().join("trace.json")]), 2);
}
