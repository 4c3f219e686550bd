//! Instructions from LLVM's text.

use crate::generation::Generation;
use crate::instruction::{Instruction, Modifiers, What};
use crate::memory::counters::{Issue, Wait};
use crate::operand::{Half, Operand, Place, scalar};
use crate::table;
use crate::text::Text;
use crate::touch::Touch;
use crate::vector::lanes::Dpp;
use crate::vector::op::Kind;
use crate::vector::sub_dword::SubDword;

impl Instruction {
    /// Makes an instruction of LLVM's text.
    pub(crate) fn new(text: &str, size: usize, generation: Generation) -> Instruction {
        let text = text.split_once("//").map_or(text, |(code, _)| code).trim();
        let size = size as u32;
        if let Some((first, second)) = text.split_once(" :: ") {
            let halves = [first, second].map(|half| Instruction::new(&half.replace("v_dual_", "v_"), 0, generation));
            let modifiers = Modifiers::default();
            let mut touched = halves[0].touched;
            touched.join(&halves[1].touched);
            let what = What::Dual(Box::new(halves));
            let text = text.to_owned();
            return Instruction { size, what, operands: Vec::new(), modifiers, text, touched, issue: None };
        }
        let parts = Text::new(text);
        let (name, _) = base_name(parts.mnemonic);
        let what = Wait::parse(&parts).map_or_else(|| table::find(name, generation), What::Wait);
        let mut operands: Vec<Operand> = parts.operands.iter().map(|operand| Operand::parse(operand)).collect();
        let modifiers = modifiers(&parts);
        choose_halves(&what, &mut operands, &modifiers);
        let issue = Issue::of(name, &what, &operands, &modifiers, generation);
        let mut touched = Touch::of(&operands);
        if name.contains("vcc") || name.starts_with("v_div_fmas") {
            touched.add_scalars(scalar::VCC, 2);
        }
        Instruction { size, what, operands, modifiers, text: text.to_owned(), touched, issue }
    }
}

/// The mnemonic without the suffix of its encoding, and that suffix.
fn base_name(mnemonic: &str) -> (&str, &str) {
    const SUFFIXES: [&str; 6] = ["_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp", "_vi"];
    for suffix in SUFFIXES {
        if let Some(name) = mnemonic.strip_suffix(suffix) {
            return (name, suffix);
        }
    }
    (mnemonic, "")
}

fn modifiers(text: &Text<'_>) -> Modifiers {
    let bits = |name: &str, default: u8| {
        let list = text.list(name);
        list.map_or(default, |list| list.iter().enumerate().fold(0, |all, (i, bit)| all | u8::from(*bit != 0) << i))
    };
    let has = |name| text.modifier(name).is_some();
    let scale = match (text.number("mul"), text.number("div")) {
        (Some(2), _) => 1,
        (Some(4), _) => 2,
        (_, Some(2)) => -1,
        _ => 0,
    };
    Modifiers {
        clamp: has("clamp"),
        scale,
        op_sel: bits("op_sel", 0),
        op_sel_hi: bits("op_sel_hi", 0b111),
        neg_lo: bits("neg_lo", 0),
        neg_hi: bits("neg_hi", 0),
        sub_dword: SubDword::parse(text),
        dpp: Dpp::parse(text),
        offset: text.number("offset").or_else(|| text.number("offset0")).unwrap_or(0),
        offset1: text.number("offset1").unwrap_or(0),
        returns: has("glc") || has("sc0"),
        offen: has("offen"),
        idxen: has("idxen"),
    }
}

/// `op_sel` of 16-bit operands as halves of registers, where the text does not name these itself.
fn choose_halves(what: &What, operands: &mut [Operand], modifiers: &Modifiers) {
    let (result, sources): (Option<Kind>, Vec<Kind>) = match what {
        What::Vector(op) => (Some(op.result), op.sources.to_vec()),
        What::Compare(compare) => (None, compare.sources().to_vec()),
        _ => return,
    };
    let is_half = |kind: Kind| kind.width() == 16;
    let choose = |operand: &mut Operand, high: bool| {
        if let Place::Vector(number, None) = operand.place {
            operand.place = Place::Vector(number, Some(if high { Half::High } else { Half::Low }));
        }
        if let Place::Scalar(_) = operand.place {
            operand.high = high;
        }
    };
    let first = usize::from(!matches!(what, What::Compare(compare) if operands.len() == compare.sources().len()));
    for (i, _) in sources.iter().enumerate().filter(|(_, kind)| is_half(**kind)) {
        if let Some(operand) = operands.get_mut(first + i) {
            choose(operand, modifiers.op_sel >> i & 1 != 0);
        }
    }
    if result.is_some_and(is_half)
        && modifiers.op_sel >> sources.len() & 1 != 0
        && let Some(operand) = operands.first_mut()
    {
        choose(operand, true);
    }
}
