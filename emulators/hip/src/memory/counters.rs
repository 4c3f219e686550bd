//! The counters of incomplete operations: instructions add to them, and waits wait for them.

use crate::generation::Generation;
use crate::operand::Half;
use crate::text::{Text, number};
use crate::touch::Touch;

/// VM_CNT: loads by vector registers; on GCN, stores as well.
pub(crate) const VECTOR: u8 = 1;
/// VS_CNT of RDNA: stores, and atomics that return nothing.
pub(crate) const STORE: u8 = 2;
/// LGKM_CNT: shared memory, scalar loads, messages.
pub(crate) const SHARED: u8 = 4;

/// In which order operations complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// By vector registers: reads and writes return in the order in which they were issued (MI200 ISA, "Data Dependency
    /// Resolution"; AMDGPUUsage, "Memory Model GFX10-GFX11", the same of each of both counters).
    Vector,
    /// In shared memory: instructions of the same type return in the order in which they were issued (same section).
    Shared,
    /// Generic addresses of GCN: data of LDS and of memory come in any order, so that only a wait for zero makes sense
    /// after them (MI200 ISA, "Flat Memory Instructions").
    Flat,
    /// Generic addresses of RDNA: in order with both others.
    OrderedFlat,
    /// Scalar loads, which can return out of order, so that only a wait for zero is legitimate (MI200 and RDNA3 ISA,
    /// "Data Dependency Resolution"), and messages.
    Scalar,
}

impl Class {
    /// Its class among the operations that a counter counts; none where these may complete in any order.
    pub(crate) fn within(self, counter: u8) -> Option<Class> {
        match self {
            Class::Flat | Class::Scalar => None,
            Class::OrderedFlat if counter == SHARED => Some(Class::Shared),
            Class::OrderedFlat => Some(Class::Vector),
            class => Some(class),
        }
    }
}

/// The operation that an instruction leaves incomplete.
#[derive(Clone, Debug)]
pub(crate) struct Issue {
    /// The counters that it adds to.
    pub(crate) counters: u8,
    pub(crate) class: Class,
    /// The registers that it writes when it completes.
    pub(crate) result: Touch,
    /// The registers that it reads at once. A load of a half of a register does not read the other half: it writes its
    /// own only (LLVM, `TiedSourceNotRead`).
    pub(crate) sources: Touch,
    /// The half of a register that a load writes or a store reads, where it leaves the other one alone, and the
    /// registers beside it.
    pub(super) half: Option<Half>,
    pub(super) beside: Touch,
}

impl Issue {
    /// Whether it is a store that reads the other half of the register that a load is still to write.
    pub(crate) fn stores_beside(&self, load: &Issue) -> bool {
        let halves = self.half.zip(load.half);
        self.result.is_empty() && halves.is_some_and(|(own, other)| own != other) && !load.result.meets(&self.beside)
    }
}

/// The most operations that each counter may leave incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) vector: u32,
    pub(crate) store: u32,
    pub(crate) shared: u32,
}

impl Wait {
    const NONE: Wait = Wait { vector: u32::MAX, store: u32::MAX, shared: u32::MAX };

    /// The most that the counters of a generation hold: an instruction beyond them waits.
    pub(crate) fn most(generation: Generation) -> Wait {
        let shared = if generation == Generation::Gcn { 15 } else { 63 };
        Wait { vector: 63, store: 63, shared }
    }

    /// Reads an instruction; none where it waits for nothing that is counted here.
    pub(crate) fn parse(text: &Text<'_>) -> Option<Wait> {
        let last = || text.operands.last().and_then(|operand| number(operand)).map_or(0, |count| count as u32);
        match text.mnemonic {
            "s_waitcnt" => {
                let mut wait = Wait::NONE;
                for word in text.operands.iter().chain(text.modifiers.iter().map(|(word, _)| word)) {
                    let Some((name, count)) = word.strip_suffix(')').and_then(|word| word.split_once('(')) else {
                        continue;
                    };
                    let count = number(count)? as u32;
                    match name {
                        "vmcnt" => wait.vector = count,
                        "lgkmcnt" => wait.shared = count,
                        _ => {}
                    }
                }
                Some(wait)
            }
            "s_waitcnt_vscnt" => Some(Wait { store: last(), ..Wait::NONE }),
            "s_waitcnt_vmcnt" => Some(Wait { vector: last(), ..Wait::NONE }),
            "s_waitcnt_lgkmcnt" => Some(Wait { shared: last(), ..Wait::NONE }),
            "s_wait_idle" => Some(Wait { vector: 0, store: 0, shared: 0 }),
            _ => None,
        }
    }

    /// The counters with their numbers.
    pub(crate) fn each(self) -> [(u8, u32); 3] {
        [(VECTOR, self.vector), (STORE, self.store), (SHARED, self.shared)]
    }
}

#[cfg(test)]
mod tests {
    use super::Wait;
    use crate::text::Text;

    #[test]
    fn waits_name_their_counters() {
        let parse = |text| Wait::parse(&Text::new(text));
        assert_eq!(parse("s_waitcnt vmcnt(2) lgkmcnt(0)"), Some(Wait { vector: 2, shared: 0, ..Wait::NONE }));
        assert_eq!(parse("s_waitcnt expcnt(0)"), Some(Wait::NONE));
        assert_eq!(parse("s_waitcnt_vscnt null, 0x3"), Some(Wait { store: 3, ..Wait::NONE }));
        assert_eq!(parse("s_nop 0"), None);
    }
}
