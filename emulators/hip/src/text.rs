//! The parts of an instruction as LLVM prints it: mnemonic, operands, modifiers.

/// The parts of one instruction's text.
#[derive(Debug, PartialEq)]
pub(crate) struct Text<'a> {
    pub(crate) mnemonic: &'a str,
    pub(crate) operands: Vec<&'a str>,
    /// Words such as `offset:16` and `glc`; a word without a value has an empty one.
    pub(crate) modifiers: Vec<(&'a str, &'a str)>,
}

impl<'a> Text<'a> {
    /// Splits the text of one instruction.
    pub(crate) fn new(text: &'a str) -> Text<'a> {
        let (mnemonic, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let (mut operands, mut modifiers) = (Vec::new(), Vec::new());
        for chunk in split(rest, ',') {
            let words = split(chunk, ' ');
            for (i, word) in words.into_iter().enumerate() {
                let is_operand = i == 0 && !is_modifier(word);
                if is_operand {
                    operands.push(word);
                } else {
                    modifiers.push(word.split_once(':').unwrap_or((word, "")));
                }
            }
        }
        Text { mnemonic, operands, modifiers }
    }

    /// The value of a modifier, if the instruction has it.
    pub(crate) fn modifier(&self, name: &str) -> Option<&'a str> {
        self.modifiers.iter().find(|(word, _)| *word == name).map(|(_, value)| *value)
    }

    /// The value of a modifier as a number.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.modifier(name).and_then(number)
    }

    /// The value of a modifier as a list of numbers.
    pub(crate) fn list(&self, name: &str) -> Option<Vec<i64>> {
        let list = self.modifier(name)?.trim_start_matches('[').trim_end_matches(']');
        list.split(',').map(|word| number(word.trim())).collect()
    }
}

/// Words with a colon outside of brackets (`offset:16`) are no operands, but registers (`v[0:1]`) are.
fn is_modifier(word: &str) -> bool {
    const ALONE: [&str; 3] = ["gds", "glc", "clamp"];
    let head = word.split(['[', '(']).next().unwrap_or_default();
    head.contains(':') || ALONE.contains(&word)
}

/// Splits outside of brackets and bars, and drops empty parts.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0i32, 0);
    for (i, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(text[begin..i].trim());
                begin = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// A decimal or hexadecimal number.
pub(crate) fn number(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()? as i64,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn modifiers_follow_the_last_operand() {
        let text = Text::new("global_load_b96 v[6:8], v[0:1], off offset:64 glc");
        assert_eq!(text.mnemonic, "global_load_b96");
        assert_eq!(text.operands, ["v[6:8]", "v[0:1]", "off"]);
        assert_eq!(text.number("offset"), Some(64));
        assert_eq!(text.modifier("glc"), Some(""));
    }

    #[test]
    fn brackets_hold_lists_together() {
        let text = Text::new("v_pk_mov_b32 v[2:3], s[4:5], -|v7| op_sel:[0,1]");
        assert_eq!(text.operands, ["v[2:3]", "s[4:5]", "-|v7|"]);
        assert_eq!(text.list("op_sel"), Some(vec![0, 1]));
        let text = Text::new("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3");
        assert_eq!(text.operands, ["hwreg(HW_REG_MODE, 4, 2)", "3"]);
    }
}
