//! Parameters for whose values code is compiled.

use core::fmt;
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::ptr;

use crate::argument::Argument;
use crate::binding::Binding;
use crate::device_copy::DeviceCopy;
use crate::error::Result;
use crate::function::DeviceFn;
use crate::host_arguments::HostArgument;
use crate::layout::Layout;
use crate::param::Param;

/// A parameter of a kernel for whose values code is worth compiling: a size, a stride or a mode that is the same in
/// many launches. The kernel uses it like a `T`, and a launch takes a `T` for it.
///
/// Where code is compiled while the program runs, the kernel is compiled once more for a value that launches pass:
/// loops have a known length, and checks of bounds with known results disappear. Other images read the value from the
/// arguments, as they read any number. The results are the same in both cases.
///
/// Padding between the fields of a struct makes no difference. In an enum with values, only rustc knows which bytes
/// have no meaning: equal values of it may get code more than once.
///
/// `#[kernel(specialize(n))]` makes such a parameter of `n: T`, without a change in the body of the kernel.
///
/// ```
/// use offload::{Device, DisjointSlice, Grid, Specialized, kernel, prelude::*, thread};
///
/// /// The mean of each element and its neighbours in a row.
/// #[kernel]
/// fn smooth(columns: Specialized<u32>, x: &[f32], mut y: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     if let Some(y) = y.get_mut(i) {
///         let (row, column) = (i.get() / *columns as usize, i.get() % *columns as usize);
///         let row = &x[row * *columns as usize..][..*columns as usize];
///         let near = &row[column.saturating_sub(1)..row.len().min(column + 2)];
///         *y = near.iter().sum::<f32>() / near.len() as f32;
///     }
/// }
///
/// let (stream, mut y) = (Device::new()?.default_stream(), [0.0; 6]);
/// smooth.launch(&stream, Grid::for_len(6, 32), (3, &[0.0, 3.0, 6.0, 1.0, 1.0, 1.0], &mut y))?;
/// assert_eq!(y, [1.5, 3.0, 4.5, 1.0, 1.0, 1.0]);
/// # Ok::<(), offload::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Specialized<T>(T);

impl<T> Specialized<T> {
    /// A value that a kernel takes when it is called as a function.
    ///
    /// ```
    /// use offload::{DisjointSlice, Specialized, kernel, thread};
    ///
    /// #[kernel(specialize(factor))]
    /// fn scale(factor: f32, mut values: DisjointSlice<f32>) {
    ///     if let Some(value) = values.get_mut(thread::index_1d()) {
    ///         *value *= factor;
    ///     }
    /// }
    ///
    /// let mut values = [1.5];
    /// scale(Specialized::new(2.0), DisjointSlice::from(&mut values[..]));
    /// assert_eq!(values, [3.0]);
    /// ```
    #[inline(always)]
    pub const fn new(value: T) -> Self {
        Specialized(value)
    }
}

impl<T> From<T> for Specialized<T> {
    #[inline(always)]
    fn from(value: T) -> Self {
        Specialized(value)
    }
}

impl<T> Deref for Specialized<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Display> fmt::Display for Specialized<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: DeviceCopy> Specialized<T> {
    /// Whether `T` consists of numbers. An address differs between launches, so no code is compiled for one.
    const IS_NUMBERS: () = assert!(
        !T::MAY_HOLD_POINTER && size_of::<T>() != 0,
        "a `Specialized` parameter is a number, or a struct of numbers: an address differs between launches"
    );
}

// SAFETY: each thread has its own copy of plain bytes.
unsafe impl<T: DeviceCopy> Param for Specialized<T> {
    type Bits = T;
    type For<'k> = Specialized<T>;
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
    const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;
    const IS_SCALAR: bool = {
        let () = Self::IS_NUMBERS;
        true
    };
    const IS_SPECIALIZED: bool = true;
    const SCALAR_BYTES: usize = T::READ_BYTES;

    #[inline(always)]
    fn clear_padding(bits: &mut T) {
        if const { T::HAS_PADDING } {
            let mut cleared = MaybeUninit::<T>::uninit();
            let from = (&raw const *bits).cast::<MaybeUninit<u8>>();
            let to = cleared.as_mut_ptr().cast::<MaybeUninit<u8>>();
            // SAFETY: the parts are in the value, and together with zeros they are a value that has equal parts. The
            // zeros are written in place: a function that returns a value need not return its padding.
            unsafe {
                to.write_bytes(0, size_of::<T>());
                T::parts(0, &mut |offset, bytes| ptr::copy_nonoverlapping(from.add(offset), to.add(offset), bytes));
                ptr::copy_nonoverlapping(to, (&raw mut *bits).cast(), size_of::<T>());
            }
        }
    }

    fn layout(layout: &mut Layout) {
        <T as DeviceCopy>::layout(layout);
    }

    #[inline(always)]
    unsafe fn from_bits(bits: T) -> Self {
        let () = Self::IS_NUMBERS;
        Specialized(bits)
    }
}

/// The address of a host's function differs between starts of the program. With it, no start would find the code of an
/// earlier one.
const _: () = assert!(<Specialized<DeviceFn<fn()>> as Param>::SCALAR_BYTES == 8);

// SAFETY: the bits are a copy of plain bytes.
unsafe impl<T: DeviceCopy> Argument<Specialized<T>> for T {
    fn bind(self, _binding: &mut Binding<'_>) -> Result<T> {
        Ok(self)
    }
}

// SAFETY: the same.
unsafe impl<T: DeviceCopy> Argument<Specialized<T>> for Specialized<T> {
    fn bind(self, _binding: &mut Binding<'_>) -> Result<T> {
        Ok(self.0)
    }
}

// SAFETY: the same.
unsafe impl<T: DeviceCopy> HostArgument<Specialized<T>> for T {
    fn bits(self) -> T {
        self
    }
}

// SAFETY: the same.
unsafe impl<T: DeviceCopy> HostArgument<Specialized<T>> for Specialized<T> {
    fn bits(self) -> T {
        self.0
    }
}
