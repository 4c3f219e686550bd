//! The runtime finishes generic images: with the `offloadc` under test as its compiler, on all devices that tests have.
//! `runtime-c/tests/finish_test.c` has the cases for which the compiler is a script.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use harness::emulators::{self, Emulated};
use harness::program::{RECOMMENDED, bitcode, compile, runtime_libraries};
use harness::{Outcome, opencl, root, run, scratch};

/// A kernel that stores a number.
const KERNEL: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    define ptx_kernel void @k(ptr %to, i32 %number) {\n  store i32 %number, ptr %to\n  ret void\n}\n";
/// A kernel that counts its launches in a static, and adds the number.
const COUNTER: &str = "target triple = \"x86_64-unknown-linux-gnu\"\n\
    @launches = internal global i32 0, section \".offload.static\"\n\
    define ptx_kernel void @k(ptr %to, i32 %number) {\n  %before = load i32, ptr @launches\n  \
    %now = add i32 %before, 1\n  store i32 %now, ptr @launches\n  %sum = add i32 %now, %number\n  \
    store i32 %sum, ptr %to\n  ret void\n}\n";

/// The beginnings of lines in the runtime's log.
pub(super) const COMPILING: &str = "finish: compiling";
const KEPT: &str = "is in the cache";

#[derive(Clone, Copy, Debug)]
pub(super) enum Device {
    Cpu,
    OpenCl,
    Emulated(Emulated),
}

impl Device {
    /// All that can be tested here.
    pub(super) fn all() -> Vec<Self> {
        let mut all = vec![Self::Cpu];
        all.extend(opencl::folder().map(|_| Self::OpenCl));
        all.extend(emulators::all().filter(|emulated| emulated.arch != "gfx1100").map(Self::Emulated));
        all
    }

    pub(super) fn choose(self, command: &mut Command) -> &mut Command {
        match self {
            Self::Cpu => command.env_remove("OFFLOADRT_DEVICE"),
            Self::OpenCl => opencl::choose(command),
            Self::Emulated(emulated) => emulators::choose(command, emulated),
        }
    }
}

/// A command whose images are kept in the folder.
pub(super) fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("OFFLOADRT_LOG", "1").env("OFFLOADRT_COMPILER", harness::offloadc());
    command.env("OFFLOADC_CACHE_DIR", folder.join("cache")).env_remove("OFFLOADC_NO_CACHE").env_remove("OFFLOADRT_JIT");
    command
}

/// The program `launches_by_line` with a kernel.
pub(super) fn by_line(folder: &Path, kernel: &str, options: &[&str]) -> PathBuf {
    let (input, object, program) = (folder.join("in.ll"), folder.join("in.o"), folder.join("program"));
    fs::write(&input, kernel).expect("the folder is ours");
    compile(&input, &object, options).success();
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-pthread", "-I"]).arg(root().join("runtime-c"));
    cc.arg(root().join("tests/host_object/launches_by_line.c")).arg(&object).args(runtime_libraries("offloadrt"));
    let _said = run(cc.arg("-o").arg(&program)).success();
    program
}

/// `launches_by_line`, or another program with an answer for each line, while it runs.
pub(super) struct Launcher {
    child: Child,
    log: PathBuf,
    answers: BufReader<std::process::ChildStdout>,
}

