//! `cargo offloadc debug`: gdb and lldb in batch mode with `tests/sanitize/src/bin/debugged.rs`, and programs with the
//! names of other debuggers that print their arguments.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use harness::{Outcome, cargo, run_within};

const SOURCE: &str = "tests/sanitize/src/bin/debugged.rs";

/// The target folder, in which other options replace the program.
static FOLDER: Mutex<()> = Mutex::new(());

/// `cargo offloadc debug` in the project.
fn offloadc(words: &[&str]) -> Command {
    let mut command = cargo::cargo(&harness::root().join("tests/sanitize"));
    command.args(["offloadc", "debug"]).args(words).env("CARGO_TARGET_DIR", cargo::target());
    command.env_remove("OFFLOADRT_CPU_THREADS");
    command
}

fn finish(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(300))
}

/// The line of a comment `// stop: NAME`, with the file's name, as a place for a breakpoint.
fn stop(name: &str) -> String {
    let text = std::fs::read_to_string(harness::root().join(SOURCE)).expect("it is the program");
    let comment = format!("// stop: {name}");
    let line = text.lines().position(|line| line.ends_with(&comment)).expect("the comment is in the program") + 1;
    format!("debugged.rs:{line}")
}

/// The output of gdb for these commands, which `; ` separates, in the program with this argument.
fn gdb(kernel: &str, commands: &str) -> String {
    let _folder = cargo::hold(&FOLDER);
    let file = harness::scratch();
    let file = file.path().join("commands");
    let text = format!("set pagination off\nset width 0\nset confirm off\n{}\n", commands.replace("; ", "\n"));
    std::fs::write(&file, text).expect("the folder is ours");
    let file = format!("--debugger-arg={}", file.display());
    let words = ["debugged", "--locked", "--debugger=gdb", "--debugger-arg=-batch", "--debugger-arg=-x", &file];
    let ran = finish(offloadc(&words).args(["--", kernel])).success();
    hits(&ran.stdout())
}

