//! The results of single instructions.

use crate::common::{kernel, launch};

/// The results of one instruction for some operands. The result is in the register of its width: `%d`, `%rd`, `%hd`.
pub(crate) fn evaluate(instruction: &str, operands: &[[u64; 3]]) -> Vec<u64> {
    let widen = if instruction.contains(" %rd,") || instruction.contains(" %rd|") {
        "cvt.u64.u32 %d, %rd;"
    } else if instruction.contains(" %hd,") {
        "cvt.u64.u16 %d, %hd;"
    } else if instruction.contains(" %p0") {
        "selp.u64 %d, 1, 0, %p0;"
    } else {
        ""
    };
    let input: Vec<u64> = operands.iter().flatten().copied().collect();
    let module = kernel(&format!("{instruction}; {widen}"));
    launch(&module, &input, operands.len() as u32).unwrap_or_else(|status| panic!("{instruction}: error {status}"))
}
