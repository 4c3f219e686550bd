//! The LLVM of rustc: it converts modules that are newer than our LLVM, and compiles large modules of the host.
//!
//! Bitcode can be read by the LLVM that wrote it, and by later versions. The LLVM of every rustc is a shared library in
//! its toolchain (`toolchain.rs`). A separate process loads that library and prints the module as text
//! (`disassembler.rs`). The text is rewritten for our version of LLVM (`text/`) and parsed. Converted members of
//! libraries are stored for later runs (`store.rs`).

mod disassembler;
mod store;
mod text;
mod toolchain;

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::contract::triples;
use crate::diagnostics::{Code, Diagnostic};
use crate::input::bitcode::Producer;
use crate::llvm::{
    self, Context, Machine, Module, NO_WRAP_CHECKS, OptLevel, RIGHT_WRAP_CHECKS, SCHEDULER_WINDOW, crash,
};
use disassembler::{Disassembler, converters};
use store::{Folder, Key, Store};
use text::{Inexpressible, rewrite};

pub use toolchain::Toolchain;

/// The version of our LLVM.
pub const OURS: &str = env!("OFFLOADC_LLVM_VERSION");

/// Uses the LLVM of rustc. It searches for that LLVM only if there is a module for it.
#[derive(Debug)]
pub struct Reader {
    toolchain: Toolchain,
    store: Option<Folder>,
    disassembler: OnceLock<Result<Disassembler, String>>,
}

/// Whether converted modules are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// For a member of a library, which is read by many runs.
    Yes,
    /// For a module of the program, which changes with every edit.
    No,
}

/// The number before the first dot.
fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// The major version of our LLVM.
fn our_major() -> u32 {
    major(OURS).expect("llvm-config prints a number first")
}

/// Whether a module of this producer must be converted.
pub fn is_newer(producer: &Producer) -> bool {
    producer.epoch == 0 && producer.llvm_version().is_some_and(is_newer_version)
}

/// Whether an LLVM with this version, such as `23.1.1`, writes modules that ours cannot read.
pub fn is_newer_version(version: &str) -> bool {
    major(version) > Some(our_major())
}

impl Reader {
    /// A reader that finds newer versions of LLVM in `toolchain`, and stores converted modules in the folder `store`.
    pub fn new(toolchain: Toolchain, store: Option<PathBuf>) -> Self {
        Reader { toolchain, store: store.map(Folder::new), disassembler: OnceLock::new() }
    }

    /// The version and the library of the newer LLVM, or why there is none.
    pub fn describe(&self) -> Result<String, String> {
        Disassembler::find(&self.toolchain)?.describe()
    }

    /// The facts that distinguish the LLVM of rustc from others, if there is one that can compile modules of our LLVM.
    pub fn compiler(&self) -> Option<String> {
        self.disassembler().ok().filter(|found| found.reads_ours())?.identity()
    }

    /// The object that the LLVM of rustc makes of a module of our LLVM with this pipeline; or why there is none.
    pub fn object(&self, bitcode: &[u8], pipeline: &str, processor: &str, level: OptLevel) -> Result<Vec<u8>, String> {
        let compiler = self.disassembler()?;
        if compiler.identity().is_none() {
            return Err(format!("{} is not a file", compiler.describe()?));
        }
        if !compiler.reads_ours() {
            return Err(format!("{} is older than LLVM {OURS}", compiler.describe()?));
        }
        let level = level.codegen().to_string();
        let mut code = vec![pipeline, processor, &level, SCHEDULER_WINDOW];
        if compiler.major() < Some(RIGHT_WRAP_CHECKS) {
            code.push(NO_WRAP_CHECKS);
        }
        compiler.object(bitcode, &code, self.toolchain.echo)
    }

    /// The program that loads the LLVM of rustc.
    fn disassembler(&self) -> Result<&Disassembler, String> {
        self.disassembler.get_or_init(|| Disassembler::find(&self.toolchain)).as_ref().map_err(Clone::clone)
    }

