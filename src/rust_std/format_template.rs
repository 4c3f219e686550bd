//! The templates of `core::fmt::Arguments`, as rustc writes them into a program.

/// The literal pieces of a `core::fmt::Arguments` template, with `{}` where values were.
///
/// Format (rustc 1.93 and later): a sequence of instructions. 0 is the end; 1 to 127 is the length of the piece that
/// follows; 128 is followed by a length of 2 bytes and a piece; 192 and above is a value, whose bits 0 to 3 are set if
/// 4 bytes of flags, 2 of width, 2 of precision and 2 of the argument's index follow.
pub fn literal_pieces(template: &[u8]) -> Option<String> {
    let mut text = String::new();
    let mut rest = template;
    loop {
        let (&first, tail) = rest.split_first()?;
        let length = match first {
            0 => return Some(text),
            1..=127 => usize::from(first),
            128 => usize::from(u16::from_le_bytes([*tail.first()?, *tail.get(1)?])),
            192.. => {
                text += "{}";
                let sizes = [(1, 4), (2, 2), (4, 2), (8, 2)];
                let bytes: usize = sizes.iter().filter(|(bit, _)| first & bit != 0).map(|(_, size)| size).sum();
                rest = tail.get(bytes..)?;
                continue;
            }
            _ => return None,
        };
        let tail = if first == 128 { tail.get(2..)? } else { tail };
        text += std::str::from_utf8(tail.get(..length)?).ok()?;
        rest = &tail[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_what_rustc_writes() {
        let pieces = |template: &[u8]| literal_pieces(template);
        assert_eq!(pieces(b"\x06value \xc0\x0b too large \xc0\0").as_deref(), Some("value {} too large {}"));
        let all = b"\x01a\xc7 \0\08\x08\0\x03\0\x01b\xc0\x01c\xc3 \0\0i\x02\0\x01d\0";
        assert_eq!(pieces(all).as_deref(), Some("a{}b{}c{}d"));
        assert_eq!(pieces(b"\xc1 \0\x80`\xc3 \0 i\x08\0\x02{}\xe5 \0\0p\x03\0\0").as_deref(), Some("{}{}{}{}"));
        let long = [&b"\x80\x2c\x01"[..], &[b'x'; 300], b"\xc0\0"].concat();
        assert_eq!(pieces(&long).map(|text| text.len()), Some(302));
        assert_eq!(
            [pieces(b""), pieces(b"mid > len"), pieces(b"\xc1\0"), pieces(b"\x02\xff\xff\0")],
            [const { None }; 4]
        );
    }
}
