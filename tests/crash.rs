//! Tests of the crash guard: this program runs itself once for each way to end, and checks the remains.

use libtest_mimic::{Arguments, Failed, Trial};
use offloadc::llvm::{self, crash, temporaries};
use offloadc::system::output::Output as File;
use offloadc::system::scratch::Scratch;
use offloadc::system::tool::Tools;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// The variable with the scene that a child process plays.
const SCENE: &str = "OFFLOADC_CRASH_SCENE";

fn main() {
    match std::env::var(SCENE) {
        Ok(scene) => play(&scene),
        Err(_) => {
            let scenes = [
                ("stack-main", "error: internal error: a segmentation fault while reading `x.bc`, for a test\n"),
                ("stack-std", "error: internal error: a segmentation fault while reading `x.bc`, for a test\n"),
                ("stack-rayon", "error: internal error: a segmentation fault while reading `x.bc`, for a test\n"),
                ("two-at-once", "error: internal error: a segmentation fault while in a worker\n"),
                ("trap", "error: internal error: a trap while reading `x.bc`, for a test\n"),
                (
                    "no-call",
                    "error: internal error: a system call that is not there while reading `x.bc`, for a test\n",
                ),
                ("abort", "error: internal error: an abort while reading `x.bc`, for a test\n"),
                ("no-memory", "error: internal error: LLVM ran out of memory while reading `x.bc`, for a test\n"),
                ("llvm", "error: internal error: LLVM gave up while reading `x.bc`, for a test: Cannot select:"),
                ("endless", "error: internal error: LLVM does not terminate while reading `x.bc`, for a test\n"),
                ("panic", "error: internal error: it cannot be (tests/crash.rs:"),
            ];
            let of_the_input = [
                ("abort-on-input", "error: LLVM cannot process the input: an abort while reading `x.bc`, for a test\n"),
                (
                    "endless-on-input",
                    "error: LLVM cannot process the input: LLVM does not terminate while reading `x.bc`, for a test\n",
                ),
                (
                    "llvm-on-input",
                    "error: LLVM cannot process the input: LLVM gave up while reading `x.bc`, for a test: Cannot select:",
                ),
                ("panic-on-input", "error: internal error: it cannot be (tests/crash.rs:"),
                ("abort-after-input", "error: internal error: an abort while reading `x.bc`\n"),
            ];
            let mut trials: Vec<Trial> = scenes
                .into_iter()
                .chain(of_the_input)
                .map(|(scene, words)| Trial::test(scene, move || crashes(scene, words)))
                .collect();
            let time = "error: the time is over\n";
            let limit = "error: the limit on processor time is reached (`ulimit -t`)\n";
            let endings = [
                ("TERM", 15, ""),
                ("INT", 2, ""),
                ("HUP", 1, ""),
                ("QUIT", 3, ""),
                ("USR1", 10, ""),
                ("ALRM", 14, time),
                ("XCPU", 24, limit),
                ("SEGV", 11, "error: internal error: a segmentation fault\n"),
            ];
            trials.extend(
                endings.map(|(name, number, words)| Trial::test(name, move || ends("wait", name, number, words))),
            );
            trials.push(Trial::test("tools-end-too", tools_end_too));
            trials.push(Trial::test("at-any-moment", ends_at_any_moment));
            trials.push(Trial::test("a-file-too-large", a_file_too_large_is_an_error));
            libtest_mimic::run(&Arguments::from_args(), trials).exit();
        }
    }
}

/// Runs in the child: ends as the scene requests, while a file and a folder are registered.
fn play(scene: &str) {
    crash::install();
    let folder = std::env::current_dir().expect("the parent made it").join("temporary");
    let make = |path: &Path| std::fs::create_dir(path);
    let (_on_list, ()) = temporaries::create(&folder, make).expect("the parent's folder is empty");
    std::fs::write(folder.join("file"), "x").expect("the folder was just made");
    match scene {
        "stack-main" => reading(overflow),
        "stack-std" => std::thread::spawn(|| reading(overflow)).join().expect("it never comes back"),
        "stack-rayon" => {
            let pool = rayon::ThreadPoolBuilder::new().stack_size(1 << 20).build().expect("a thread can be started");
            pool.install(|| reading(overflow));
        }
        "two-at-once" => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().expect("threads can be started");
            let _ = pool.broadcast(|_| {
                let _activity = crash::activity("in a worker");
                overflow();
            });
        }
        "trap" => reading(|| send("TRAP")),
        "no-call" => reading(|| send("SYS")),
        "tool" => {
            println!("ready");
            use_tool("trap '' TERM; sh -c 'while :; do echo x >>beats; sleep 0.05; done'");
        }
        "busy" => be_busy(),
        "large" => write_much(),
        "abort" => reading(|| std::process::abort()),
        "no-memory" => reading(allocate_too_much),
        "llvm" => reading(select_nothing),
        "abort-on-input" => reading_input(|| std::process::abort()),
        "endless-on-input" => reading_input(verify_for_ever),
        "llvm-on-input" => reading_input(select_nothing),
        "panic-on-input" => reading_input(|| panic!("it cannot be")),
        "abort-after-input" => {
            let _outer = crash::activity("reading `x.bc`");
            drop(crash::activity_on_input("over"));
            std::process::abort();
        }
        "endless" => reading(verify_for_ever),
        "panic" => reading(|| panic!("it cannot be")),
        _ => {
            println!("ready");
            std::thread::sleep(std::time::Duration::from_secs(20));
        }
    }
}

