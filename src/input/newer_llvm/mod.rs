//! Modules by a newer LLVM than ours, such as a newer rustc writes, as modules that ours reads.
//!
//! Bitcode is read by the LLVM that wrote it and by later ones. The LLVM of every rustc is a shared library beside it
//! (`toolchain.rs`). A process of its own loads that library and prints the module as text (`disassembler.rs`); the text
//! is put into our LLVM's words (`text/`), parsed, and from then on is bitcode like any other. Members of libraries are
//! kept from one run to the next (`store.rs`).

mod disassembler;
mod store;
mod text;
mod toolchain;

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::diagnostics::{Code, Diagnostic};
use crate::input::bitcode::Producer;
use crate::llvm::{self, Context, Machine, Module, OptLevel, crash};
use disassembler::Disassembler;
use store::{Folder, Key, Store};
use text::{Inexpressible, rewrite};

pub use toolchain::Toolchain;

/// Our LLVM's version.
pub const OURS: &str = env!("OFFLOADC_LLVM_VERSION");

/// Reads what newer LLVMs wrote. Nothing is looked for before there is such a module.
#[derive(Debug)]
pub struct Reader {
    toolchain: Toolchain,
    store: Option<Folder>,
    disassembler: OnceLock<Result<Disassembler, String>>,
}

/// Whether converted modules are worth keeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// A library's member, which many runs read.
    Yes,
    /// The program's own, which changes with every edit.
    No,
}

/// The number before the first point.
fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// The same of our LLVM.
fn our_major() -> u32 {
    major(OURS).expect("llvm-config prints a number first")
}

/// Whether a module by this producer must be converted.
pub fn is_newer(producer: &Producer) -> bool {
    producer.epoch == 0 && producer.llvm_version().is_some_and(is_newer_version)
}

/// Whether LLVM of this version, such as `23.1.1`, writes what ours does not read.
pub fn is_newer_version(version: &str) -> bool {
    major(version) > Some(our_major())
}

impl Reader {
    /// A reader that looks for newer LLVMs in `toolchain` and keeps converted modules in the folder `store`.
    pub fn new(toolchain: Toolchain, store: Option<PathBuf>) -> Self {
        Reader { toolchain, store: store.map(Folder::new), disassembler: OnceLock::new() }
    }

    /// The newer LLVM that is found, with its version and its library; or why there is none.
    pub fn describe(&self) -> Result<String, String> {
        Disassembler::find(&self.toolchain).map(|found| found.describe())
    }

    /// The module as our LLVM's bitcode; `name` is the file's, for messages.
    pub fn convert(&self, name: &str, bytes: &[u8], producer: &Producer, keep: Caching) -> Result<Vec<u8>, Diagnostic> {
        let store = self.store.as_ref().filter(|_| keep == Caching::Yes);
        let key = Key::new(bytes);
        if let Some(kept) = store.and_then(|store| store.get(&key)) {
            return Ok(kept);
        }
        let _activity = crash::activity(format!("converting {name} from LLVM {}", version(producer)));
        let disassembler = self.disassembler.get_or_init(|| Disassembler::find(&self.toolchain));
        let disassembler = disassembler.as_ref().map_err(|why| not_found(name, producer, why))?;
        let text = disassembler.text(bytes, producer).map_err(|why| not_found(name, producer, &why))?;
        let text = rewrite(&text, true).map_err(|cannot| inexpressible(name, producer, &text, &cannot))?;
        let converted = parse(&text).map_err(|said| inexpressible(name, producer, &text, &refused(&said)))?;
        if let Some(store) = store {
            store.put(&key, &converted);
        }
        Ok(converted)
    }
}

/// IR text by whatever LLVM, in the words of ours.
pub fn text_in_our_words(name: &str, text: String) -> Result<String, Diagnostic> {
    rewrite(&text, false).map_err(|Inexpressible { line, what }| {
        let message = format!("{name}, line {line}: LLVM {} cannot express {what}", our_major());
        Diagnostic::coded(Code::NewerLlvm, message).help(
            "compile with a rustc whose LLVM is not newer, or use the bitcode, which names the LLVM that wrote it",
        )
    })
}

/// Text as our LLVM's bitcode; or what its parser says, or what differs in the data layout.
fn parse(text: &str) -> Result<Vec<u8>, String> {
    let _limit = llvm::limit(llvm::reading_limit(text.len()));
    let context = Context::create();
    let module = Module::from_text(&context, text.as_bytes(), TEXT_NAME).map_err(|error| error.message().to_owned())?;
    check_layout(&module)?;
    Ok(module.bitcode())
}

/// What LLVM's parser calls the text.
const TEXT_NAME: &str = "text";

/// Types lie in memory as the data layout says; where that of the newer LLVM is another, so is the program's memory.
fn check_layout(module: &Module<'_>) -> Result<(), String> {
    let layout = module.data_layout();
    // What our LLVM has no target for is refused where host code begins, with its triple.
    let Ok(machine) = Machine::new(&module.triple(), "", "", OptLevel::O0.codegen(), true) else { return Ok(()) };
    let ours = machine.data_layout();
    if layout.is_empty() || layout == ours {
        return Ok(());
    }
    Err(format!("the data layout `{layout}`; for `{}` it has `{ours}`", module.triple()))
}

/// What our parser said of a text: `text is not valid LLVM IR: text:7:12: error: expected type`, and the line.
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
