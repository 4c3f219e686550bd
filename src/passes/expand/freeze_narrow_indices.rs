//! Keeps LLVM's passes from combining narrow indices that may wrap around.
//!
//! An index of `getelementptr` that is narrower than an address is extended. Two passes of LLVM 22, which the back ends
//! for NVIDIA's and AMD's GPUs run, subtract two such indices of one pointer before the extension, and take the
//! difference for that of the addresses, although a narrow operation may wrap:
//!
//! - Straight-line strength reduction computes one address from the other one, if the extension is a sign extension
//!   (LLVM's pull request 204278). `p[b]` becomes `p[!b - 1]` for a `bool` as an offset of 0 or -1, as the standard
//!   library's merges have them.
//! - The vectoriser of loads and stores joins `p[x + 6]` with `p[x + 5]`, if the second sum alone promises not to wrap
//!   (LLVM's pull request 223500).
//!
//! `freeze` after such an operation costs no code, and scalar evolution does not look through it. An operation that
//! promises not to wrap is unchanged, because then the differences are the same.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Builder, Function, Module, Opcode, Value};

/// Freezes the narrow indices of `module` that may wrap.
pub fn freeze_narrow_indices(module: &Module<'_>) {
    for function in module.definitions() {
        let indices = narrow_indices(function, module);
        let promises = promises(&indices);
        let mut frozen = HashMap::new();
        for index in indices {
            let value = index.value();
            let leaves = index.leaves();
            let is_wrong = match index.extension {
                Opcode::ZExt => leaves.may_wrap && contradicts(value, &leaves, &promises),
                _ => leaves.may_wrap,
            };
            if is_wrong {
                index.user.set_operand(index.at, *frozen.entry(value).or_insert_with(|| freeze(value)));
            }
        }
    }
}

/// An index that is narrower than an address: the operand of its extension, or of the `getelementptr`, which extends
/// with the sign.
struct Index<'c> {
    user: Value<'c>,
    at: u32,
    extension: Opcode,
}

/// The values into which scalar evolution decomposes an index, and whether an operation on the way may wrap.
struct Leaves<'c> {
    values: Vec<Value<'c>>,
    may_wrap: bool,
}

/// All narrow indices of a function.
fn narrow_indices<'c>(function: Function<'c>, module: &Module<'c>) -> Vec<Index<'c>> {
    let mut indices = Vec::new();
    for address in function.instructions().filter(|i| i.is(Opcode::GetElementPtr)) {
        let width = u32::try_from(8 * address.operand(0).ty().store_size(module)).unwrap_or(u32::MAX);
        for at in 1..address.operand_count() {
            let index = address.operand(at);
            let index = match index.is_instruction().then(|| index.opcode()) {
                Some(extension @ (Opcode::SExt | Opcode::ZExt)) => Index { user: index, at: 0, extension },
                _ => Index { user: address, at, extension: Opcode::SExt },
            };
            if index.value().ty().int_width().is_some_and(|bits| bits < width) {
                indices.push(index);
            }
        }
    }
    indices
}

/// The indices without a sign that are sums and promise not to wrap, by the values that they are made of.
fn promises<'c>(indices: &[Index<'c>]) -> HashMap<Value<'c>, Vec<Value<'c>>> {
    let mut promises = HashMap::<_, Vec<_>>::new();
    let is_promised = |index: &&Index<'c>| {
        let value = index.value();
        index.extension == Opcode::ZExt && value.is(Opcode::Add) && value.never_wraps()
    };
    for index in indices.iter().filter(is_promised) {
        for leaf in index.leaves().values {
            promises.entry(leaf).or_default().push(index.value());
        }
    }
    promises
}

/// Whether a sum that promises not to wrap may be taken for a promise of `index`, which may wrap. If the sum is `x` and
/// at least as much as is added to `x` here, its promise holds for both.
fn contradicts<'c>(index: Value<'c>, leaves: &Leaves<'c>, promises: &HashMap<Value<'c>, Vec<Value<'c>>>) -> bool {
    let adds_less = |sum: &Value<'c>| {
        let added = |value: Value<'c>| value.operand(1).as_u64();
        index.is(Opcode::Add)
            && index.operand(0) == sum.operand(0)
            && matches!((added(index), added(*sum)), (Some(less), Some(more)) if less <= more)
    };
    let sums = leaves.values.iter().filter_map(|leaf| promises.get(leaf)).flatten();
    sums.into_iter().any(|sum| sum.ty() == index.ty() && !adds_less(sum))
}

impl<'c> Index<'c> {
    fn value(&self) -> Value<'c> {
        self.user.operand(self.at)
    }

    fn leaves(&self) -> Leaves<'c> {
        let (mut work, mut seen) = (vec![self.value()], HashSet::new());
        let mut leaves = Leaves { values: Vec::new(), may_wrap: false };
        while let Some(value) = work.pop() {
            if value.is_constant() || !seen.insert(value) {
                continue;
            }
            if !is_taken_apart(value) {
                leaves.values.push(value);
                continue;
            }
            if value.is(Opcode::Trunc) {
                leaves.values.push(value.operand(0));
            }
            leaves.may_wrap |= match value.opcode() {
                Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl if self.extension == Opcode::ZExt => {
                    !value.never_wraps()
                }
                Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl => !value.has_no_signed_wrap(),
                // `!x` is `-1 - x`, which with one bit is `x + 1`.
                Opcode::Xor => true,
                // The bits that remain are those of operations in any width, whose results may not fit.
                Opcode::Trunc => is_taken_apart(value.operand(0)),
                _ => false,
            };
            // This leaves out the condition of a selection, and the function of a call.
            work.extend(value.operands().into_iter().filter(|operand| operand.ty() == value.ty()));
        }
        leaves
    }
}

/// Whether scalar evolution looks through a value to its operands.
fn is_taken_apart(value: Value<'_>) -> bool {
    const EXTREMES: [&str; 4] = ["llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin."];
    value.is_instruction()
        && match value.opcode() {
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl | Opcode::Xor => true,
            Opcode::Phi | Opcode::Select | Opcode::Trunc => true,
            Opcode::Or => value.is_disjoint(),
            Opcode::Call => value
                .called_intrinsic()
                .is_some_and(|callee| EXTREMES.iter().any(|extreme| callee.name().starts_with(extreme))),
            _ => false,
        }
}

/// A value's `freeze`, directly after the value, so that all its uses as an index can share it.
fn freeze(value: Value<'_>) -> Value<'_> {
    let builder = match value.next() {
        Some(next) if !value.is(Opcode::Phi) => Builder::before(next),
        _ => Builder::at_start(value.block()),
    };
    builder.freeze(value, "")
}
