//! Code that the CPU does not run.

use super::super::Limits;
use super::super::not_for_kernels::NOT_FOR_KERNELS;
use super::shared;
use crate::checks::check_convergence::{CROSS_LANE_OPS, check_hidden};
use crate::checks::check_locals::check_locals;
use crate::checks::check_support::{check_support, refuse_calls};
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::Module;
use crate::spmd::stops;

/// Intrinsics, without `llvm.` and their types, that the back end does not compile.
const UNCOMPILED: &[&str] = &["canonicalize.v2f32", "eh", "get.fpmode"];

/// The size of a thread's stack, with the local variables of a kernel, if `ulimit -s` was not changed.
const USUAL_STACK: u64 = 8 << 20;

/// Reports it.
pub(super) fn check(module: &Module<'_>, kernels: &KernelSet, limits: &Limits) -> Vec<Diagnostic> {
    let mut found = shared::check(module);
    found.extend(check_support(module, kernels, &|i| {
        refuse_calls(i, UNCOMPILED).or_else(|| refuse_calls(i, NOT_FOR_KERNELS))
    }));
    if limits.warp_size > 1 && stops::are_called(module) {
        found.extend(check_hidden(module, kernels, &CROSS_LANE_OPS));
    }
    found.extend(check_locals(module, kernels, Code::LargeLocals, USUAL_STACK));
    found
}
