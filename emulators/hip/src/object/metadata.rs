//! The notes of a code object: a MessagePack map (AMDGPUUsage, "Code Object Metadata").

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    pub(crate) offset: usize,
    pub(crate) size: usize,
    /// `.value_kind`; those that begin with `hidden_` are the runtime's to fill in.
    pub(crate) kind: String,
}

/// The notes of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KernelNotes {
    pub(crate) name: String,
    /// The symbol of the descriptor.
    pub(crate) symbol: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) kernarg_bytes: usize,
    pub(crate) shared_bytes: usize,
    pub(crate) private_bytes: usize,
    pub(crate) lanes: usize,
    pub(crate) threads_per_block: u32,
    pub(crate) vector_registers: u32,
}

/// The notes of a code object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Notes {
    pub(crate) kernels: Vec<KernelNotes>,
    /// `amdhsa.printf`.
    pub(crate) formats: Vec<String>,
}

/// How deep maps and arrays may stand in each other.
const DEPTH: u32 = 16;

/// Reads the description of an `NT_AMDGPU_METADATA` note; none where it is damaged.
pub(crate) fn read(note: &[u8]) -> Option<Notes> {
    let root = Reader { rest: note }.value(0)?;
    let list = |key: &str| match root.get(key) {
        Some(Value::Array(values)) => values.as_slice(),
        _ => &[],
    };
    let kernels = list("amdhsa.kernels").iter().filter_map(kernel).collect();
    let formats = list("amdhsa.printf").iter().filter_map(|format| format.text().map(str::to_owned)).collect();
    Some(Notes { kernels, formats })
}

fn kernel(value: &Value<'_>) -> Option<KernelNotes> {
    let number = |key: &str| value.get(key).and_then(Value::number).unwrap_or(0);
    let arguments = match value.get(".args") {
        Some(Value::Array(arguments)) => arguments.iter().filter_map(argument).collect(),
        _ => Vec::new(),
    };
    Some(KernelNotes {
        name: value.get(".name")?.text()?.to_owned(),
        symbol: value.get(".symbol")?.text()?.to_owned(),
        arguments,
        kernarg_bytes: number(".kernarg_segment_size") as usize,
        shared_bytes: number(".group_segment_fixed_size") as usize,
        private_bytes: number(".private_segment_fixed_size") as usize,
        lanes: number(".wavefront_size") as usize,
        threads_per_block: number(".max_flat_workgroup_size") as u32,
        vector_registers: number(".vgpr_count") as u32,
    })
}

fn argument(value: &Value<'_>) -> Option<Argument> {
    let number = |key: &str| value.get(key).and_then(Value::number).map(|number| number as usize);
    Some(Argument {
        offset: number(".offset")?,
        size: number(".size")?,
        kind: value.get(".value_kind")?.text()?.to_owned(),
    })
}

/// A MessagePack value.
enum Value<'a> {
    Number(u64),
    Text(&'a str),
    Array(Vec<Value<'a>>),
    Map(Vec<(Value<'a>, Value<'a>)>),
    /// Any other value.
    Other,
}

impl<'a> Value<'a> {
    fn get(&self, key: &str) -> Option<&Value<'a>> {
        let Value::Map(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    fn text(&self) -> Option<&'a str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    fn number(&self) -> Option<u64> {
        if let Value::Number(number) = self { Some(*number) } else { None }
    }
}

/// Reads values one after another.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn big_endian(&mut self, bytes: usize) -> Option<u64> {
        Some(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn text(&mut self, bytes: u64) -> Option<Value<'a>> {
        std::str::from_utf8(self.take(usize::try_from(bytes).ok()?)?).ok().map(Value::Text)
    }

    fn skipped(&mut self, bytes: u64) -> Option<Value<'a>> {
        self.take(usize::try_from(bytes).ok()?).map(|_| Value::Other)
    }

    fn array(&mut self, count: u64, depth: u32) -> Option<Value<'a>> {
        (0..count).map(|_| self.value(depth + 1)).collect::<Option<_>>().map(Value::Array)
    }

    fn map(&mut self, count: u64, depth: u32) -> Option<Value<'a>> {
        let pair = |_| Some((self.value(depth + 1)?, self.value(depth + 1)?));
        (0..count).map(pair).collect::<Option<_>>().map(Value::Map)
    }

    fn value(&mut self, depth: u32) -> Option<Value<'a>> {
        if depth > DEPTH {
            return None;
        }
        let first = self.take(1)?[0];
        let low = u64::from(first);
        match first {
            0x00..=0x7f => Some(Value::Number(low)),
            0x80..=0x8f => self.map(low & 0xf, depth),
            0x90..=0x9f => self.array(low & 0xf, depth),
            0xa0..=0xbf => self.text(low & 0x1f),
            0xc2 | 0xc3 => Some(Value::Number(low & 1)),
            0xc4..=0xc6 => self.big_endian(1 << (first - 0xc4)).and_then(|bytes| self.skipped(bytes)),
            0xca => self.skipped(4),
            0xcb => self.skipped(8),
            0xcc..=0xcf => self.big_endian(1 << (first - 0xcc)).map(Value::Number),
            0xd0..=0xd3 => self.skipped(1 << (first - 0xd0)),
            0xd9..=0xdb => self.big_endian(1 << (first - 0xd9)).and_then(|bytes| self.text(bytes)),
            0xdc | 0xdd => self.big_endian(2 << (first - 0xdc)).and_then(|count| self.array(count, depth)),
            0xde | 0xdf => self.big_endian(2 << (first - 0xde)).and_then(|count| self.map(count, depth)),
            0xc0 | 0xe0..=0xff => Some(Value::Other),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn damaged_notes_are_no_notes() {
        assert!(read(&[]).is_none());
        assert!(read(&[0x81, 0xa1]).is_none());
        assert!(read(&[0xdf, 0xff, 0xff, 0xff, 0xff]).is_none());
        assert_eq!(read(&[0x80]), Some(super::Notes::default()));
    }
}
