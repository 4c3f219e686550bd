//! Target machines: optimisation levels in, code bytes out.

use inkwell::llvm_sys::target::*;
use inkwell::targets::{FileType, TargetMachine};
use std::sync::Once;

use super::apart::apart;
use super::diagnose::collecting;
use super::value::c_name;
use super::{Module, shim};
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
}

static ONCE: Once = Once::new();

/// Makes every back end of this LLVM known. Call it before anything else, once or often.
pub fn initialize() {
    // SAFETY: plain registration; `Once` keeps two threads from running it at the same time.
    ONCE.call_once(|| unsafe {
        LLVM_InitializeAllTargetInfos();
        LLVM_InitializeAllTargets();
        LLVM_InitializeAllTargetMCs();
        LLVM_InitializeAllAsmPrinters();
        LLVM_InitializeAllAsmParsers();
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
            Ok(Machine { inner: TargetMachine::new(raw) })
        }
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
        let file = match kind {
            FileKind::Assembly => FileType::Assembly,
            FileKind::Object => FileType::Object,
        };
        if self.triple().starts_with("spirv") {
            apart(|| collecting(module, || self.write(module, file)))
        } else {
            collecting(module, || self.write(module, file))
        }
    }

    fn write(&self, module: &Module<'_>, file: FileType) -> Result<Vec<u8>> {
        let buffer = self.inner.write_to_memory_buffer(module.inner(), file);
        let buffer = buffer.map_err(|e| Error::new(format!("code generation failed: {e}")))?;
        Ok(buffer.as_slice().to_vec())
    }
}
