//! Errors of a launch.

use emulator_core::{Fault, FaultKind, Report};

/// Error codes of the driver API that launches end with.
pub(crate) mod status {
    /// `CUDA_ERROR_ILLEGAL_ADDRESS`
    pub(crate) const ILLEGAL_ADDRESS: i32 = 700;
    /// `CUDA_ERROR_ASSERT`
    pub(crate) const ASSERT: i32 = 710;
    /// `CUDA_ERROR_HARDWARE_STACK_ERROR`
    pub(crate) const STACK: i32 = 714;
    /// `CUDA_ERROR_ILLEGAL_INSTRUCTION`
    pub(crate) const ILLEGAL_INSTRUCTION: i32 = 715;
    /// `CUDA_ERROR_MISALIGNED_ADDRESS`
    pub(crate) const MISALIGNED: i32 = 716;
    /// `CUDA_ERROR_INVALID_ADDRESS_SPACE`
    pub(crate) const ADDRESS_SPACE: i32 = 717;
    /// `CUDA_ERROR_INVALID_PC`
    pub(crate) const INVALID_PC: i32 = 718;
    /// `CUDA_ERROR_LAUNCH_FAILED`
    pub(crate) const LAUNCH_FAILED: i32 = 719;
}

/// The end of a launch.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The driver's error code.
    pub(crate) status: i32,
    /// The report for the user.
    pub(crate) report: Report,
}

/// A lane's error, without its place in the program.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) status: i32,
    pub(crate) lane: usize,
    pub(crate) message: String,
}

impl Wrong {
    pub(crate) fn new(status: i32, lane: usize, message: impl Into<String>) -> Wrong {
        Wrong { status, lane, message: message.into() }
    }

    /// An access that memory refuses.
    pub(crate) fn access(lane: usize, verb: &str, space: &str, fault: &Fault) -> Wrong {
        let code = match fault.kind {
            FaultKind::Misaligned { .. } => status::MISALIGNED,
            _ => status::ILLEGAL_ADDRESS,
        };
        Wrong::new(code, lane, format!("{verb} of {space}: {fault}"))
    }
}
