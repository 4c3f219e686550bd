//! How instructions make a new mask of active lanes.

use emulator_core::bits;

use crate::registers::Bits;

/// `s_and_saveexec_b64` and its like: the old mask is saved, and the new one is made of both.
pub(crate) fn parse(name: &str) -> Option<SaveExec> {
    let (operation, rest) = name
        .strip_prefix("s_")?
        .split_once("_saveexec_")
        .or_else(|| name.strip_prefix("s_")?.split_once("_wrexec_"))?;
    matches!(rest, "b32" | "b64").then_some(())?;
    let writes_result = name.contains("_wrexec_");
    let combine: Combine = match operation {
        "and" => |source, exec| and(source, exec),
        "or" => |source, exec| or(source, exec),
        "xor" => |source, exec| Bits { value: source.value ^ exec.value, undefined: source.undefined },
        "andn2" | "and_not1" => |source, exec| and(source, not(exec)),
        "andn1" | "and_not0" => |source, exec| and(not(source), exec),
        "orn2" | "or_not1" => |source, exec| or(source, not(exec)),
        "orn1" | "or_not0" => |source, exec| or(not(source), exec),
        "nand" => |source, exec| not(and(source, exec)),
        "nor" => |source, exec| not(or(source, exec)),
        "xnor" => |source, exec| Bits { value: !(source.value ^ exec.value), undefined: source.undefined },
        _ => return None,
    };
    Some(SaveExec { combine, writes_result })
}

type Combine = fn(Bits, Bits) -> Bits;

/// How the mask of active lanes is made.
#[derive(Clone, Copy)]
pub(crate) struct SaveExec {
    pub(super) combine: Combine,
    /// The result is the new mask and not the old one.
    pub(super) writes_result: bool,
}

fn and(a: Bits, b: Bits) -> Bits {
    let undefined = bits::and(a.value, a.undefined, b.value, b.undefined);
    Bits { value: a.value & b.value, undefined }
}

fn or(a: Bits, b: Bits) -> Bits {
    let undefined = bits::or(a.value, a.undefined, b.value, b.undefined);
    Bits { value: a.value | b.value, undefined }
}

fn not(a: Bits) -> Bits {
    Bits { value: !a.value, undefined: a.undefined }
}
