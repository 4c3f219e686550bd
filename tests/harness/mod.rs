//! What every test binary needs: where the programs are, scratch folders, and commands with a time limit.

#![allow(dead_code, reason = "each test binary uses its own part")]

pub(crate) mod gpu;
pub(crate) mod opencl;
pub(crate) mod program;

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The program under test.
pub(crate) fn offloadc() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_offloadc"))
}

/// A program of LLVM's, by its name without a version.
pub(crate) fn llvm_tool(name: &str) -> PathBuf {
    llvm_bin().join(name)
}

/// The folder of LLVM's programs.
pub(crate) fn llvm_bin() -> PathBuf {
    Path::new(env!("LLVM_SYS_221_PREFIX")).join("bin")
}

/// cargo's folder for everything that is built.
pub(crate) fn target_dir() -> PathBuf {
    let here = offloadc();
    let mut ancestors = here.ancestors().skip(2);
    ancestors.next().expect("the program lies in TARGET/PROFILE/").to_path_buf()
}

/// Where `make -C runtime-c` puts its libraries.
pub(crate) fn runtime_dir() -> PathBuf {
    target_dir().join("runtime")
}

/// NVIDIA's assembler as `make test-deps` installs it, or the one on the path.
pub(crate) fn ptxas() -> Option<PathBuf> {
    let own = root().join("target/tools/nvidia/cuda_nvcc/bin/ptxas");
    if own.exists() { Some(own) } else { find_program("ptxas") }
}

/// The first program of this name on the path.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// `PATH` with offloadc's folder and LLVM's in front.
pub(crate) fn search_path(first: &[&Path]) -> OsString {
    let mut folders: Vec<PathBuf> = first.iter().map(|folder| folder.to_path_buf()).collect();
    folders.push(llvm_bin());
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    std::env::join_paths(folders).expect("no folder on the path has a colon in its name")
}

/// An empty folder under `target/tmp` that is removed when dropped.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("cargo makes the folder for temporary files")
}

/// What a command did.
pub(crate) struct Outcome {
    pub(crate) line: String,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Outcome {
    /// The exit status, or 128 and the signal's number as a shell has it.
    pub(crate) fn code(&self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// All there is to know, for the message of a failed test.
    pub(crate) fn report(&self) -> String {
        format!("$ {}\nstatus {}\n{}{}", self.line, self.code(), self.stdout(), self.stderr())
    }

    /// Itself, when the command succeeded; panics with the report otherwise.
    #[track_caller]
    pub(crate) fn success(self) -> Outcome {
        assert!(self.status.success(), "the command failed:\n{}", self.report());
        self
    }
}

/// Runs `command` with no input, for two minutes at most.
pub(crate) fn run(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(120))
}

/// Runs `command` with no input; after `limit` it is killed and the test fails.
pub(crate) fn run_within(command: &mut Command, limit: Duration) -> Outcome {
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
