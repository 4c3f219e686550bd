//! The buffer that kernels print into: packets, each with the number of a format of the notes and its arguments, which
//! are printed when the kernel is done.
//!
//! The layout is clang's `-mprintf-kind=buffered`: two words with the bytes used and available, then packets of a word
//! with the size (from bit 2 on), the number of the format in 8 bytes, and arguments of 8 bytes or texts with their
//! zero, filled to 8.

/// The size of the buffer.
pub(crate) const BUFFER_BYTES: usize = 1 << 20;
/// The head: bytes used and available.
pub(crate) const HEAD: usize = 8;

/// The formats by their number: `0:0:6f66666c6f616470,%s`.
fn format_of(formats: &[String], number: u64) -> Option<&str> {
    formats.iter().find_map(|format| {
        let (head, text) = format.split_once(',')?;
        let hash = head.rsplit(':').next()?;
        (u64::from_str_radix(hash, 16).ok()? == number).then_some(text)
    })
}

/// The text of all packets. `bytes` is the used part of the buffer after its head.
pub(crate) fn text(formats: &[String], bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while rest.len() >= 12 {
        let control = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]);
        let size = (control >> 2) as usize;
        let number = word(&rest[4..12]);
        let Some(packet) = rest.get(12..size.max(12)) else { break };
        if let Some(format) = format_of(formats, number) {
            print_one(format, packet, &mut out);
        }
        rest = &rest[size.max(12)..];
    }
    out
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

fn print_one(format: &str, mut arguments: &[u8], out: &mut Vec<u8>) {
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        out.extend(before.as_bytes());
        let end = after.find(|c: char| c.is_ascii_alphabetic() && !"hlzjt".contains(c) || c == '%');
        let Some(end) = end else { break };
        let (flags, conversion) = (&after[..end], &after[end..=end]);
        rest = &after[end + 1..];
        if conversion == "%" {
            out.push(b'%');
        } else if conversion == "s" {
            let length = arguments.iter().position(|byte| *byte == 0).unwrap_or(arguments.len());
            out.extend(&arguments[..length]);
            arguments = arguments.get((length / 8 + 1) * 8..).unwrap_or(&[]);
        } else {
            out.extend(number(flags, conversion, word(arguments)).as_bytes());
            arguments = arguments.get(8..).unwrap_or(&[]);
        }
    }
    out.extend(rest.as_bytes());
}

/// A number as C prints it, without flags but for the precision.
fn number(flags: &str, conversion: &str, value: u64) -> String {
    let precision = flags.split_once('.').and_then(|(_, digits)| digits.trim_end_matches(['h', 'l', 'z']).parse().ok());
    let is_long = flags.contains(['l', 'z', 'j', 't']);
    match conversion {
        "d" | "i" if is_long => (value as i64).to_string(),
        "d" | "i" => (value as i32).to_string(),
        "u" if is_long => value.to_string(),
        "u" => (value as u32).to_string(),
        "x" => format!("{:x}", if is_long { value } else { value & 0xffff_ffff }),
        "X" => format!("{:X}", if is_long { value } else { value & 0xffff_ffff }),
        "p" => format!("{value:#x}"),
        "c" => char::from(value as u8).to_string(),
        _ => format!("{:.*}", precision.unwrap_or(6), f64::from_bits(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn packets_have_formats_and_arguments() {
        let formats = ["0:0:2a,%s=%d%%\n".to_owned()];
        let mut packet = Vec::new();
        packet.extend((28u32 << 2 | 2).to_le_bytes());
        packet.extend(42u64.to_le_bytes());
        packet.extend(b"abc\0\0\0\0\0");
        packet.extend(7u64.to_le_bytes());
        assert_eq!(text(&formats, &packet), b"abc=7%\n");
        assert_eq!(text(&formats, &packet[..20]), b"");
    }
}
