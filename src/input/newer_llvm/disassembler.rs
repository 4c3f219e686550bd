//! `offloadc-dis`: the program that loads another LLVM, and prints a module or generates its code. Each module has its
//! own process, so that the other LLVM cannot affect this one.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use super::{major, our_major, toolchain::Toolchain, version};
use crate::error::in_words;
use crate::input::bitcode::Producer;
use crate::llvm::{self, temporaries};
use crate::system::identity::identity_of_running;
use crate::system::own_files::is_installed;

/// The program's name; it is in the folder of this program.
const PROGRAM: &str = "offloadc-dis";
/// Seconds of processor time, and bytes of memory, that no module needs.
const NO_LIMIT: u64 = 1 << 40;

/// The program, and the library that it loads.
#[derive(Debug)]
pub(super) struct Disassembler {
    program: PathBuf,
    library: PathBuf,
    version: OnceLock<Result<String, String>>,
    identity: OnceLock<Option<String>>,
}

/// The part of a library that has the addresses of its functions, in bytes. All of it would take a tenth of a second.
const ADDRESSES: u64 = 4 << 20;

impl Disassembler {
    /// Finds both. The error names the missing one.
    pub(super) fn find(toolchain: &Toolchain) -> Result<Self, String> {
        let (program, library) = (program()?, toolchain.llvm()?);
        Ok(Disassembler { program, library, version: OnceLock::new(), identity: OnceLock::new() })
    }

    /// The version that the library reports, or the reason why it reports none.
    fn version(&self) -> Result<&str, String> {
        self.version.get_or_init(|| Ok(self.run(&[])?.0)).as_deref().map_err(Clone::clone)
    }

    /// The version by the name that rustc's build gives the library, such as `libLLVM.so.22.1-rust-1.95.0-stable`. To
    /// load the library for its version alone would take as long as to compile a small module.
    fn named_version(&self) -> Option<&str> {
        let name = self.library.file_name()?.to_str()?.strip_prefix("libLLVM.so.")?;
        let (version, _) = name.split_once("-rust-")?;
        version.split('.').all(|part| part.parse::<u32>().is_ok()).then_some(version)
    }

    /// The module as text of the other LLVM version.
    pub(super) fn text(&self, bitcode: &[u8], producer: &Producer) -> Result<String, String> {
        let own = self.version()?;
        if major(own) < producer.llvm_major() {
            let library = self.library.display();
            return Err(format!("`{library}` is LLVM {own}, which is older than {}", version(producer)));
        }
        self.run(bitcode).map(|(_, text)| text)
    }

    /// The object of a module of our LLVM. `code` has the arguments of the program. With `echo`, the command is
    /// printed.
    pub(super) fn object(&self, bitcode: &[u8], code: &[&str], echo: bool) -> Result<Vec<u8>, String> {
        if echo {
            let (program, library) = (self.program.display(), self.library.display());
            eprintln!("{program} {library} {NO_LIMIT} {NO_LIMIT} '{}'", code.join("' '"));
        }
        let output = self.output(bitcode, [NO_LIMIT; 2], code)?;
        let end = output.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        Ok(output[end..].to_vec())
    }

    /// Whether the library reads the bitcode of our LLVM.
    pub(super) fn reads_ours(&self) -> bool {
        self.major() >= Some(our_major())
    }

    /// The library's major version, if it reports one.
    pub(super) fn major(&self) -> Option<u32> {
        major(self.named_version().or_else(|| self.version().ok())?)
    }

    /// The facts that distinguish the library and the program from others. Those of the library are its name, which has
    /// the version of rustc, its length, and the addresses of its functions. None if only the loader can find the file,
    /// because another one may be there in the next run.
    pub(super) fn identity(&self) -> Option<String> {
        let identity = || {
            let file = File::open(&self.library).ok()?;
            let length = file.metadata().ok()?.len();
            let mut start = Vec::new();
            let _ = file.take(ADDRESSES).read_to_end(&mut start).ok()?;
            let name = self.library.file_name()?.to_string_lossy().into_owned();
            let program = identity_of_running(&self.program).ok()?;
            Some(format!("{name} {length} {} {}", blake3::hash(&start), blake3::hash(&program)))
        };
        self.identity.get_or_init(identity).clone()
    }

    /// The library and its version.
    pub(super) fn describe(&self) -> Result<String, String> {
        Ok(format!("LLVM {} (`{}`)", self.version()?, self.library.display()))
    }

    /// Returns the version and the text after it.
    fn run(&self, bitcode: &[u8]) -> Result<(String, String), String> {
        let (seconds, bytes) = (llvm::reading_limit(bitcode.len()).as_secs(), llvm::reading_memory(bitcode.len()));
        let output = self.output(bitcode, [seconds, bytes], &[])?;
        let text = String::from_utf8(output).map_err(|_| "its output is not text".to_owned())?;
        let (version, text) = text.split_once('\n').ok_or("its output has no version")?;
        Ok((version.to_owned(), text.to_owned()))
    }

    /// Returns the output of the program. `limits` are in seconds and bytes.
    fn output(&self, bitcode: &[u8], limits: [u64; 2], code: &[&str]) -> Result<Vec<u8>, String> {
        let mut command = Command::new(&self.program);
        let _ = command.arg(&self.library).args(limits.map(|limit| limit.to_string())).args(code);
        let output = output(&mut command, bitcode).map_err(|why| format!("`{}`: {why}", self.program.display()))?;
        let failed = || format!("`{}` did not read it: {}", self.library.display(), reason(&output));
        if output.status.success() { Ok(output.stdout) } else { Err(failed()) }
    }
}

/// The identities of the programs that convert a module: this one, and the one that prints it, if it is there.
pub(super) fn converters() -> [Vec<u8>; 2] {
    [Ok(PathBuf::from("/proc/self/exe")), program()]
        .map(|path| path.ok().and_then(|path| identity_of_running(&path).ok()).unwrap_or_default())
}

/// The program in the folder of this one, or in the parent folder, where cargo puts programs; tests are one level
/// below.
fn program() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| in_words(&error))?;
    let sibling = own.with_file_name(PROGRAM);
    let above = own.parent().and_then(Path::parent).map(|folder| folder.join(PROGRAM));
    let found = [Some(sibling.clone()), above].into_iter().flatten().find(|path| is_installed(path));
    found.ok_or_else(|| format!("`{}` is missing", sibling.display()))
}

fn output(command: &mut Command, input: &[u8]) -> Result<Output, String> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = temporaries::start(command).map_err(|error| in_words(&error))?;
    // The program reads all input before it writes. If it has ended, it has printed the reason.
    let _ = child.stdin().map(|mut stdin| stdin.write_all(input));
    child.output().map_err(|error| in_words(&error))
}

/// The first line of its error message, or its exit status.
fn reason(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().next().map_or_else(|| output.status.to_string(), |line| line.trim_start_matches("error: ").to_owned())
}
