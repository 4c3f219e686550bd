//! Target machines: they generate code for a module.

use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::llvm_sys::target::*;
use inkwell::targets::TargetMachine;
use std::collections::HashSet;
use std::ffi::{CStr, c_char};
use std::sync::Once;

use super::child_process::{self, run_in_child};
use super::diagnose::collecting;
use super::give_back::give_back;
use super::value::c_name;
use super::without::Without;
use super::workarounds::{DISABLE_LOOP_REDUCE, KEEP_BLOCK_ORDER, MACHINE_PASSES, SEPARATE_PROCESS};
use super::{Block, Context, Function, Module, Value, shim};
use crate::error::{Error, Result};

/// The kind of file that a target machine writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Assembly text, PTX among it.
    Assembly,
    /// A relocatable object.
    Object,
}

/// The optimisation level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptLevel {
    /// `-O0`: no optimisation.
    O0,
    /// `-O1`.
    O1,
    /// `-O2`.
    O2,
    /// `-O3`.
    O3,
    /// `-Os`: small code.
    Os,
    /// `-Oz`: the smallest code.
    Oz,
}

/// LLVM 23 has no pipelines for size; pipeline.cpp gives functions attributes instead.
const SIZE_IS_AN_ATTRIBUTE: bool = cfg!(feature = "llvm23");

/// LLVM 23's SPIR-V back end orders blocks, and then brings loops into simplified form, with dedicated exits, which may
/// be placed in front of the loop. Loops have this form before, unless a pass such as `CodeGenPrepare` removes these
/// exits.
const ORDERS_BLOCKS_EARLY: bool = cfg!(feature = "llvm23");

impl OptLevel {
    /// Every level.
    const ALL: [Self; 6] = [Self::O0, Self::O1, Self::O2, Self::O3, Self::Os, Self::Oz];