/// Sends this process a signal.
fn send(name: &str) {
    let kill = Command::new("kill").arg(format!("-{name}")).arg(std::process::id().to_string()).status();
    assert!(kill.is_ok_and(|status| status.success()));
    std::thread::sleep(std::time::Duration::from_secs(20));
}

fn use_tool(script: &str) {
    let tools = Tools::new("/no/such/linker".into(), None);
    let _ran = tools.run(Path::new("/bin/sh"), ["-c", script]);
}

/// Creates and removes folders and files, and runs tools that write some, until the process is ended.
fn be_busy() {
    std::thread::scope(|scope| {
        for number in 0..4 {
            let work = move || {
                for round in 0.. {
                    let scratch = Scratch::new().expect("the folder can be written");
                    let _file = scratch.file_with("a", b"x").expect("the folder is ours");
                    let output = File::create(Path::new(&format!("out{number}"))).expect("the folder can be written");
                    let script =
                        format!("mkdir {0}/inner; echo x >{0}/inner/b; echo x >>$0", scratch.folder().display());
                    let tools = Tools::new("/no/such/linker".into(), None);
                    let _ran =
                        tools.run("/bin/sh".as_ref(), ["-c".as_ref(), script.as_ref(), output.path().as_os_str()]);
                    if round == 0 && number == 0 {
                        println!("ready");
                    }
                }
            };
            scope.spawn(work);
        }
    });
}

fn write_much() {
    println!("ready");
    let error = offloadc::system::output::Sink::new("large").write(&[0; 1 << 20]).expect_err("the limit is lower");
    eprintln!("{error}");
    std::fs::remove_dir_all("temporary").expect("it is there");
}

fn reading(then: impl FnOnce()) {
    let _outer = crash::activity(format_args!("reading `{}`", "x.bc"));
    drop(crash::activity("over"));
    let _inner = crash::activity("for a test");
    then();
}

/// The same, for work on an input.
fn reading_input(then: impl FnOnce()) {
    let _outer = crash::activity_on_input("reading `x.bc`");
    let _inner = crash::activity("for a test");
    then();
}

fn overflow() {
    fn deeper(depth: u64) -> u64 {
        let frame = std::hint::black_box([depth; 64]);
        if frame[0] == u64::MAX { 0 } else { deeper(depth + 1) + frame[1] }
    }
    std::hint::black_box(deeper(0));
}

/// As LLVM does it, by the `operator new` of C++.
fn allocate_too_much() {
    unsafe extern "C" {
        #[link_name = "_Znwm"]
        fn operator_new(size: usize) -> *mut std::ffi::c_void;
    }
    // SAFETY: the result is not used.
    let _ = std::hint::black_box(unsafe { operator_new(isize::MAX as usize) });
}

/// A GPU has no code for an x86 intrinsic. LLVM reports this through its fatal-error callback.
fn select_nothing() {
    llvm::initialize();
    let context = llvm::Context::create();
    let text = "target triple = \"nvptx64-nvidia-cuda\"
        declare void @llvm.x86.sse2.pause()
        define void @f() { call void @llvm.x86.sse2.pause() ret void }";
    let module = llvm::Module::from_text(&context, text.as_bytes(), "x").expect("the text is IR");
    let machine = llvm::Machine::new("nvptx64-nvidia-cuda", "sm_80", "", 2, true).expect("LLVM has NVPTX");
    let _ = machine.emit(&module, llvm::FileKind::Assembly);
}

