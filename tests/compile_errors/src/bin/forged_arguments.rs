//! Claims about a launch's memory that only an `unsafe impl` may make.

use offload::{Argument, Binding, HostArgument, RawSlice, Result};

struct Gone;

impl Argument<&'static [u32]> for Gone {
    fn bind(self, _binding: &mut Binding<'_>) -> Result<RawSlice<u32>> {
        Ok(RawSlice::from(&mut [1, 2, 3][..]))
    }
}

impl HostArgument<&'static [u32]> for Gone {
    fn bits(self) -> RawSlice<u32> {
        RawSlice::from(&mut [1, 2, 3][..])
    }
}

fn main() {}
