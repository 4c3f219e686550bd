//! A row of the table: one piece of work, done in several ways.

use offload::{DeviceBuffer, DeviceCopy, Result, Stream};

use crate::opencl::{Prepared, Twin};

pub(crate) trait Row: Sized {
    const NAME: &str;

    /// The largest allowed difference from rayon's results, relative for values above 1. It is 0 if all sides do the
    /// same operations in the same order, so that the results are the same bits.
    const TOLERANCE: f64 = 0.0;

    /// The inputs and the places of the results, on all sides.
    fn new(stream: &Stream) -> Result<Self>;

    /// Launches the kernels; they may still run on return.
    fn kernel(&mut self, stream: &Stream) -> Result<()>;

    fn rayon(&mut self);

    /// Called only if the twins in C are in the program.
    fn openmp(&mut self);

    /// The largest difference between the results.
    fn difference(&self, stream: &Stream) -> Result<f64>;

    /// The same kernel in OpenCL C, if there is one.
    fn twin(&self) -> Option<Twin<'_>> {
        None
    }

    /// The largest difference of the twin's results, after [`Row::rayon`].
    fn twin_difference(&self, _: &Prepared) -> f64 {
        f64::INFINITY
    }
}

/// The results of all sides.
pub(crate) struct Results<T: DeviceCopy> {
    pub(crate) rayon: Vec<T>,
    pub(crate) openmp: Vec<T>,
    pub(crate) kernel: DeviceBuffer<T>,
}

impl<T: Value> Results<T> {
    pub(crate) fn new(stream: &Stream, len: usize) -> Result<Self> {
        let zeroes = vec![T::default(); len];
        let kernel = DeviceBuffer::from_host(stream, &zeroes)?;
        Ok(Results { rayon: zeroes.clone(), openmp: zeroes, kernel })
    }

    /// The largest difference of two elements. Without the twins in C, their results do not count.
    pub(crate) fn difference(&self, stream: &Stream) -> Result<f64> {
        let kernel = self.kernel.to_host_vec(stream)?;
        let openmp = if cfg!(openmp) { &self.openmp[..] } else { &[] };
        let pairs = self.rayon.iter().zip(&kernel).chain(self.rayon.iter().zip(openmp));
        Ok(pairs.map(|(a, b)| a.difference(*b)).fold(0.0, f64::max))
    }

    /// The largest difference of a twin's results.
    pub(crate) fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.rayon.iter().zip(twin.result::<T>()).map(|(a, b)| a.difference(b)).fold(0.0, f64::max)
    }
}

/// An element of the results.
pub(crate) trait Value: DeviceCopy + Default {
    fn difference(self, other: Self) -> f64;
}

macro_rules! values {
    ($($integer:ty)*; $($float:ty)*) => { $(
        impl Value for $integer {
            fn difference(self, other: Self) -> f64 {
                if self == other { 0.0 } else { f64::INFINITY }
            }
        }
    )* $(
        impl Value for $float {
            fn difference(self, other: Self) -> f64 {
                if self.to_bits() == other.to_bits() {
                    return 0.0;
                }
                let difference = f64::from(self - other).abs() / f64::from(self).abs().max(1.0);
                // Different bits of equal values (zeroes with different signs) count as a difference, like a NaN.
                if difference.is_nan() { f64::INFINITY } else { difference.max(f64::MIN_POSITIVE) }
            }
        }
    )* };
}
values!(u8 u32 u64 i32; f32 f64);

impl<T: Value, const N: usize> Value for [T; N]
where
    Self: DeviceCopy + Default,
{
    fn difference(self, other: Self) -> f64 {
        self.into_iter().zip(other).map(|(a, b)| a.difference(b)).fold(0.0, f64::max)
    }
}

/// Declares functions of `openmp/*.c` and `opencl/*.c`. If these are not in the program, nothing calls them.
macro_rules! openmp {
    ($(fn $name:ident($($argument:ident: $ty:ty),* $(,)?) $(-> $result:ty)?;)+) => {
        #[cfg(openmp)]
        unsafe extern "C" {
            $(fn $name($($argument: $ty),*) $(-> $result)?;)+
        }
        $(
            #[cfg(not(openmp))]
            unsafe extern "C" fn $name($(_: $ty),*) $(-> $result)? {
                unreachable!("the program has no twins in C")
            }
        )+
    };
}