/// gdb's text, without the number of the place of a breakpoint that has several: `Breakpoint 1.2, `.
fn hits(text: &str) -> String {
    let without_place = |line: &str| {
        let (head, rest) = line.split_once(", ")?;
        let (start, place) = head.strip_prefix("Breakpoint ")?.split_once('.')?;
        let is_number = |text: &str| text.parse::<u32>().is_ok();
        (is_number(start) && is_number(place)).then(|| format!("Breakpoint {start}, {rest}\n"))
    };
    text.lines().map(|line| without_place(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}

/// Requires these parts in this order.
#[track_caller]
fn has(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { panic!("`{part}` is missing in\n{rest}\nof\n{text}") };
        rest = after;
    }
}

#[test]
fn breakpoints_stop_in_kernels_with_arguments_and_locals() {
    let (inner, outer) = (stop("scaled"), stop("scale_all"));
    let first = "break debugged::scale_all; run; info args; delete";
    let second = format!("break {outer}; continue; info args; info locals; delete");
    let third = format!("tbreak {inner}; continue; info args; info locals");
    let text = gdb("scale_all", &format!("{first}; {second}; {third}"));
    let scale = "scale = debugged::Scale {by: 3, plus: 0.5}";
    has(&text, &["Breakpoint 1", scale, "x = &[f32]", "1.5"]);
    let locals = ["more = 5", "before = 2", "is_first = true", "at = 0"];
    let stopped = text.split_once("Breakpoint 2, ").expect("it stops at the line").1;
    has(stopped, &[scale]);
    locals.iter().for_each(|local| has(stopped, &[local]));
    has(stopped, &["Temporary breakpoint 3", "debugged::scaled (", "x = 1.5", "product = 4.5"]);
}

/// A plain build of cargo's dev profile has the lines of kernels, which are optimised.
#[test]
fn a_debugger_stops_in_kernels_of_a_dev_build() {
    let _folder = cargo::hold(&FOLDER);
    let mut build = cargo::cargo(&harness::root().join("tests/sanitize"));
    build.args(["offloadc", "build", "--bin=debugged", "--locked"]).env("CARGO_TARGET_DIR", cargo::target());
    let _built = finish(&mut build).success();
    let program = cargo::offloadc_target().join("x86_64-unknown-linux-gnu/debug/debugged");
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-ex", &format!("break {}", stop("scaled")), "-ex", "run", "-ex", "info frame"]);
    let ran = finish(gdb.arg("--args").arg(program).arg("scale_all").env("OFFLOADRT_DEVICE", "cpu")).success();
    has(&hits(&ran.stdout()), &["Breakpoint 1, ", &stop("scaled"), "rip = "]);
}

/// After the last line of a kernel comes the code that called it, which has the kernel's first line.
#[test]
fn steps_stay_in_the_users_file() {
    let text = gdb("scale_all", &format!("tbreak {}; run; next; next; info source; bt", stop("scale_all")));
    has(&text, &["Temporary breakpoint 1", "debugged.rs", "Current source file is", "debugged.rs", "#0"]);
    assert!(!text.contains("src/launch.rs"), "{text}");
}

/// Steps past the end of the last thread of a block go to the code that launches the kernel, and not through the
/// runtime. A breakpoint stops the next thread before. A kernel needs no path.
#[test]
fn steps_behind_a_kernel_leave_the_runtime() {
    let stop = stop("scale_all");
    let text = gdb("scale_all", &format!("tbreak {stop}; run; next; next; next; info source; bt"));
    has(&text, &["Temporary breakpoint 1", "scale_all.launch(", "Current source file is", "#0", "debugged::main"]);
    // gdb shows where the step itself has ended, before the commands after it.
    let launch = text.split_once("scale_all.launch(").expect("it is there").1;
    assert!(!launch.contains("cpu_scheduler.c"), "{text}");
    let steps = "next; ".repeat(10);
    let text = gdb("scale_all", &format!("offload break scale_all thread 3,0,0; run; {steps}offload info"));
    has(&text, &["Breakpoint 1, debugged::scale_all", "Breakpoint 1, debugged::scale_all", "thread (3, 0, 0)"]);
    // The first line only calls a function that is inlined, so it has no code.
    let text =
        gdb("scale_all", "offload break scale_all; run; offload thread 3; offload info; offload block 1; offload info");
    has(&text, &["Breakpoint 1, debugged::scale_all", "thread (3, 0, 0)", "block (1, 0, 0)"]);
    let text = gdb("scale_all", "offload break nowhere_in_the_program");
    has(&text, &["Breakpoint 1 (nowhere_in_the_program) pending"]);
}

/// A variable that only the code before a barrier uses is in memory at the end of the kernel.
#[test]
fn variables_live_through_barriers() {
    let breaks = format!("break {}; break {}", stop("before the barrier"), stop("after the barrier"));
    let first = "run; info locals; delete 1; continue; info locals; info args";
    let text = gdb("reverse", &format!("{breaks}; {first}; offload thread 5; info locals; offload info"));
    has(&text, &["Breakpoint 1, ", "mine = 10", "Breakpoint 2, "]);
    let after = text.split_once("Breakpoint 2, ").expect("it stops behind the barrier").1;
    let (first, fifth) =
        after.split_once("debugged.rs").expect("it stops again").1.split_once("#0").unwrap_or((after, ""));
    for local in ["pair = (146, 10)", "other = 146", "twice = 20", "mine = 10", "t = 0", "x = &[u32]"] {
        has(first, &[local]);
    }
    for local in ["pair = (136, 15)", "other = 136", "twice = 30", "mine = 15", "t = 5"] {
        has(fifth, &[local]);
    }
    has(fifth, &["kernel debugged::reverse, block (0, 0, 0), thread (5, 0, 0)"]);
}

#[test]
fn backtraces_show_kernel_block_and_thread() {
    let line = stop("exchange");
    let commands = "run; bt; bt -no-filters -frame-arguments all; info locals; offload info";
    let text = gdb("exchange", &format!("offload break {line} block 0,1,0 thread 3,2; {commands}"));
    let place = "block (0, 1, 0), thread (3, 2, 0)";
    has(&text, &["#0", &format!("debugged::exchange [{place}]"), "debugged::main"]);
    has(&text, &["block_id=(0, 1, 0), thread_id=(3, 2, 0)"]);
    has(&text, &["both = 60061", "other = 60", "mine = 61", &format!("kernel debugged::exchange, {place}")]);
    assert!(!text.split("#0").nth(1).unwrap_or_default().contains("cpu_scheduler.c"), "{text}");
    assert!(!text.contains("Traceback"), "{text}");
}

#[test]
fn watchpoints_see_each_value() {
    let commands = "run; delete; watch sum; continue; continue; continue";
    let text = gdb("sums", &format!("break {}; {commands}", stop("sums")));
    has(&text, &["Old value = 0", "New value = 10", "Old value = 10", "New value = 32", "New value = 68"]);
}

#[test]
fn a_panic_stops_where_it_is() {
    let text = gdb("past_the_end", "offload panic; run; bt; offload info");
    has(&text, &["Breakpoint 1, ", "offload_kernel_panic", "debugged::past_the_end [block (1, 0, 0)"]);
    has(&text, &["kernel debugged::past_the_end, block (1, 0, 0), thread (63, 0, 0)"]);
}

/// lldb shows lines and variables, too, and the block and the thread are arguments of the function that runs one
/// thread.
#[test]
fn lldb_stops_in_kernels() {
    let _folder = cargo::hold(&FOLDER);
    let folder = harness::scratch();
    let file = folder.path().join("commands");
    let place = stop("exchange");
    let line = place.rsplit(':').next().expect("it ends with the line");
    let commands = format!(
        "breakpoint set --file debugged.rs --line {line}\nrun\nbt\nframe variable both other mine\nwatchpoint set \
         variable both\ncontinue\nquit\n"
    );
    std::fs::write(&file, commands).expect("the folder is ours");
    let file = format!("--debugger-arg={}", file.display());
    let words = ["debugged", "--locked", "--debugger=lldb-22", "--debugger-arg=-b", "--debugger-arg=-s", &file];
    let ran = finish(offloadc(&words).args(["--", "exchange"])).success();
    let text = ran.stdout();
    has(&text, &["stop reason = breakpoint 1", "frame #0: ", "debugged::exchange", &place]);
    has(&text, &["frame #1: ", "block_id", "thread_id", "debugged::main"]);
    has(&text, &["both = 11010", "other = 11", "mine = 10", "Watchpoint 1 hit"]);
}

/// Writes a program that prints its name and its arguments.
fn write_debugger(folder: &Path, name: &str) {
    let file = folder.join(name);
    let text = "#!/bin/sh\nbasename \"$0\"\nfor word; do echo \"$word\"; done\necho threads $OFFLOADRT_CPU_THREADS\n";
    std::fs::write(&file, text).expect("the folder is ours");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("the file is ours");
}

#[test]
fn debuggers_of_vendors_are_found_by_the_archs() {
    let _folder = cargo::hold(&FOLDER);
    let folder = harness::scratch();
    let with_path = |words: &[&str]| {
        let mut command = offloadc(words);
        command.env("PATH", harness::search_path(&[&harness::program_folder(), folder.path()]));
        command
    };
    let words = ["debugged", "--locked", "--offload-arch=cpu,sm_80"];
    let refused = finish(&mut with_path(&words));
    assert_eq!(refused.code(), 2, "{}", refused.report());
    assert!(refused.stderr().contains("`cuda-gdb`, which is in no folder of `PATH`"), "{}", refused.report());
    for name in ["cuda-gdb", "rocgdb", "lldb"] {
        write_debugger(folder.path(), name);
    }
    for (arch, name) in [("cpu,sm_80", "cuda-gdb"), ("gfx90a", "rocgdb")] {
        let arch = format!("--offload-arch={arch}");
        let ran =
            finish(&mut with_path(&["debugged", "--locked", &arch, "--debugger-arg=-q", "--", "a b", "c"])).success();
        let text = ran.stdout();
        has(&text, &[&format!("{name}\n"), "-x\n", "offload.py\n-q\n--args\n", "/debugged\na b\nc\nthreads 1\n"]);
    }
    let ran = finish(&mut with_path(&["debugged", "--locked", "--debugger=lldb", "--", "c"])).success();
    has(&ran.stdout(), &["lldb\n", "--\n", "/debugged\nc\n"]);
}

#[test]
fn wrong_command_lines_say_what_there_is() {
    let refused = finish(&mut offloadc(&["debuged"]));
    assert_eq!(refused.code(), 2, "{}", refused.report());
    let text = refused.stderr();
    assert!(text.contains("no program, example or test has the name `debuged`"), "{text}");
    assert!(text.contains("the nearest is `debugged`"), "{text}");
    let refused = finish(&mut offloadc(&["debugged", "--emulate=sm_80"]));
    assert!(refused.code() == 2 && refused.stderr().contains("`--emulate`"), "{}", refused.report());
    let help = finish(&mut offloadc(&["--help"])).success();
    has(&help.stdout(), &["cargo offloadc debug [BIN|TEST]", "--debugger PROGRAM", "offload"]);
}
