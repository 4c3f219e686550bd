//! Kernels of a library, of which the generic one is launched by a program.

use offload::{DeviceCopy, DisjointSlice, kernel, thread};

/// A kernel that nothing launches.
#[kernel]
pub fn halves(mut values: DisjointSlice<u32>) {
    let i = thread::index_1d();
    #[cfg(feature = "refused")]
    if values.len() < 2 {
        std::thread::yield_now(); //~ refused OFC0007
    }
    if let Some(value) = values.get_mut(i) {
        *value /= 2;
    }
}

/// A kernel whose instances are the programs'.
#[kernel]
pub fn fill<T: DeviceCopy>(value: T, mut values: DisjointSlice<T>) {
    if let Some(out) = values.get_mut(thread::index_1d()) {
        *out = value;
    }
}

/// A type with a kernel.
pub struct Twice;

impl Twice {
    /// A kernel that nothing launches.
    #[kernel]
    pub fn run(mut values: DisjointSlice<u32>) {
        #[cfg(feature = "refused")]
        if values.len() < 3 {
            std::thread::park(); //~ refused OFC0007
        }
        if let Some(value) = values.get_mut(thread::index_1d()) {
            *value *= 2;
        }
    }
}

macro_rules! scaled {
    ($name:ident, $by:literal) => {
        /// A kernel that a macro writes, and that nothing launches.
        #[kernel]
        pub fn $name(mut values: DisjointSlice<u32>) {
            #[cfg(feature = "refused")]
            if values.len() < 4 {
                let _ = std::process::id(); //~ refused OFC0007
            }
            if let Some(value) = values.get_mut(thread::index_1d()) {
                *value *= $by;
            }
        }
    };
}
scaled!(tripled, 3);

#[cfg(test)]
mod tests {
    use super::*;
    use offload::{Grid, prelude::*};

    #[test]
    fn values_are_halved() {
        let mut values = [4, 6];
        halves.run_on_host(Grid::for_len(2, 2), (&mut values,));
        Twice::run.run_on_host(Grid::for_len(1, 1), (&mut values[..1],));
        assert_eq!(values, [4, 3]);
    }
}
