//! Removes the reports of unwritten values that the optimiser has decided: their first operand is the constant 0.
//!
//! ```c
//! offloadrt_check_decision(0, …); // gone
//! ```
//!
//! Such a call remains in its block while the optimiser runs, and keeps it from joining branches on the same condition.
//! So jumps are threaded once more. Without that, an early return is not recognised before a barrier.

use crate::contract::checker::{self, PREFIX};
use crate::error::Result;
use crate::llvm::Module;

/// Removes the calls.
pub fn drop_settled_checks(module: &Module<'_>) -> Result<()> {
    let decision = module.function(&format!("{PREFIX}decision")).filter(|function| checker::is_of_checker(*function));
    let calls = decision.iter().flat_map(|function| function.calls());
    let settled: Vec<_> = calls.filter(|call| call.arguments()[0].as_u64() == Some(0)).collect();
    if settled.is_empty() {
        return Ok(());
    }
    settled.into_iter().for_each(|call| call.erase());
    module.run_neutral_passes("function(jump-threading,simplifycfg)")
}