    /// The character after `-O`.
    pub fn letter(self) -> &'static str {
        match self {
            OptLevel::O0 => "0",
            OptLevel::O1 => "1",
            OptLevel::O2 => "2",
            OptLevel::O3 => "3",
            OptLevel::Os => "s",
            OptLevel::Oz => "z",
        }
    }

    /// The same character for a call of C.
    pub(super) fn c_letter(self) -> c_char {
        self.letter().as_bytes()[0].cast_signed()
    }

    /// The level with this character after `-O`.
    pub fn from_letter(letter: &str) -> Result<Self, String> {
        let level = Self::ALL.into_iter().find(|level| level.letter() == letter);
        level.ok_or_else(|| "the levels are 0, 1, 2, 3, s and z".to_owned())
    }

    /// LLVM's pipeline that only simplifies, before a later pipeline optimises for a target; none at `-O0`.
    pub fn simplification(self) -> Option<&'static str> {
        match self {
            OptLevel::O0 => None,
            OptLevel::O1 => Some("thinlto-pre-link<O1>"),
            OptLevel::O2 | OptLevel::O3 => Some("thinlto-pre-link<O2>"),
            OptLevel::Os | OptLevel::Oz if SIZE_IS_AN_ATTRIBUTE => Some("thinlto-pre-link<O2>"),
            OptLevel::Os => Some("thinlto-pre-link<Os>"),
            OptLevel::Oz => Some("thinlto-pre-link<Oz>"),
        }
    }

    /// LLVM's default pipeline for this level.
    pub fn pipeline(self) -> &'static str {
        match self {
            OptLevel::O0 => "default<O0>",
            OptLevel::O1 => "default<O1>",
            OptLevel::O2 => "default<O2>",
            OptLevel::O3 => "default<O3>",
            OptLevel::Os | OptLevel::Oz if SIZE_IS_AN_ATTRIBUTE => "default<O2>",
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

/// The settings of a target machine, from which another process makes an equal one.
struct Settings {
    triple: String,
    cpu: String,
    features: String,
    /// The level of code generation, 0 to 3.
    level: u8,
    position_independent: bool,
}

/// A target machine. It belongs to one thread.
pub struct Machine {
    inner: TargetMachine,
    /// The settings that it was made with.
    settings: Settings,
    /// Whether the code of each module is made in its own process.
    separate_process: bool,
    without: Without,
}

static ONCE: Once = Once::new();

/// The number of accesses with which LLVM's schedulers compare each memory access. It limits a time that is quadratic
/// in the length of a block. With LLVM's default of 1,000, blocks with thousands of accesses take 5 times as long, and
/// no device has as many accesses in flight.
pub const SCHEDULER_WINDOW: &str = "-dag-maps-huge-region=200";

/// The option for an LLVM older than [`RIGHT_WRAP_CHECKS`] whose pipelines lack the work-around
/// `freeze_narrow_recurrences`: it does not vectorise a loop on the condition that a number does not wrap.
pub const NO_WRAP_CHECKS: &str = "-vectorize-scev-check-threshold=0";
/// The first major version that checks all of these numbers.
pub const RIGHT_WRAP_CHECKS: u32 = 23;

/// Initialises all back ends of this LLVM. It must be called before anything else; later calls have no effect.
pub fn initialize() {
    // SAFETY: plain registration; `Once` keeps two threads from running it at the same time.
    ONCE.call_once(|| unsafe {
        LLVM_InitializeAllTargetInfos();
        LLVM_InitializeAllTargets();
        LLVM_InitializeAllTargetMCs();
        LLVM_InitializeAllAsmPrinters();
        LLVM_InitializeAllAsmParsers();
        shim::ofc_add_machine_passes();
        set_options(&[&c_name(SCHEDULER_WINDOW)]);
    });
}

impl Machine {
    /// The blocks of a function at whose ends the lanes of a wave may go different ways, by LLVM's analysis.
    pub fn divergent_ends<'c>(&self, function: Function<'c>) -> Vec<Block<'c>> {
        let blocks = function.blocks();
        let mut marks = vec![0_u8; blocks.len()];
        let machine = self.inner.as_mut_ptr();
        llvm!(shim::ofc_mark_divergent_ends(function.raw, machine, marks.as_mut_ptr()));
        blocks.into_iter().zip(marks).filter(|(_, mark)| *mark != 0).map(|(block, _)| block).collect()
    }

    /// The instructions of a function whose results may differ between the lanes of a wave, by LLVM's analysis.
    pub fn divergent_results<'c>(&self, function: Function<'c>) -> HashSet<Value<'c>> {
        let instructions: Vec<_> = function.instructions().collect();
        let mut marks = vec![0_u8; instructions.len()];
        let machine = self.inner.as_mut_ptr();
        llvm!(shim::ofc_mark_divergent_results(function.raw, machine, marks.as_mut_ptr()));
        instructions.into_iter().zip(marks).filter(|(_, mark)| *mark != 0).map(|(result, _)| result).collect()
    }

    /// A target machine for a triple, a CPU and features. `level` is that of code generation, 0 to 3.
    pub fn new(triple: &str, cpu: &str, features: &str, level: u32, position_independent: bool) -> Result<Self> {
        initialize();
        let (t, c, f) = (c_name(triple), c_name(cpu), c_name(features));
        // SAFETY: the strings outlive the call; inkwell takes the machine over and disposes of it.
        unsafe {
            let raw = shim::ofc_target_machine(t.as_ptr(), c.as_ptr(), f.as_ptr(), level, position_independent.into());
            if raw.is_null() {
                return Err(Error::new(format!("this LLVM was built without a back end for `{triple}`")));
            }
            let [triple, cpu, features] = [triple, cpu, features].map(str::to_owned);
            let settings = Settings { triple, cpu, features, level: level as u8, position_independent };
            Ok(Machine {
                inner: TargetMachine::new(raw),
                settings,
                separate_process: false,
                without: Without::default(),
            })
        }
    }

    /// The same machine. `separate_process`: its back end can generate code only once in a process, so each module is
    /// compiled in its own process. [`prepare`] must have been called before.
    pub fn in_separate_process(self, separate_process: bool) -> Self {
        Machine { separate_process: separate_process && !self.without.lacks(SEPARATE_PROCESS), ..self }
    }

    /// The same machine, without these work-arounds.
    pub fn without_workarounds(self, without: Without) -> Self {
        Machine { without, ..self }
    }

    /// The work-arounds that are switched off.
    pub fn without(&self) -> Without {
        self.without
    }

    pub(super) fn inner(&self) -> &TargetMachine {
        &self.inner
    }

    /// Its triple.
    pub fn triple(&self) -> String {
        self.inner.get_triple().as_str().to_string_lossy().into_owned()
    }

    /// LLVM's name of its processor.
    pub fn cpu(&self) -> &str {
        &self.settings.cpu
    }

    /// The features, as LLVM's list.
    pub fn features(&self) -> &str {
        &self.settings.features
    }

    /// The text of its data layout.
    pub fn data_layout(&self) -> String {
        self.inner.get_target_data().get_data_layout().as_str().to_string_lossy().into_owned()
    }

    /// Whether values in memory are at the same places in a module with the data layout `layout`.
    pub fn fits_layout(&self, layout: &str) -> bool {
        let (own, other) = (c_name(&self.data_layout()), c_name(layout));
        // SAFETY: both texts outlive the call.
        unsafe { shim::ofc_layouts_fit(own.as_ptr(), other.as_ptr()) != 0 }
    }

    /// Generates code for a module with this machine's triple and data layout.
    pub fn emit(&self, module: &Module<'_>, kind: FileKind) -> Result<Vec<u8>> {
        if !self.separate_process {
            return self.write(module, kind);
        }
        let Settings { triple, cpu, features, level, position_independent } = &self.settings;
        let numbers = [*level, u8::from(*position_independent), u8::from(kind == FileKind::Object)];
        let (without, bitcode) = (self.without.to_bytes(), module.bitcode());
        let texts = [triple, cpu, features].map(|text| text.as_bytes());
        run_in_child(emit_parts, &[&texts[..], &[&numbers, &without, &bitcode]].concat())
    }

    fn write(&self, module: &Module<'_>, kind: FileKind) -> Result<Vec<u8>> {
        llvm!(shim::ofc_choose_machine_passes(self.without.bits_on(&MACHINE_PASSES)));
        let code = collecting(module, || {
            let mut length = 0;
            let is_object = i32::from(kind == FileKind::Object);
            // SAFETY: machine and module are live. The code is copied once, into memory of its length.
            unsafe {
                let code = shim::ofc_emit(self.inner.as_mut_ptr(), module.raw(), is_object, &mut length);
                if code.is_null() {
                    return Err(Error::internal("code generation failed: the machine does not write such a file"));
                }
                let mut bytes = Vec::<u8>::with_capacity(length);
                shim::ofc_take_code(code, bytes.as_mut_ptr().cast());
                bytes.set_len(length);
                Ok(bytes)
            }
        })?;
        give_back(code.len());
        Ok(code)
    }
}

