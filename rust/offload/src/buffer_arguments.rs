//! Buffers as arguments of launches: `&buffer` for memory that a kernel reads, `&mut buffer` for memory that it writes.

use crate::argument::Argument;
use crate::binding::Binding;
use crate::buffer::DeviceBuffer;
use crate::chunks::DisjointChunks;
use crate::device_copy::DeviceCopy;
use crate::error::Result;
use crate::host_buffer::UnifiedBuffer;
use crate::slice::{DisjointBlocks, DisjointSlice, RawSlice};

macro_rules! buffers {
    ($($buffer:ident)*) => { $(
        // SAFETY: writing the buffer requires `&mut`, and such writes are ordered after the launch.
        unsafe impl<'a, T: DeviceCopy> Argument<&'a [T]> for &'a $buffer<T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory().read_in(binding.submission())?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: the buffer is borrowed exclusively, and its later uses are ordered after the launch.
        unsafe impl<'a, T: DeviceCopy> Argument<DisjointSlice<'a, T>> for &'a mut $buffer<T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: DeviceCopy> Argument<DisjointBlocks<'a, T>> for &'a mut $buffer<T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: DeviceCopy, const N: usize> Argument<DisjointChunks<'a, T, N>> for &'a mut $buffer<T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }
    )* };
}
buffers!(DeviceBuffer UnifiedBuffer);
