//! What every test crate needs: where the programs are, scratch folders, and commands with a time limit.

pub mod cargo;
pub mod gpu;
pub mod opencl;
pub mod program;

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the harness lies in tests/ of the repository").to_path_buf()
}

/// The program under test.
pub fn offloadc() -> PathBuf {
    program_folder().join("offloadc")
}

/// The folder of the programs under test, `TARGET/PROFILE`; cargo puts test programs into `deps` there.
pub fn program_folder() -> PathBuf {
    let own = std::env::current_exe().expect("the system knows which program runs");
    own.ancestors().nth(2).expect("the test lies in TARGET/PROFILE/deps/").to_path_buf()
}

/// A program of LLVM's, by its name without a version.
pub fn llvm_tool(name: &str) -> PathBuf {
    llvm_bin().join(name)
}

/// The folder of LLVM's programs.
pub fn llvm_bin() -> PathBuf {
    Path::new(env!("LLVM_SYS_221_PREFIX")).join("bin")
}

/// cargo's folder for everything that is built.
pub fn target_dir() -> PathBuf {
    program_folder().parent().expect("the programs lie in TARGET/PROFILE/").to_path_buf()
}

/// Where `make -C runtime-c` puts its libraries.
pub fn runtime_dir() -> PathBuf {
    target_dir().join("runtime")
}

/// NVIDIA's assembler as `make test-deps` installs it, or the one on the path.
pub fn ptxas() -> Option<PathBuf> {
    let own = root().join("target/tools/nvidia/cuda_nvcc/bin/ptxas");
    if own.exists() { Some(own) } else { find_program("ptxas") }
}

/// The first program of this name on the path.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// `PATH` with offloadc's folder and LLVM's in front.
pub fn search_path(first: &[&Path]) -> OsString {
    let mut folders: Vec<PathBuf> = first.iter().map(|folder| folder.to_path_buf()).collect();
    folders.push(llvm_bin());
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    std::env::join_paths(folders).expect("no folder on the path has a colon in its name")
}

/// cargo's folder for the files of tests.
pub fn temporary() -> PathBuf {
    target_dir().join("tmp")
}

/// An empty folder under `target/tmp` that is removed when dropped.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(temporary()).expect("cargo makes the folder for temporary files")
}

/// What a command did.
pub struct Outcome {
    pub line: String,
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// The exit status, or 128 and the signal's number as a shell has it.
    pub fn code(&self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// All there is to know, for the message of a failed test.
    pub fn report(&self) -> String {
        format!("$ {}\nstatus {}\n{}{}", self.line, self.code(), self.stdout(), self.stderr())
    }

    /// Itself, when the command succeeded; panics with the report otherwise.
    #[track_caller]
    pub fn success(self) -> Outcome {
        assert!(self.status.success(), "the command failed:\n{}", self.report());
        self
    }
}

/// Runs `command` with no input, for two minutes at most.
pub fn run(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(120))
}

/// Runs `command` with no input; after `limit` it is killed and the test fails.
pub fn run_within(command: &mut Command, limit: Duration) -> Outcome {
    let line = format!("{command:?}");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {line}: {error}"));
    let stdout = drain(child.stdout.take().expect("stdout is piped"));
    let stderr = drain(child.stderr.take().expect("stderr is piped"));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child is ours to wait for") {
            break status;
        }
        if start.elapsed() > limit {
            child.kill().expect("the child still runs");
            child.wait().expect("the child is ours to wait for");
            panic!("{line} still ran after {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let stdout = stdout.join().expect("reading a pipe does not panic");
    let stderr = stderr.join().expect("reading a pipe does not panic");
    Outcome { line, status, stdout, stderr }
}

fn drain(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}
