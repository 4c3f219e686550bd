//! The crash guard: this program runs itself once for each way to end, and looks at what is left.

use libtest_mimic::{Arguments, Failed, Trial};
use offloadc::llvm::{self, crash};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Tells the child what to do.
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
                ("abort", "error: internal error: an abort while reading `x.bc`, for a test\n"),
                ("llvm", "error: internal error: LLVM gave up while reading `x.bc`, for a test: Cannot select:"),
                ("endless", "error: internal error: LLVM does not come to an end while reading `x.bc`, for a test\n"),
                ("panic", "error: internal error: it cannot be (tests/crash.rs:"),
            ];
            let mut trials: Vec<Trial> =
                scenes.map(|(scene, words)| Trial::test(scene, move || crashes(scene, words))).into();
            let endings = [("TERM", 15), ("INT", 2), ("SEGV", 11)];
            trials.extend(endings.map(|(name, number)| Trial::test(name, move || ends(name, number))));
            libtest_mimic::run(&Arguments::from_args(), trials).exit();
        }
    }
}

/// The child: ends as the scene says, with a file and a folder on the list.
fn play(scene: &str) {
    crash::install();
    let folder = std::env::current_dir().expect("the parent made it").join("temporary");
    let file = folder.join("file");
    std::fs::create_dir(&folder).expect("the parent's folder is empty");
    std::fs::write(&file, "x").expect("the folder was just made");
    let _on_list = (crash::temporary(&folder), crash::temporary(&file));
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
        "abort" => reading(|| std::process::abort()),
        "llvm" => reading(select_nothing),
        "endless" => reading(verify_for_ever),
        "panic" => reading(|| panic!("it cannot be")),
        _ => {
            println!("ready");
            std::thread::sleep(std::time::Duration::from_secs(20));
        }
    }
}

fn reading(then: impl FnOnce()) {
    let _outer = crash::activity(format_args!("reading `{}`", "x.bc"));
    drop(crash::activity("over"));
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

/// A GPU cannot do what an x86 intrinsic does; LLVM's answer to that is its fatal-error callback.
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

/// Two scopes, each the other's parent.
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
    // A shell that starts the tests in the background has made them ignore an interrupt, and children inherit that.
    let mut child = Command::new("env");
    child.arg("--default-signal=INT").arg(std::env::current_exe().expect("the system says which"));
    child.env(SCENE, scene).env_remove("RUST_BACKTRACE").current_dir(folder).stdin(Stdio::null());
    child.stdout(Stdio::piped()).stderr(Stdio::piped());
    child
}

fn crashes(scene: &str, words: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let Output { status, stderr, .. } = start(scene, folder.path()).output()?;
    let stderr = String::from_utf8_lossy(&stderr);
    check(stderr.starts_with(words) && stderr.matches('\n').count() == 1, &format!("it said: {stderr}"))?;
    check(status.code() == Some(70), &format!("it ended with {status}"))?;
    nothing_left(folder.path())
}

fn ends(name: &str, number: i32) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut child = start("wait", folder.path()).spawn()?;
    let mut ready = [0; 6];
    std::io::Read::read_exact(&mut child.stdout.take().expect("it is piped"), &mut ready)?;
    check(folder.path().join("temporary/file").exists(), "the child made no file")?;
    let kill = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status()?;
    check(kill.success(), "the signal was not sent")?;
    let status = child.wait()?;
    let expected = if name == "SEGV" { status.code() == Some(70) } else { status.signal() == Some(number) };
    check(expected, &format!("it ended with {status}"))?;
    nothing_left(folder.path())
}

fn nothing_left(folder: &Path) -> Result<(), Failed> {
    let left: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    check(left.is_empty(), &format!("left: {left:?}"))
}

fn check(holds: bool, message: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(message.into()) }
}
