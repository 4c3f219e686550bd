//! Turns calls of `__offload_unroll` into hints for LLVM's unroller, at the innermost loops around the calls.
//!
//! Before: functions that contain such calls are inlined where they shall be. After: the calls are removed. A call
//! outside of a loop, whose loop may have ended as straight code, has no effect.

use std::collections::HashMap;

use crate::analysis::cycles::loops;
use crate::contract::builtin::UNROLL;
use crate::error::Result;
use crate::llvm::Module;

/// The largest number of copies of a loop's body.
pub const MOST_COPIES: u64 = 1024;

/// Marks the loops. Calls without a fitting constant remain, and `take_launch_bounds` reports them.
pub fn mark_unrolled_loops(module: &Module<'_>) -> Result<()> {
    let Some(marker) = module.function(UNROLL).filter(|f| f.is_used()) else { return Ok(()) };
    // A loop with several ends of its body has no place for the hint.
    module.run_neutral_passes("function(loop-simplify)")?;
    let mut calls = marker.direct_calls();
    calls.reverse();
    // A hint changes no block, so the loops of each function are looked for once.
    let mut found = HashMap::new();
    for call in calls {
        let Some(count) = call.arguments()[0].as_u64().filter(|count| *count <= MOST_COPIES) else { continue };
        let all = found.entry(call.function()).or_insert_with(|| loops(call.function()));
        let around = all.iter().rfind(|l| l.blocks.contains(&call.block()));
        let latch = around.and_then(|l| l.latch.terminator());
        latch.into_iter().for_each(|latch| latch.unroll_loop(count as u32));
        call.erase();
    }
    Ok(())
}
