//! The words of SPIR-V.

/// The number of words before the first instruction.
const HEADER: usize = 5;

/// The words of a module in this machine's byte order.
pub(super) fn words(code: &[u8]) -> Vec<u32> {
    code.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// The opcodes and operands of all instructions.
pub(super) fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = words.get(HEADER..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (instruction, next) = rest.split_at_checked((first >> 16) as usize).filter(|(own, _)| !own.is_empty())?;
        rest = next;
        Some((first & 0xffff, &instruction[1..]))
    })
}

/// The text at the start of words.
pub(super) fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
}
