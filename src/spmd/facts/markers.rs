//! Calls of functions that exist only until the end of `vectorize`, which stand for operations that code of one
//! thread cannot express.

use crate::llvm::Value;

/// The start of the names of operations under a mask.
pub(crate) const MASKED: &str = "offload.spmd.masked.";

/// The operation that a call stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Masked {
    /// `(mask)`: whether any thread is in the mask.
    Any,
    /// `(address, mask)`
    Load,
    /// `(value, address, mask)`
    Store,
    /// `()`: the branch to a part in which values are assumed to be affine (`vectorize/assumed_affine.rs`).
    Assumed,
}

impl Masked {
    const ALL: [(Masked, &str); 4] =
        [(Masked::Any, "any"), (Masked::Load, "load"), (Masked::Store, "store"), (Masked::Assumed, "assumed")];

    /// The operation of a call, if it is one.
    pub(crate) fn of(call: Value<'_>) -> Option<Masked> {
        let name = call.is_call().then(|| call.called_function()).flatten()?.name();
        let operation = name.strip_prefix(MASKED)?.split('.').next()?;
        Masked::ALL.into_iter().find(|(_, name)| *name == operation).map(|(masked, _)| masked)
    }
}

/// The name of the function that is the start of a thread's array: `(memory, size of an element)` are its arguments.
pub(crate) const START: &str = "offload.spmd.array";

/// The size of an element, if an instruction is the start of a thread's array.
pub(crate) fn element_size(instruction: Value<'_>) -> Option<u64> {
    let callee = instruction.is_call().then(|| instruction.called_function()).flatten()?;
    if callee.name() == START { instruction.operand(1).as_u64() } else { None }
}

/// Whether an alloca has the arrays of all threads.
pub(crate) fn is_shared(alloca: Value<'_>) -> bool {
    alloca.users().into_iter().any(|user| element_size(user).is_some())
}

/// The start of the names of functions that compute trip counts.
pub(crate) const COUNT: &str = "offload.spmd.count.";

/// Whether a call computes a trip count.
pub(crate) fn is_count(call: Value<'_>) -> bool {
    call.is_call() && call.called_function().is_some_and(|callee| callee.name().starts_with(COUNT))
}
