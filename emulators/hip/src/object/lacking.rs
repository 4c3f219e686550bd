//! Which instructions of a code object are not emulated.

use std::collections::BTreeMap;

use goblin::elf::Elf;
use goblin::elf::section_header::SHF_EXECINSTR;

use crate::disassembler::Disassembler;
use crate::generation::Generation;
use crate::instruction::{Instruction, What};

/// Adds the mnemonics that have no row to `all`, with the number of their uses.
pub(crate) fn lacking(file: &[u8], processor: &str, all: &mut BTreeMap<String, usize>) {
    let (Some(generation), Some(mut disassembler)) = (Generation::of(processor), Disassembler::new(processor, ""))
    else {
        return;
    };
    let Ok(elf) = Elf::parse(file) else { return };
    let code = elf.section_headers.iter().filter(|header| header.sh_flags & u64::from(SHF_EXECINSTR) != 0);
    for mut rest in code.filter_map(|header| file.get(header.file_range()?)) {
        while !rest.is_empty() {
            // Bytes that are no instruction are taken as one word.
            let (text, size) = disassembler.decode(rest).unwrap_or((String::new(), 4));
            for instruction in parts(Instruction::new(&text, size, generation)) {
                if matches!(instruction.what, What::Unknown) {
                    let name = instruction.text.split_whitespace().next().unwrap_or("(no instruction)");
                    *all.entry(name.to_owned()).or_default() += 1;
                }
            }
            rest = rest.get(size..).unwrap_or(&[]);
        }
    }
}

fn parts(instruction: Instruction) -> Vec<Instruction> {
    match instruction.what {
        What::Dual(halves) => halves.to_vec(),
        _ => vec![instruction],
    }
}
