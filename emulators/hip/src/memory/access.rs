//! The meaning of a memory instruction's mnemonic.

use super::atomic::Atomic;

/// How an instruction addresses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Any memory, by the aperture of each lane's address.
    Flat,
    Global,
    /// The lane's private memory, by an offset.
    Scratch,
    /// By a descriptor in four scalar registers.
    Buffer,
    /// The block's shared memory, by an offset.
    Shared,
}

/// Where a value of less than 32 bits goes in its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The whole register.
    Whole,
    /// One half; the other one is unchanged.
    Low,
    High,
}

/// A value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) bytes: usize,
    pub(crate) is_signed: bool,
    pub(crate) extent: Extent,
}

/// The action at the address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    Load(Shape),
    Store(Shape),
    Atomic(Atomic),
}

/// A memory instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) action: Action,
    /// For instructions with two offsets: the unit of these, in bytes.
    pub(crate) pair: Option<usize>,
    /// Of an atomic in shared memory: whether its name says that it returns.
    pub(crate) returns: bool,
}

impl Access {
    /// Reads a mnemonic; none where it is no access.
    pub(crate) fn parse(name: &str) -> Option<Access> {
        if let Some(rest) = name.strip_prefix("ds_") {
            return shared(rest);
        }
        let (space, rest) = name.split_once('_')?;
        let space = match space {
            "flat" => Space::Flat,
            "global" => Space::Global,
            "scratch" => Space::Scratch,
            "buffer" => Space::Buffer,
            _ => return None,
        };
        let (verb, rest) = rest.split_once('_')?;
        let action = match verb {
            "load" => Action::Load(shape(rest)?),
            "store" => Action::Store(shape(rest)?),
            "atomic" => Action::Atomic(Atomic::parse(rest)?),
            _ => return None,
        };
        Some(Access { space, action, pair: None, returns: false })
    }
}

/// `read2st64_b32`, `load_2addr_stride64_b32`, `add_rtn_u32` and their like.
fn shared(rest: &str) -> Option<Access> {
    let renamed = rest.replace("read2st64_", "load_2addr_stride64_").replace("write2st64_", "store_2addr_stride64_");
    let renamed = renamed.replace("read2_", "load_2addr_").replace("write2_", "store_2addr_");
    let renamed = renamed.replace("read_", "load_").replace("write_", "store_");
    let of = |action, pair| Some(Access { space: Space::Shared, action, pair, returns: false });
    for (verb, is_load) in [("load_", true), ("store_", false)] {
        let Some(what) = renamed.strip_prefix(verb) else { continue };
        let (what, stride) = match (what.strip_prefix("2addr_stride64_"), what.strip_prefix("2addr_")) {
            (Some(what), _) => (what, 64),
            (None, Some(what)) => (what, 1),
            (None, None) => (what, 0),
        };
        let shape = shape(what)?;
        let pair = (stride != 0).then_some(stride * shape.bytes);
        return of(if is_load { Action::Load(shape) } else { Action::Store(shape) }, pair);
    }
    let returns = rest.contains("_rtn");
    let atomic = Atomic::parse_shared(&rest.replace("_rtn", ""))?;
    Some(Access { space: Space::Shared, action: Action::Atomic(atomic), pair: None, returns })
}

/// `dwordx2`, `ubyte_d16_hi`, `d16_hi_u8`, `b96`, `u8_d16` and their like.
fn shape(name: &str) -> Option<Shape> {
    let is_half = name.contains("d16");
    let is_high = name.contains("d16_hi");
    let plain = name.replace("_d16_hi", "").replace("_d16", "").replace("d16_hi_", "").replace("d16_", "");
    let (bytes, is_signed) = match plain.as_str() {
        "dword" | "b32" => (4, false),
        "dwordx2" | "b64" => (8, false),
        "dwordx3" | "b96" => (12, false),
        "dwordx4" | "b128" => (16, false),
        "ubyte" | "byte" | "u8" | "b8" => (1, false),
        "sbyte" | "i8" => (1, true),
        "ushort" | "short" | "u16" | "b16" => (2, false),
        "sshort" | "i16" => (2, true),
        _ => return None,
    };
    let extent = match (is_half, is_high) {
        (_, true) => Extent::High,
        (true, false) => Extent::Low,
        (false, false) => Extent::Whole,
    };
    Some(Shape { bytes, is_signed, extent })
}

#[cfg(test)]
mod tests {
    use super::{Access, Action, Extent, Shape, Space};

    fn load(name: &str) -> (Space, Shape) {
        match Access::parse(name) {
            Some(Access { space, action: Action::Load(shape), .. }) => (space, shape),
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn both_generations_have_names() {
        let wide = Shape { bytes: 12, is_signed: false, extent: Extent::Whole };
        assert_eq!(load("global_load_b96"), (Space::Global, wide));
        assert_eq!(load("flat_load_dwordx3"), (Space::Flat, wide));
        let half = Shape { bytes: 1, is_signed: true, extent: Extent::High };
        assert_eq!(load("scratch_load_d16_hi_i8"), (Space::Scratch, half));
        assert_eq!(load("buffer_load_sbyte_d16_hi"), (Space::Buffer, half));
        assert_eq!(load("ds_load_u8_d16").1.extent, Extent::Low);
    }

    #[test]
    fn offsets_of_pairs_count_elements() {
        assert_eq!(Access::parse("ds_read2st64_b64").and_then(|access| access.pair), Some(512));
        assert_eq!(Access::parse("ds_store_2addr_b32").and_then(|access| access.pair), Some(4));
        assert!(Access::parse("ds_add_rtn_u32").is_some_and(|access| access.returns));
        assert!(Access::parse("global_inv").is_none());
    }
}
