//! Helpers for all test crates: paths of programs, scratch folders, and commands with a time limit.

pub mod aarch64;
pub mod cargo;
pub mod emulators;
pub mod gpu;
pub mod opencl;
mod path;
pub mod program;
pub mod turns;

pub use path::{find_program, path_without_offloadc, search_path, without_offloadc};

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

/// The folder of the programs under test, `TARGET/PROFILE`. Cargo puts test programs into `deps` there, or, in newer
/// versions, into `build/PACKAGE/HASH/out`.
pub fn program_folder() -> PathBuf {
    let own = std::env::current_exe().expect("the system knows which program runs");
    let has_program = |folder: &&Path| folder.join("offloadc").is_file();
    own.ancestors().find(has_program).expect("the test lies in a folder below TARGET/PROFILE/").to_path_buf()
}

/// A program of LLVM, by its name without a version.
pub fn llvm_tool(name: &str) -> PathBuf {
    llvm_bin().join(name)
}

/// The folder of LLVM's programs.
pub fn llvm_bin() -> PathBuf {
    Path::new(env!("LLVM_SYS_221_PREFIX")).join("bin")
}

/// cargo's target folder.
pub fn target_dir() -> PathBuf {
    program_folder().parent().expect("the programs lie in TARGET/PROFILE/").to_path_buf()
}

/// The folder with the libraries of `make -C runtime-c`.
pub fn runtime_dir() -> PathBuf {
    target_dir().join("runtime")
}

/// NVIDIA's assembler from `make test-deps`, or the one in `PATH`.
pub fn ptxas() -> Option<PathBuf> {
    let own = root().join("target/tools/nvidia/cuda_nvcc/bin/ptxas");
    if own.exists() { Some(own) } else { find_program("ptxas") }
}

/// A path as one word of a shell's command line, so that the repository can be in a folder with spaces in its name.
pub fn shell_word(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:=@%".contains(c);
    path.chars().flat_map(|c| (!is_plain(c)).then_some('\\').into_iter().chain([c])).collect()
}

/// cargo's folder for the files of tests.
pub fn temporary() -> PathBuf {
    target_dir().join("tmp")
}

/// An empty folder under `target/tmp` that is removed when dropped.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(temporary()).expect("cargo makes the folder for temporary files")
}

/// The result of a command.
pub struct Outcome {
    pub line: String,
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// The exit status, or 128 plus the number of the signal, as in a shell.
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

    /// Whether the output has this word outside the folders that a user names: a path can have any word in it.
    pub fn mentions(&self, word: &str) -> bool {
        [self.stdout(), self.stderr()].iter().any(|text| without_folders(text).contains(word))
    }

    /// All information about the command, for the message of a failed test.
    pub fn report(&self) -> String {
        format!("$ {}\nstatus {}\n{}{}", self.line, self.code(), self.stdout(), self.stderr())
    }

    /// Returns the outcome if the command succeeded; panics with the report otherwise.
    #[track_caller]
    pub fn success(self) -> Outcome {
        assert!(self.status.success(), "the command failed:\n{}", self.report());
        self
    }
}

/// The text of a command without the folders that a user names: the one of the repository, the home, and the one for
/// temporary files. A test that looks for a word must not find it there.
pub fn without_folders(text: &str) -> String {
    let named = ["HOME", "CARGO_HOME", "TMPDIR"].map(|name| std::env::var(name).unwrap_or_default());
    let mut folders = [vec![root().display().to_string()], named.to_vec()].concat();
    folders.retain(|folder| folder.len() > 1);
    // The longest first, because one can be in the other.
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
    folders.iter().fold(text.to_owned(), |text, folder| text.replace(folder, ""))
}

/// Runs `command` without input, for at most two minutes.
pub fn run(command: &mut Command) -> Outcome {
    run_within(command, Duration::from_secs(120))
}

/// So many times the time limits of commands are meant: 1, or the number in `OFFLOADC_PATIENCE` on a busy machine.
fn patience() -> u32 {
    let number = |text: String| text.parse().expect("OFFLOADC_PATIENCE is a number");
    std::env::var("OFFLOADC_PATIENCE").map_or(1, number)
}

/// Runs `command` without input. After `limit` it is killed and the test fails.
pub fn run_within(command: &mut Command, limit: Duration) -> Outcome {
    let limit = limit * patience();
    let line = format!("{command:?}");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(command).unwrap_or_else(|error| panic!("cannot start {line}: {error}"));
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

/// Starts a program that a test may have just written. A child of another test, between its fork and its exec, can
/// still have the file open for writing.
fn start(command: &mut Command) -> std::io::Result<std::process::Child> {
    for _ in 0..100 {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(5));
            }
            started => return started,
        }
    }
    command.spawn()
}

fn drain(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}
