//! Target machines: optimisation levels in, code bytes out.

use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::llvm_sys::target::*;
use inkwell::targets::{FileType, TargetMachine};
use std::ffi::CStr;
use std::sync::Once;

use super::child_process::{self, run_in_child};
use super::diagnose::collecting;
use super::value::c_name;
use super::{Context, Module, shim};
use crate::error::{Error, Result};

/// What a target machine writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Assembly text, PTX among it.
    Assembly,
    /// A relocatable object.
    Object,
}

/// How much to optimise, as compilers spell it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptLevel {
    /// `-O0`.
    O0,
    /// `-O1`.
    O1,
    /// `-O2`.
    O2,
    /// `-O3`.
    O3,
    /// `-Os`: small.
    Os,
    /// `-Oz`: smallest.
    Oz,
}

impl OptLevel {
    /// LLVM's default pipeline of this level.
    pub fn pipeline(self) -> &'static str {
        match self {
            OptLevel::O0 => "default<O0>",
            OptLevel::O1 => "default<O1>",
            OptLevel::O2 => "default<O2>",
            OptLevel::O3 => "default<O3>",
            OptLevel::Os => "default<Os>",
            OptLevel::Oz => "default<Oz>",
        }
    }

    /// The level of code generation, 0 to 3.
    pub fn codegen(self) -> u32 {
        match self {
            OptLevel::O0 => 0,
            OptLevel::O1 => 1,
            OptLevel::O2 | OptLevel::Os | OptLevel::Oz => 2,
            OptLevel::O3 => 3,
        }
    }
}

/// A target machine; belongs to one thread.
pub struct Machine {
    inner: TargetMachine,
    /// Triple, CPU and features, to make the same one elsewhere.
    names: [String; 3],
    /// Level and position independence.
    numbers: [u8; 2],
    /// Whether the code of each module is made in its own process.
    separate_process: bool,
}

static ONCE: Once = Once::new();

/// How many accesses LLVM's schedulers compare each access of memory with, so that its time does not grow with the square of
/// a block's length. LLVM's own 1,000 take 5 times as long where a block has thousands, and no unit keeps as many in flight.
const SCHEDULER_WINDOW: &CStr = c"-dag-maps-huge-region=200";

/// Makes every back end of this LLVM known. Call it before anything else, once or often.
pub fn initialize() {
    // SAFETY: plain registration; `Once` keeps two threads from running it at the same time.
    ONCE.call_once(|| unsafe {
        LLVM_InitializeAllTargetInfos();
        LLVM_InitializeAllTargets();
        LLVM_InitializeAllTargetMCs();
        LLVM_InitializeAllAsmPrinters();
        LLVM_InitializeAllAsmParsers();
        set_options(&[SCHEDULER_WINDOW]);
    });
}

impl Machine {
    /// A target machine for a triple, a CPU and a feature string; `level` 0 to 3 is code generation's.
    pub fn new(triple: &str, cpu: &str, features: &str, level: u32, position_independent: bool) -> Result<Self> {
        initialize();
        let (t, c, f) = (c_name(triple), c_name(cpu), c_name(features));
        // SAFETY: the strings outlive the call; inkwell takes the machine over and disposes of it.
        unsafe {
            let raw = shim::ofc_target_machine(t.as_ptr(), c.as_ptr(), f.as_ptr(), level, position_independent.into());
            if raw.is_null() {
                return Err(Error::new(format!("this LLVM was built without a back end for `{triple}`")));
            }
            let names = [triple, cpu, features].map(str::to_owned);
            let numbers = [level as u8, position_independent.into()];
            Ok(Machine { inner: TargetMachine::new(raw), names, numbers, separate_process: false })
        }
    }

    /// The same machine. If `separate_process`, its back end can make code only once in a process, so the code of each module is made in
    /// its own process. [`prepare`] must have been called before.
    pub fn in_separate_process(self, separate_process: bool) -> Self {
        Machine { separate_process, ..self }
    }

    pub(super) fn inner(&self) -> &TargetMachine {
        &self.inner
    }

    /// Its triple.
    pub fn triple(&self) -> String {
        self.inner.get_triple().as_str().to_string_lossy().into_owned()
    }

    /// Its data layout's text.
    pub fn data_layout(&self) -> String {
        self.inner.get_target_data().get_data_layout().as_str().to_string_lossy().into_owned()
    }

    /// Generates code for a module whose triple and layout are this machine's.
    pub fn emit(&self, module: &Module<'_>, kind: FileKind) -> Result<Vec<u8>> {
        if !self.separate_process {
            return self.write(module, kind);
        }
        let [triple, cpu, features] = self.names.each_ref().map(String::as_bytes);
        let numbers = [self.numbers[0], self.numbers[1], u8::from(kind == FileKind::Object)];
        run_in_child(emit_parts, &[triple, cpu, features, &numbers, &module.bitcode()])
    }

    fn write(&self, module: &Module<'_>, kind: FileKind) -> Result<Vec<u8>> {
        let file = match kind {
            FileKind::Assembly => FileType::Assembly,
            FileKind::Object => FileType::Object,
        };
        collecting(module, || {
            let buffer = self.inner.write_to_memory_buffer(module.inner(), file);
            let buffer = buffer.map_err(|e| Error::new(format!("code generation failed: {e}")))?;
            Ok(buffer.as_slice().to_vec())
        })
    }
}

/// Prepares code generation in other processes. It must be called while this process has one thread.
pub fn prepare() {
    child_process::start(emit_parts);
}

/// What [`Machine::emit`] asks of another process.
fn emit_parts(parts: &[Vec<u8>]) -> Result<Vec<u8>> {
    let [triple, cpu, features, numbers, bitcode] = parts else {
        return Err(Error::internal("the request has the wrong number of strings"));
    };
    let [triple, cpu, features] = [triple, cpu, features].map(|name| String::from_utf8_lossy(name));
    let [level, position_independent, object] = numbers[..] else {
        return Err(Error::internal("the request has the wrong number of integers"));
    };
    let kind = if object != 0 { FileKind::Object } else { FileKind::Assembly };
    without_loop_reduce();
    let context = Context::create();
    let module = Module::from_bitcode(&context, bitcode, "device")?;
    Machine::new(&triple, &cpu, &features, level.into(), position_independent != 0)?.write(&module, kind)
}

/// Switches loop strength reduction off, for all that this process makes later. LLVM 22's SPIR-V back end makes an `and` of
/// two widths of the extended truncations that it leaves (`zext i8 (trunc i64 to i8) to i16`), which no consumer takes.
fn without_loop_reduce() {
    // SAFETY: this process has one thread and has made nothing yet.
    unsafe { set_options(&[c"-disable-lsr"]) }
}

/// Sets options of LLVM's that no other interface has, each once in a process.
///
/// # Safety
///
/// No other thread uses LLVM meanwhile.
unsafe fn set_options(options: &[&CStr]) {
    let words: Vec<_> = [c"offloadc"].iter().chain(options).map(|word| word.as_ptr()).collect();
    // SAFETY: the words are C strings that outlive the call; the caller answers for the rest.
    unsafe { LLVMParseCommandLineOptions(words.len() as i32, words.as_ptr(), std::ptr::null()) }
}
