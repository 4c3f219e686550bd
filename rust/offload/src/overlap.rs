//! The memory that parameters lead to, and the check of a launch that it does not overlap, for kernels that say
//! `#[kernel(unsafe(restrict))]`.

use std::format;
use std::string::String;
use std::vec::Vec;

use crate::slice::RawSlice;

/// Memory that a parameter leads to.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct ParameterMemory {
    pub(crate) address: *const u8,
    pub(crate) bytes: usize,
    /// Whether the kernel writes nothing through this parameter, as its type says.
    pub(crate) is_shared: bool,
}

impl ParameterMemory {
    #[inline(always)]
    pub(crate) fn shared<T>(slice: RawSlice<T>) -> Self {
        ParameterMemory { is_shared: true, ..Self::written(slice) }
    }

    #[inline(always)]
    pub(crate) fn written<T>(slice: RawSlice<T>) -> Self {
        let bytes = slice.len().wrapping_mul(size_of::<T>());
        ParameterMemory { address: slice.as_ptr().cast(), bytes, is_shared: false }
    }

    /// Whether both have a byte in common that the kernel may write.
    fn is_in_the_way_of(self, other: Self) -> bool {
        let (own, others) = (self.address.addr(), other.address.addr());
        let meet = own < others.saturating_add(other.bytes) && others < own.saturating_add(self.bytes);
        meet && self.bytes != 0 && other.bytes != 0 && !(self.is_shared && other.is_shared)
    }
}

/// Says which two parameters of `kernel` overlap, if any do. `all` has the number of each parameter with its memory.
pub(crate) fn find_overlap(kernel: &str, all: &[(usize, ParameterMemory)]) -> Option<String> {
    let pairs = all.iter().enumerate().flat_map(|(at, one)| all[at + 1..].iter().map(move |other| (one, other)));
    let found: Vec<_> = pairs.filter(|(one, other)| one.1.is_in_the_way_of(other.1)).collect();
    let ((first, _), (second, _)) = found.first()?;
    let which = match first == second {
        true => format!("parameter {} of `{kernel}` has pointers to memory that overlaps", first + 1),
        false => format!("parameters {} and {} of `{kernel}` overlap in memory", first + 1, second + 1),
    };
    Some(format!(
        "{which}, but the kernel says `unsafe(restrict)`: pass different buffers, or parts that do not overlap, or remove \
        `unsafe(restrict)`"
    ))
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use super::{ParameterMemory, find_overlap};
    use crate::slice::RawSlice;

    fn of(values: &mut [u32]) -> RawSlice<u32> {
        RawSlice::from(values)
    }

    #[test]
    fn memory_that_one_parameter_writes_is_no_others() {
        let mut values = [0; 8];
        let (low, high, both) = (of(&mut values[..4]), of(&mut values[4..]), of(&mut values[3..5]));
        let (read, written) = (ParameterMemory::shared::<u32>, ParameterMemory::written::<u32>);
        let overlap = |all: &[ParameterMemory]| {
            let all: Vec<_> = all.iter().copied().enumerate().collect();
            find_overlap("k", &all).map(|text| String::from(text.split(" of ").next().unwrap()))
        };
        assert_eq!(overlap(&[written(low), written(high)]), None);
        assert_eq!(overlap(&[read(low), read(both), read(high)]), None);
        assert_eq!(overlap(&[read(low), read(both), written(both)]).unwrap(), "parameters 1 and 3");
        assert_eq!(overlap(&[written(high), written(of(&mut [])), read(both)]).unwrap(), "parameters 1 and 3");
        assert_eq!(overlap(&[written(of(&mut [])), written(of(&mut []))]), None);
    }
}
