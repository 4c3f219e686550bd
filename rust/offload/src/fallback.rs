//! The device of a program that offloadc has not compiled: kernels run on the processor, as the host code that rustc
//! has made of them.
//!
//! The threads of a block run one after the other, on one thread of the system. A thread that must wait for another
//! one, at a barrier or in an operation of a warp, is suspended with its stack ([`worker`]). Blocks are
//! distributed over the cores ([`run`]). Everything else is like the device `cpu` of the runtime in `runtime-c/`:
//! limits, the variables of the environment, and the texts of errors.
//!
//! In a program that offloadc has compiled, nothing reaches this module: [`is_linked`] is false there, and the
//! functions of `ffi.rs` are those of the runtime.

pub(crate) mod block;
#[cfg(offload_devices)]
pub(crate) mod devices;
mod failure;
mod handles;
mod hook;
pub(crate) mod host_calls;
mod launch;
mod limits;
mod memory;
pub(crate) mod operation;
mod overflow;
pub(crate) mod path;
pub(crate) mod processor;
pub(crate) mod report;
mod run;
pub(crate) mod runtime;
pub(crate) mod warp;
mod worker;

pub(crate) use launch::{handle, note_overlap};

use core::sync::atomic::{AtomicBool, Ordering};
use std::eprintln;

use crate::contract;

/// The arch that kernels see, which is that of the device `cpu`.
pub(crate) const CPU: u32 = 1 << 24;

/// Lanes of a warp, as on the device `cpu`.
pub(crate) const LANES: u32 = 32;

/// Whether offloadc has not compiled this program. It is a constant for offloadc, like [`crate::is_device`]: on a
/// device the first call is one, and on the host the second.
#[inline(always)]
pub(crate) fn is_linked() -> bool {
    !cfg!(miri) && !contract::__offload_is_device() && contract::__offload_arch() == contract::NOT_COMPILED
}

/// Whether this code runs in a kernel of such a program.
#[inline(always)]
pub(crate) fn is_kernel() -> bool {
    is_linked() && block::is_running()
}

/// How to get device code; a part of the note and of errors.
const HELP: &str = "`cargo offloadc build` compiles kernels for GPUs and for the processor";

/// Says once in a process that kernels run as host code.
fn note_once() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        eprintln!("note: this program has no device code, and its kernels run on the processor; {HELP}");
    }
}
