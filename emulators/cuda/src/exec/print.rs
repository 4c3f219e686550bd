//! Functions that a device brings: `vprintf` and `__assertfail`.

use super::failure::{Wrong, status};
use super::memory::read_byte;
use super::warp::{BlockState, Context, Warp};
use crate::lanes::lanes;
use crate::program::code::Passed;

/// Texts longer than this have no end.
const LONGEST: u64 = 1 << 20;

/// Writes the output of a launch, as the driver does when a program waits for it.
pub(super) fn write(printed: &[u8]) {
    use std::io::Write;
    let mut output = std::io::stdout().lock();
    // A program whose output is closed runs on.
    let _result = output.write_all(printed).and_then(|()| output.flush());
}

/// Executes a builtin function in each lane of a group.
pub(super) fn builtin(
    warp: &mut Warp,
    index: usize,
    (name, results, arguments): (&str, &[Passed], &[Passed]),
    context: &mut Context<'_, '_>,
    block: &mut BlockState,
) -> Result<(), Wrong> {
    let (active, activation) = (warp.groups[index].lanes, warp.groups[index].activation);
    let words: Vec<u32> = arguments.iter().filter_map(|one| one.words.first().copied()).collect();
    for word in &words {
        warp.defined(activation, *word, active, "the argument of a builtin function")?;
    }
    for lane in lanes(active) {
        let values: Vec<u64> = words.iter().map(|word| warp.activation(activation).get(*word).bits[lane]).collect();
        let mut reader = Reader { warp, activation, context, block, lane };
        let result = match (name, &values[..]) {
            ("vprintf", [format, list]) => reader.print(*format, *list)?,
            (_, [message, file, line, function, ..]) => {
                return Err(reader.assertion(*message, *file, *line, *function)?);
            }
            _ => {
                return Err(Wrong::new(
                    status::ILLEGAL_INSTRUCTION,
                    lane,
                    format!("a call of `{name}` lacks arguments"),
                ));
            }
        };
        if let Some(word) = results.first().and_then(|one| one.words.first()) {
            warp.activation_mut(activation).registers[*word as usize].put_lane(lane, result, 0);
        }
    }
    Ok(())
}

struct Reader<'w, 'c, 'a, 'm> {
    warp: &'w mut Warp,
    activation: usize,
    context: &'c mut Context<'a, 'm>,
    block: &'c mut BlockState,
    lane: usize,
}

impl Reader<'_, '_, '_, '_> {
    fn byte(&mut self, address: u64) -> Result<u8, Wrong> {
        read_byte(self.warp, self.activation, self.context, self.block, (address, self.lane))
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>, Wrong> {
        let mut text = Vec::new();
        for i in 0..LONGEST {
            match self.byte(address + i)? {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }

    /// The next argument of the list, aligned to its size.
    fn argument(&mut self, list: u64, offset: &mut u64, size: u64) -> Result<u64, Wrong> {
        *offset = offset.next_multiple_of(size);
        let mut value = 0;
        for i in 0..size {
            value |= u64::from(self.byte(list + *offset + i)?) << (8 * i);
        }
        *offset += size;
        Ok(value)
    }

    /// `printf` of a format and a list of arguments; the number of arguments.
    fn print(&mut self, format: u64, list: u64) -> Result<u64, Wrong> {
        let format = self.text(format)?;
        let (mut out, mut offset, mut count, mut i) = (Vec::new(), 0, 0, 0);
        while i < format.len() {
            if format[i] != b'%' {
                out.push(format[i]);
                i += 1;
                continue;
            }
            let length = format[i + 1..]
                .iter()
                .position(|byte| byte.is_ascii_alphabetic() && !b"hlzjtL".contains(byte) || *byte == b'%');
            let Some(length) = length else { break };
            let directive = String::from_utf8_lossy(&format[i..i + length + 2]).into_owned();
            i += length + 2;
            if directive.ends_with('%') {
                out.push(b'%');
                continue;
            }
            count += 1;
            let precision = self.precision(&directive, list, &mut offset)?;
            self.directive(&directive, precision, (list, &mut offset), &mut out)?;
        }
        self.context.printed.extend(out);
        Ok(count)
    }

    /// A precision, also one that is an argument.
    fn precision(&mut self, directive: &str, list: u64, offset: &mut u64) -> Result<Option<usize>, Wrong> {
        let Some((_, precision)) = directive.split_once('.') else { return Ok(None) };
        if precision.starts_with('*') {
            return self.argument(list, offset, 4).map(|value| Some(value as i32 as usize));
        }
        Ok(precision.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok())
    }

    fn directive(
        &mut self,
        directive: &str,
        precision: Option<usize>,
        (list, offset): (u64, &mut u64),
        out: &mut Vec<u8>,
    ) -> Result<(), Wrong> {
        let is_long = directive.contains(['l', 'z', 'j', 't']);
        let last = directive.chars().last().unwrap_or('d');
        let size =
            if is_long || matches!(last, 's' | 'p' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A') { 8 } else { 4 };
        let value = self.argument(list, offset, size)?;
        let signed = if size == 8 { value as i64 } else { i64::from(value as i32) };
        let text = match last {
            's' => {
                let mut text = self.text_of(value, precision)?;
                text.truncate(precision.unwrap_or(usize::MAX));
                out.extend(text);
                return Ok(());
            }
            'd' | 'i' => signed.to_string(),
            'u' => value.to_string(),
            'x' => format!("{value:x}"),
            'X' => format!("{value:X}"),
            'o' => format!("{value:o}"),
            'p' => format!("{value:#x}"),
            'c' => char::from(value as u8).to_string(),
            'e' | 'E' => format!("{:.*e}", precision.unwrap_or(6), f64::from_bits(value)),
            _ => format!("{:.*}", precision.unwrap_or(6), f64::from_bits(value)),
        };
        let flags = directive.trim_start_matches('%');
        let width: usize = flags
            .trim_start_matches(['-', '+', ' ', '#', '0'])
            .chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .unwrap_or(0);
        let text = match flags.chars().next() {
            Some('-') => format!("{text:<width$}"),
            Some('0') => format!("{text:0>width$}"),
            _ => format!("{text:>width$}"),
        };
        out.extend(text.bytes());
        Ok(())
    }

    /// A text that ends with a zero, or after `precision` bytes.
    fn text_of(&mut self, address: u64, precision: Option<usize>) -> Result<Vec<u8>, Wrong> {
        let Some(length) = precision else { return self.text(address) };
        let mut text = Vec::new();
        for i in 0..length as u64 {
            match self.byte(address + i)? {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }

    fn assertion(&mut self, message: u64, file: u64, line: u64, function: u64) -> Result<Wrong, Wrong> {
        let mut text = |address| self.text(address).map(|text| String::from_utf8_lossy(&text).into_owned());
        let message = format!("{}:{line}: {}: assertion `{}` failed", text(file)?, text(function)?, text(message)?);
        Ok(Wrong::new(status::ASSERT, self.lane, message))
    }
}