impl Launcher {
    pub(super) fn start(mut command: Command, folder: &Path) -> Self {
        let log = folder.join("log");
        let file = fs::File::create(&log).expect("the folder is ours");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file).spawn().expect("it is linked");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, log, answers }
    }

    /// The number that one more launch has stored.
    pub(super) fn launch(&mut self) -> u32 {
        self.send("launch").parse().unwrap_or_else(|_| panic!("no number:\n{}", self.log()))
    }

    /// The answer to a line.
    pub(super) fn send(&mut self, line: &str) -> String {
        let mut answer = String::new();
        writeln!(self.child.stdin.as_mut().expect("it is piped"), "{line}").expect("the program reads");
        let _ = self.answers.read_line(&mut answer).expect("the program writes");
        answer.trim().to_owned()
    }

    pub(super) fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("the program writes it")
    }

    pub(super) fn wait_for(&self, text: &str) {
        let begin = Instant::now();
        while !self.log().contains(text) {
            assert!(begin.elapsed() < Duration::from_secs(100), "no `{text}`:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the input; the program must succeed.
    pub(super) fn end(mut self) -> String {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("it is ours").success(), "{}", self.log());
        self.log()
    }
}

/// Panics, statics, lanes and a heap: the results are those of the host, and of images that a build makes. The second
/// start compiles nothing.
#[test]
fn a_program_with_the_generic_image_alone_runs_on_all_devices() {
    let folder = scratch();
    for source in ["panics", "pairs_statics", "lanes"] {
        let input = bitcode(&format!("tests/run/{source}.rs"), RECOMMENDED, folder.path());
        let program = folder.path().join(source);
        compile(&input, &program, &["--emit=exe", "--offload-arch=generic"]).success();
        for device in Device::all() {
            if source == "lanes" && matches!(device, Device::Emulated(_)) {
                continue; // the bytes of GPUs' images are those of a build
            }
            let first = run(device.choose(&mut command(&program, folder.path()))).success();
            assert_eq!(first.stderr().matches(COMPILING).count(), 1, "{device:?}: {}", first.report());
            let second = run(device.choose(&mut command(&program, folder.path()))).success();
            assert!(!second.stderr().contains(COMPILING), "{device:?}: {}", second.report());
            assert!(second.stderr().contains(KEPT), "{device:?}: {}", second.report());
            assert_eq!(first.stdout(), second.stdout(), "{device:?}");
        }
    }
    let files = Device::all().len() * 2 + Device::all().iter().filter(|d| !matches!(d, Device::Emulated(_))).count();
    assert_eq!(finished(folder.path()), files);
    for device in Device::all() {
        let (arch, version) = key_of(folder.path(), device);
        assert_eq!(version.is_empty(), matches!(device, Device::Cpu), "{arch}: `{version}`");
    }
    // The compiler keeps the cache below its limit: the only file is the one that was made last.
    let mut command = command(&folder.path().join("panics"), folder.path());
    let _said = run(command.env("OFFLOADC_CACHE_SIZE", "0").env("OFFLOADRT_CPU_LEVEL", "x86-64")).success();
    assert_eq!(finished(folder.path()), 1);
}

/// The arch and the driver's version in the key of a device's finished images: a file has its key as text, each part
/// with its length.
fn key_of(folder: &Path, device: Device) -> (String, String) {
    let arch = match device {
        Device::Cpu => "cpu",
        Device::OpenCl => "spirv64",
        Device::Emulated(emulated) => emulated.arch,
    };
    let files = walk(&folder.join("cache")).into_iter().map(|path| fs::read(path).expect("the folder is ours"));
    let keys = files.filter(|file| file.starts_with(b"offloadc finished")).map(|file| parts_of_key(&file[112..]));
    let mut found =
        keys.filter(|parts| parts[1].split(':').next() == Some(arch)).map(|parts| (parts[1].clone(), parts[2].clone()));
    found.next().unwrap_or_else(|| panic!("no image for {arch}"))
}

/// The first three parts of `32:…,5:sm_80,5:13000,`.
fn parts_of_key(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(&bytes[..200.min(bytes.len())]).into_owned();
    let mut rest = text.as_str();
    (0..3)
        .map(|_| {
            let (length, after) = rest.split_once(':').expect("a part has a length");
            let (part, after) = after.split_at(length.parse().expect("it is a number"));
            rest = &after[1..];
            part.to_owned()
        })
        .collect()
}

/// The files in a folder and in those below it.
pub(super) fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is ours").flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// The number of finished images in the cache, by `cache stats`.
fn finished(folder: &Path) -> usize {
    let mut command = Command::new(harness::offloadc());
    let stats = run(command.args(["cache", "stats", "--cache-dir"]).arg(folder.join("cache"))).success().stdout();
    let number = stats.lines().find_map(|line| line.strip_prefix("finished "));
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{stats}"))
}

#[test]
fn processes_that_start_at_once_compile_once() {
    let folder = scratch();
    let program = by_line(folder.path(), KERNEL, &["--offload-arch=generic"]);
    let folders: Vec<_> = (0..4).map(|number| folder.path().join(number.to_string())).collect();
    let mut launchers = Vec::new();
    for own in &folders {
        fs::create_dir(own).expect("the folder is ours");
        launchers.push(Launcher::start(command(&program, folder.path()), own));
    }
    launchers
        .iter_mut()
        .for_each(|launcher| writeln!(launcher.child.stdin.as_mut().expect("it is piped"), "first").expect("it reads"));
    let logs: Vec<_> = launchers.into_iter().map(Launcher::end).collect();
    assert_eq!(logs.iter().filter(|log| log.contains(COMPILING)).count(), 1, "{logs:#?}");
    assert_eq!(
        logs.iter().filter(|log| log.contains(KEPT) || log.contains("loading the image")).count(),
        4,
        "{logs:#?}"
    );
}

/// The object has an image that fits. It serves until the better one is finished.
#[test]
fn a_better_image_is_made_in_the_background() {
    let folder = scratch();
    let Some(emulated) = emulators::all().find(|emulated| emulated.arch == "gfx90a") else { return };
    let program = by_line(folder.path(), KERNEL, &["--offload-arch=generic,gfx90a,cpu"]);
    let exact = "loading the image for gfx90a:sramecc+:xnack-";
    let start = |mode: &str| {
        let mut command = command(&program, folder.path());
        emulators::choose(&mut command, emulated).env("OFFLOADRT_JIT", mode);
        Launcher::start(command, folder.path())
    };
    for mode in ["auto", "never"] {
        let mut launcher = start(mode);
        assert_eq!([launcher.launch(), launcher.launch()], [0, 100]);
        let log = launcher.end();
        assert!(!log.contains("finish:") && log.contains("loading the image for gfx90a,"), "{mode}:\n{log}");
    }
    for is_kept in [false, true] {
        let mut launcher = start("always");
        assert_eq!(launcher.launch(), 0);
        launcher.wait_for(if is_kept { KEPT } else { "finish: compiled for" });
        // The thread writes the line before it reports that the work is done.
        while !launcher.log().contains(exact) {
            let _ = launcher.launch();
        }
        let log = launcher.end();
        let places = ["loading the image for gfx90a,", exact].map(|text| log.find(text).expect("both are loaded"));
        assert!(places[0] < places[1] && log.contains(COMPILING) != is_kept, "{log}");
    }
    let mut command = command(&program, folder.path());
    let refused = run(command.env("OFFLOADRT_JIT", "often"));
    let said = "`OFFLOADRT_JIT` is `often`, and must be `never`, `auto` or `always`";
    assert!(refused.code() == 1 && refused.stderr().contains(said), "{}", refused.report());
}

/// Kernels that write statics run in one image only: the first launch waits for it.
#[test]
fn an_image_with_statics_is_not_replaced() {
    let folder = scratch();
    let program = by_line(folder.path(), COUNTER, &["--offload-arch=generic,gfx90a,cpu"]);
    for device in Device::all() {
        for mode in ["auto", "always"] {
            if matches!(device, Device::Emulated(Emulated { arch: "sm_80", .. }) | Device::OpenCl) && mode == "always" {
                continue; // there is no other image
            }
            let mut command = command(&program, folder.path());
            device.choose(&mut command).env("OFFLOADRT_JIT", mode);
            let mut launcher = Launcher::start(command, folder.path());
            assert_eq!([launcher.launch(), launcher.launch(), launcher.launch()], [1, 102, 203], "{}", launcher.log());
            let log = launcher.end();
            assert!(log.matches("loading the image").count() <= 1, "{device:?}, {mode}:\n{log}");
            assert!(mode == "auto" || log.contains("finish: "), "{device:?}, {mode}:\n{log}");
        }
    }
}

/// `offloadc add` for levels of the processor: the best one that the machine has runs, and otherwise the code in the
/// program. A program without any gets code.
#[test]
fn added_levels_of_the_processor_run() {
    let folder = scratch();
    let kernel = KERNEL.replace(
        "store i32 %number",
        "%late = call i1 @__offload_is_generic()\n  %mark = select i1 %late, i32 7, i32 9\n  store i32 %mark",
    );
    let kernel = kernel + "declare i1 @__offload_is_generic()\n";
    let add = |program: &Path, arch: &str, output: &Path| {
        let mut offloadc = Command::new(harness::offloadc());
        offloadc.arg("add").arg(program).arg(format!("--offload-arch={arch}")).arg("-o").arg(output);
        let _said = run(&mut offloadc).success();
    };
    let launch = |program: &Path, level: &str, loaded: &str| {
        let mut command = command(program, folder.path());
        command.env("OFFLOADRT_CPU_LEVEL", level).env("OFFLOADRT_JIT", "never").env_remove("OFFLOADRT_DEVICE");
        let mut launcher = Launcher::start(command, folder.path());
        let mark = launcher.launch();
        assert_eq!(launcher.launch(), mark);
        let log = launcher.end();
        let line = format!("loading the image for {loaded},");
        assert_eq!(log.matches("loading the image").count(), usize::from(!loaded.is_empty()), "{log}");
        assert!(loaded.is_empty() || log.contains(&line), "{log}");
        mark
    };
    let (added, both) = (folder.path().join("added"), folder.path().join("both"));
    if cfg!(target_arch = "x86_64") {
        let program = by_line(folder.path(), &kernel, &["--offload-arch=cpu,generic"]);
        add(&program, "cpu:x86-64-v2,cpu", &added);
        assert_eq!(launch(&added, "x86-64-v2", "cpu:x86-64-v2"), 7);
        assert_eq!(launch(&added, "x86-64", ""), 9);
        assert_eq!(launch(&program, "x86-64-v2", ""), 9);
    }
    let program = by_line(folder.path(), &kernel, &["--offload-arch=generic"]);
    add(&program, "cpu", &added);
    assert_eq!(launch(&added, "x86-64", "cpu"), 7);
    if cfg!(target_arch = "x86_64") {
        add(&added, "cpu:x86-64-v2", &both);
        assert_eq!(launch(&both, "x86-64", "cpu"), 7);
        assert_eq!(launch(&both, "x86-64-v2", "cpu:x86-64-v2"), 7);
    }
}

/// An image that cannot be finished is an error of the launch, with the words of the compiler.
#[test]
fn what_is_refused_is_an_error_of_the_launch() {
    let folder = scratch();
    let kernel = "target triple = \"x86_64-unknown-linux-gnu\"\n\
        declare i32 @__offload_intrinsic.llvm.nvvm.read.ptx.sreg.clock()\n\
        define ptx_kernel void @k(ptr %to, i32 %number) {\n  \
        %now = call i32 @__offload_intrinsic.llvm.nvvm.read.ptx.sreg.clock()\n  store i32 %now, ptr %to\n  ret void\n}\n";
    let program = by_line(folder.path(), kernel, &["--offload-arch=generic", "--skip-refused-archs"]);
    let launch_once = |command: &mut Command| -> Outcome {
        let input = fs::File::open(root().join("Cargo.toml")).expect("the repository has it");
        let output = command.stdin(input).output().expect("it is linked");
        Outcome { line: format!("{command:?}"), status: output.status, stdout: output.stdout, stderr: output.stderr }
    };
    let refused = launch_once(&mut command(&program, folder.path()));
    for said in
        ["kernel `k` has no code for device `cpu` in this program", "finish` ended with status 1: error[OFC0028]: "]
    {
        assert!(refused.code() == 1 && refused.stderr().contains(said), "{}", refused.report());
    }
    let missing = launch_once(command(&program, folder.path()).env_remove("OFFLOADRT_COMPILER"));
    let said = format!("there is no `offloadc` in `{}` or in `bin` beside it", folder.path().display());
    assert!(missing.code() == 1 && missing.stderr().contains(&said), "{}", missing.report());
    // Without the log, nothing is printed except the program's output.
    let quiet = launch_once(command(&program, folder.path()).env_remove("OFFLOADRT_LOG"));
    assert!(quiet.stdout().is_empty() && quiet.stderr().lines().count() == 1, "{}", quiet.report());
}