/// Prepares code generation in other processes. It must be called while this process has one thread.
pub fn prepare() {
    child_process::start(emit_parts);
}

/// The part of [`Machine::emit`] that runs in another process.
fn emit_parts(parts: &[Vec<u8>]) -> Result<Vec<u8>> {
    let [triple, cpu, features, numbers, without, bitcode] = parts else {
        return Err(Error::internal("the request has the wrong number of strings"));
    };
    let [triple, cpu, features] = [triple, cpu, features].map(|name| String::from_utf8_lossy(name));
    let ([level, position_independent, object], Ok(without)) = (&numbers[..], without[..].try_into()) else {
        return Err(Error::internal("the request has the wrong number of integers"));
    };
    let without = Without::from_bytes(without);
    let kind = if *object != 0 { FileKind::Object } else { FileKind::Assembly };
    let keeps_order = ORDERS_BLOCKS_EARLY && *level != 0 && !without.lacks(KEEP_BLOCK_ORDER);
    let mut options = Vec::new();
    // LLVM 22's SPIR-V back end turns the extended truncations that loop strength reduction leaves (`zext i8 (trunc i64
    // to i8) to i16`) into an `and` of two widths, which is invalid.
    if !without.lacks(DISABLE_LOOP_REDUCE) {
        options.push(c"-disable-lsr");
    }
    if keeps_order {
        options.push(c"-disable-cgp");
    }
    // SAFETY: this process has one thread and has made nothing yet.
    unsafe { set_options(&options) }
    let context = Context::create();
    let module = Module::from_bitcode(&context, bitcode, "device")?;
    let machine = Machine::new(&triple, &cpu, &features, (*level).into(), *position_independent != 0)?;
    if keeps_order {
        module.run_passes("function(loop-simplify)", &machine)?;
    }
    machine.write(&module, kind)
}

/// Sets options of LLVM that have no other interface, each once in a process.
///
/// # Safety
///
/// No other thread may use LLVM at the same time.
unsafe fn set_options(options: &[&CStr]) {
    let words: Vec<_> = [c"offloadc"].iter().chain(options).map(|word| word.as_ptr()).collect();
    // SAFETY: the words are C strings that outlive the call; the caller answers for the rest.
    unsafe { LLVMParseCommandLineOptions(words.len() as i32, words.as_ptr(), std::ptr::null()) }
}