/// Two scopes that are each other's parent.
fn verify_for_ever() {
    let context = llvm::Context::create();
    let text = "define void @f() !dbg !3 { ret void, !dbg !6 }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1)
        !1 = !DIFile(filename: \"a\", directory: \"b\")
        !2 = !{i32 2, !\"Debug Info Version\", i32 3}
        !3 = distinct !DISubprogram(name: \"f\", file: !1, unit: !0, spFlags: DISPFlagDefinition)
        !4 = distinct !DILexicalBlock(scope: !5, file: !1, line: 1)
        !5 = distinct !DILexicalBlock(scope: !4, file: !1, line: 1)
        !6 = !DILocation(line: 1, scope: !4)";
    let _limit = llvm::limit(std::time::Duration::from_millis(300));
    let module = llvm::Module::from_text(&context, text.as_bytes(), "x").expect("the text is IR");
    let _ = module.verify();
}

fn start(scene: &str, folder: &Path) -> Command {
    // A shell that starts the tests in the background makes them ignore SIGINT and SIGQUIT, `nohup` makes them ignore
    // SIGHUP, and children inherit that.
    let mut child = Command::new("env");
    child.arg("--default-signal").arg(std::env::current_exe().expect("the system says which"));
    child.env(SCENE, scene).env_remove("RUST_BACKTRACE").current_dir(folder).stdin(Stdio::null());
    child.stdout(Stdio::piped()).stderr(Stdio::piped());
    child
}

fn crashes(scene: &str, words: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let Output { status, stderr, .. } = start(scene, folder.path()).output()?;
    let stderr = String::from_utf8_lossy(&stderr);
    check(stderr.starts_with(words) && stderr.matches('\n').count() == 1, &format!("it said: {stderr}"))?;
    let expected = if words.starts_with("error: internal error") { 70 } else { 1 };
    check(status.code() == Some(expected), &format!("it ended with {status}"))?;
    nothing_left(folder.path())
}

/// Starts a child that plays a scene, and waits until it has begun.
fn begun(scene: &str, folder: &Path) -> Result<Child, Failed> {
    let mut child = start(scene, folder).env("TMPDIR", folder).spawn()?;
    let mut ready = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().expect("it is piped"), &mut ready)?;
    Ok(child)
}

fn ends(scene: &str, name: &str, number: i32, words: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let child = begun(scene, folder.path())?;
    check(folder.path().join("temporary/file").exists(), "the child made no file")?;
    let kill = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status()?;
    check(kill.success(), "the signal was not sent")?;
    let Output { status, stderr, .. } = child.wait_with_output()?;
    let expected = if name == "SEGV" { status.code() == Some(70) } else { status.signal() == Some(number) };
    check(expected, &format!("it ended with {status}"))?;
    check(stderr == words.as_bytes(), &format!("it said: {}", String::from_utf8_lossy(&stderr)))?;
    nothing_left(folder.path())
}

/// A tool that ignores the request to end is killed, together with its child processes.
fn tools_end_too() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut child = begun("tool", folder.path())?;
    let beats = folder.path().join("beats");
    while !beats.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    check(Command::new("kill").arg(child.id().to_string()).status()?.success(), "the signal was not sent")?;
    check(child.wait()?.signal() == Some(15), "it did not end")?;
    let before = beats.metadata()?.len();
    std::thread::sleep(std::time::Duration::from_millis(500));
    check(beats.metadata()?.len() == before, "the tool goes on")?;
    std::fs::remove_file(beats)?;
    nothing_left(folder.path())
}

/// Ends the child at times that are distributed over some rounds of its work.
fn ends_at_any_moment() -> Result<(), Failed> {
    for round in 0..150 {
        let folder = tempfile::tempdir()?;
        let mut child = begun("busy", folder.path())?;
        std::thread::sleep(std::time::Duration::from_micros(round * 97));
        let name = ["-TERM", "-INT", "-HUP"][round as usize % 3];
        let kill = Command::new("kill").arg(name).arg(child.id().to_string()).status()?;
        check(kill.success(), "the signal was not sent")?;
        let status = child.wait()?;
        check(status.signal().is_some(), &format!("it ended with {status}"))?;
        nothing_left(folder.path()).map_err(|error| format!("{name} in round {round}: {error:?}"))?;
    }
    Ok(())
}

fn a_file_too_large_is_an_error() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let program = std::env::current_exe()?;
    let mut child = Command::new("sh");
    child.args(["-c", "ulimit -f 8; exec \"$0\""]).arg(program).env(SCENE, "large").current_dir(folder.path());
    let Output { status, stderr, .. } = child.output()?;
    let said = String::from_utf8_lossy(&stderr);
    check(status.success() && said == "cannot write `large`: file too large\n", &format!("{status}: {said}"))?;
    nothing_left(folder.path())
}

fn nothing_left(folder: &Path) -> Result<(), Failed> {
    let left: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    check(left.is_empty(), &format!("left: {left:?}"))
}

fn check(holds: bool, message: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(message.into()) }
}
