//! The operations that instructions leave incomplete.

use super::access::{Access, Action, Extent, Space};
use super::counters::{Class, Issue, SHARED, STORE, VECTOR};
use crate::generation::Generation;
use crate::instruction::{Modifiers, What};
use crate::operand::{Half, Operand};
use crate::scalar::load;
use crate::touch::Touch;

impl Issue {
    /// None for an instruction that is complete at once.
    pub(crate) fn of(
        name: &str,
        what: &What,
        operands: &[Operand],
        modifiers: &Modifiers,
        generation: Generation,
    ) -> Option<Box<Issue>> {
        let issue = |counters, class, returns: bool| {
            let split = usize::from(returns).min(operands.len());
            let result = if returns { Touch::of(&operands[..1.min(operands.len())]) } else { Touch::default() };
            let (half, beside) = half(what, operands, generation);
            Some(Box::new(Issue { counters, class, result, sources: Touch::of(&operands[split..]), half, beside }))
        };
        match what {
            What::Memory(access) => {
                let returns = match access.action {
                    Action::Load(_) => true,
                    Action::Store(_) => false,
                    Action::Atomic(_) if access.space == Space::Shared => access.returns,
                    Action::Atomic(_) => modifiers.returns,
                };
                let (counters, class) = counted(access, returns, generation);
                issue(counters, class, returns)
            }
            What::Special(_) if matches!(name, "ds_bpermute_b32" | "ds_permute_b32" | "ds_swizzle_b32") => {
                issue(SHARED, Class::Shared, true)
            }
            What::Special(_) if load::words(name).is_some() || matches!(name, "s_memtime" | "s_memrealtime") => {
                issue(SHARED, Class::Scalar, true)
            }
            What::Special(_) if name.starts_with("s_sendmsg_rtn") => issue(SHARED, Class::Scalar, true),
            What::Nothing if name.starts_with("s_sendmsg") => issue(SHARED, Class::Scalar, false),
            _ => None,
        }
    }
}

/// The half of a register that an access needs, and its other registers. RDNA3 has instructions for halves, and LLVM
/// stores one half while the other one is loaded. It waits before a vector instruction touches either half, because a
/// load may write the whole register with the old bits of the other half (`determineVGPR16Dependency` of
/// `SIInsertWaitcnts`). GCN has no halves: LLVM waits for whole registers.
fn half(what: &What, operands: &[Operand], generation: Generation) -> (Option<Half>, Touch) {
    let What::Memory(access) = what else { return (None, Touch::default()) };
    let (half, data) = match access.action {
        Action::Load(shape) => match shape.extent {
            Extent::Whole => (None, 0),
            Extent::Low => (Some(Half::Low), 0),
            Extent::High => (Some(Half::High), 0),
        },
        Action::Store(shape) if shape.bytes < 4 => {
            let half = if shape.extent == Extent::High { Half::High } else { Half::Low };
            (Some(half), usize::from(access.space != Space::Buffer))
        }
        _ => (None, 0),
    };
    let others: Vec<Operand> =
        operands.iter().enumerate().filter(|(at, _)| *at != data).map(|(_, other)| *other).collect();
    (half.filter(|_| generation == Generation::Rdna), Touch::of(&others))
}

fn counted(access: &Access, returns: bool, generation: Generation) -> (u8, Class) {
    let vector = if returns || generation == Generation::Gcn { VECTOR } else { STORE };
    match (access.space, generation) {
        (Space::Shared, _) => (SHARED, Class::Shared),
        (Space::Flat, Generation::Gcn) => (vector | SHARED, Class::Flat),
        (Space::Flat, Generation::Rdna) => (vector | SHARED, Class::OrderedFlat),
        _ => (vector, Class::Vector),
    }
}

#[cfg(test)]
mod tests {
    use super::{SHARED, STORE, VECTOR};
    use crate::generation::Generation;
    use crate::instruction::Instruction;

    #[test]
    fn instructions_add_to_their_counters() {
        let counters = |text, generation| Instruction::new(text, 8, generation).issue.map(|issue| issue.counters);
        let both = |text| (counters(text, Generation::Gcn), counters(text, Generation::Rdna));
        assert_eq!(both("global_store_b32 v0, v1, s[0:1]"), (Some(VECTOR), Some(STORE)));
        assert_eq!(both("global_load_b32 v0, v1, s[0:1]"), (Some(VECTOR), Some(VECTOR)));
        assert_eq!(both("flat_store_b32 v[0:1], v2"), (Some(VECTOR | SHARED), Some(STORE | SHARED)));
        assert_eq!(both("global_atomic_add_u32 v0, v1, s[0:1]"), (Some(VECTOR), Some(STORE)));
        assert_eq!(both("global_atomic_add_u32 v2, v0, v1, s[0:1] glc"), (Some(VECTOR), Some(VECTOR)));
        assert_eq!(both("ds_add_u32 v0, v1"), (Some(SHARED), Some(SHARED)));
        assert_eq!(both("s_load_b64 s[0:1], s[2:3], 0x0"), (Some(SHARED), Some(SHARED)));
        assert_eq!(both("v_add_f32 v0, v1, v2"), (None, None));
    }
}