    /// Converts a module to bitcode of our LLVM. `name` is the file's name for messages.
    pub fn convert(&self, name: &str, bytes: &[u8], producer: &Producer, keep: Caching) -> Result<Vec<u8>, Diagnostic> {
        let store = self.store.as_ref().filter(|_| keep == Caching::Yes);
        let key = Key::new(bytes, &converters());
        if let Some(kept) = store.and_then(|store| store.get(&key)) {
            return Ok(kept);
        }
        let _activity = crash::activity_on_input(format!("converting {name} from LLVM {}", version(producer)));
        let disassembler = self.disassembler().map_err(|why| not_found(name, producer, &why))?;
        let text = disassembler.text(bytes, producer).map_err(|why| not_found(name, producer, &why))?;
        let text = rewrite(&text, true).map_err(|cannot| inexpressible(name, producer, &text, &cannot))?;
        let converted = parse(&text).map_err(|said| inexpressible(name, producer, &text, &refused(&said)))?;
        if let Some(store) = store {
            store.put(&key, &converted);
        }
        Ok(converted)
    }
}

/// Rewrites IR text of an unknown version for our version.
pub fn text_in_our_words(name: &str, text: String) -> Result<String, Diagnostic> {
    rewrite(&text, false).map_err(|Inexpressible { line, what }| {
        let message = format!("{name}, line {line}: LLVM {} cannot express {what}", our_major());
        Diagnostic::coded(Code::NewerLlvm, message).help(
            "compile with a rustc whose LLVM is not newer, or use the bitcode, which names the LLVM that wrote it",
        )
    })
}

/// Parses text into bitcode of our LLVM. The error is the parser's, or a difference in the data layout.
fn parse(text: &str) -> Result<Vec<u8>, String> {
    let _limit = llvm::limit_reading(text.len());
    let context = Context::create();
    let module = Module::from_text(&context, text.as_bytes(), TEXT_NAME).map_err(|error| error.message().to_owned())?;
    check_layout(&module)?;
    Ok(module.bitcode())
}

/// The name of the text in errors of LLVM's parser.
const TEXT_NAME: &str = "text";

/// If the data layouts of the two versions differ, so does the layout of the program's memory.
fn check_layout(module: &Module<'_>) -> Result<(), String> {
    let layout = module.data_layout();
    // A target that our LLVM does not have is refused later, where host code is compiled.
    let Ok(machine) = Machine::new(triples::ours(&module.triple()), "", "", OptLevel::O0.codegen(), true) else {
        return Ok(());
    };
    let ours = machine.data_layout();
    if layout.is_empty() || layout == ours {
        return Ok(());
    }
    Err(format!("the data layout `{layout}`; for `{}` it has `{ours}`", module.triple()))
}

/// Parses an error of our parser: `text is not valid LLVM IR: text:7:12: error: expected type`, with the line.
fn refused(said: &str) -> Inexpressible {
    let place = said.split_once(&format!("{TEXT_NAME}:")).and_then(|(_, rest)| {
        let (line, rest) = rest.split_once(':')?;
        let (_, what) = rest.split_once(": error: ")?;
        Some(Inexpressible { line: line.parse().ok()?, what: what.lines().next()?.to_owned() })
    });
    place.unwrap_or_else(|| Inexpressible { line: 0, what: said.to_owned() })
}

/// `23.1.1`.
fn version(producer: &Producer) -> &str {
    producer.llvm_version().unwrap_or("of an unknown version")
}

/// `LLVM 23.1.1 (rustc 1.99.1-stable)`.
fn written_by(producer: &Producer) -> String {
    let rustc = producer.rustc_version().map_or(String::new(), |version| format!(" (rustc {version})"));
    format!("LLVM {}{rustc}", version(producer))
}

fn not_found(name: &str, producer: &Producer, why: &str) -> Diagnostic {
    let by = written_by(producer);
    Diagnostic::coded(
        Code::NewerLlvm,
        format!("{name} was written by {by}, which is newer than offloadc's LLVM {}", our_major()),
    )
    .note(format!("offloadc converts it with the libLLVM of its rustc, but {why}"))
    .help("name that rustc's sysroot with `--sysroot`, or its libLLVM with `--rustc-llvm`")
    .help(format!("or compile with a rustc whose `rustc -vV` says LLVM {} or older", our_major()))
}

fn inexpressible(name: &str, producer: &Producer, text: &str, cannot: &Inexpressible) -> Diagnostic {
    let by = written_by(producer);
    let message = format!(
        "{name}, written by {by}, contains something that LLVM {} cannot express: {}",
        our_major(),
        cannot.what
    );
    let line = cannot.line.checked_sub(1).and_then(|line| text.lines().nth(line));
    let diagnostic = Diagnostic::coded(Code::NewerLlvm, message);
    line.iter()
        .fold(diagnostic, |diagnostic, line| diagnostic.note(format!("in `{}`", line.trim())))
        .help(format!("compile with a rustc whose `rustc -vV` says LLVM {} or older", our_major()))
}
