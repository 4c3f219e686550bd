//! Types of other crates that consist of plain bytes, as the crate `bytemuck` describes them.

use core::ops::{Deref, DerefMut};

use bytemuck::{Pod, TransparentWrapper, Zeroable};

use crate::device_copy::{self, DeviceCopy};
use crate::num;
use crate::warp::WarpValue;

/// A value of a type that implements `bytemuck::Pod`, as [`DeviceCopy`]: a struct of another crate, which cannot derive
/// it. It needs the feature `bytemuck`.
///
/// A kernel takes `&[PodValue<T>]`, and uses an element like a `T`. On the host, `wrap_slice` makes the argument from a
/// slice of `T`, without a copy; `peel_slice` is the way back. Both are functions of `bytemuck::TransparentWrapper`.
///
/// ```
/// use bytemuck::{Pod, TransparentWrapper, Zeroable};
/// use offload::{Device, DeviceBuffer, DisjointSlice, Grid, PodValue, kernel, prelude::*, thread};
///
/// // in another crate
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Pixel {
///     grey: f32,
///     alpha: f32,
/// }
/// // SAFETY: two numbers, without gaps.
/// unsafe impl Zeroable for Pixel {}
/// // SAFETY: as above.
/// unsafe impl Pod for Pixel {}
///
/// #[kernel]
/// fn invert(mut image: DisjointSlice<PodValue<Pixel>>) {
///     if let Some(pixel) = image.get_mut(thread::index_1d()) {
///         pixel.grey = 1.0 - pixel.grey;
///     }
/// }
///
/// let stream = Device::new()?.default_stream();
/// let pixels = [Pixel { grey: 0.25, alpha: 1.0 }; 3];
/// let mut image = DeviceBuffer::from_host(&stream, PodValue::wrap_slice(&pixels))?;
/// invert.launch(&stream, Grid::for_len(3, 32), (&mut image,))?;
/// let inverted = image.to_host_vec(&stream)?;
/// assert_eq!(bytemuck::cast_slice::<Pixel, f32>(PodValue::peel_slice(&inverted))[..2], [0.75, 1.0]);
/// # Ok::<(), offload::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct PodValue<T>(pub T);

// SAFETY: the type says that its bytes are plain, and that it contains no pointer that safe code could use.
unsafe impl<T: Pod> DeviceCopy for PodValue<T> {
    const MAY_HOLD_POINTER: bool = false;
    const HAS_PADDING: bool = false;
}
// SAFETY: the number of words follows from the size of the type.
unsafe impl<T: Pod> WarpValue for PodValue<T> {
    #[inline(always)]
    fn map_words(mut self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
        let (place, size) = ((&raw mut self.0).cast::<u8>(), const { size_of::<T>() });
        let mut at = 0;
        macro_rules! words {
            ($($word:ident)*) => { $(
                while size - at >= size_of::<$word>() {
                    // SAFETY: these are bytes of the value, none is between two fields, and all may have any value.
                    unsafe {
                        let word = place.add(at).cast::<$word>();
                        let other = exchange(word.read_unaligned().into(), size_of::<$word>());
                        word.write_unaligned(other as $word);
                    }
                    at += size_of::<$word>();
                }
            )* };
        }
        words!(u64 u32 u16 u8);
        self
    }
}
// SAFETY: the type says that bytes that are all 0 are a value.
unsafe impl<T: Pod> device_copy::Zeroable for PodValue<T> {}
// SAFETY: the value has the layout of the one in it.
unsafe impl<T: Zeroable> Zeroable for PodValue<T> {}
// SAFETY: as above.
unsafe impl<T: Pod> Pod for PodValue<T> {}
// SAFETY: as above.
unsafe impl<T> TransparentWrapper<T> for PodValue<T> {}

impl<T> From<T> for PodValue<T> {
    #[inline(always)]
    fn from(value: T) -> Self {
        PodValue(value)
    }
}

impl<T> Deref for PodValue<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for PodValue<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

macro_rules! plain_bytes {
    ($($ty:ident)*) => { $(
        // SAFETY: bytes that are all 0 are 0 for each number.
        unsafe impl Zeroable for num::$ty {}
        // SAFETY: the type consists of numbers, without gaps.
        unsafe impl Pod for num::$ty {}
    )* };
}
plain_bytes!(F16 Bf16);

macro_rules! vectors {
    ($($name:ident $number:ident $count:literal [$($field:ident)+];)*) => {
        plain_bytes!($($name)*);
    };
}
num::for_each_vector!(vectors);
