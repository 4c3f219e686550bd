//! Numbers that Rust's `core` lacks: floats of 16 bits, and vectors of 2 and 4 numbers with the alignment that GPUs
//! load in one access.
//!
//! ```
//! use offload::num::{F16, F32x4};
//!
//! let half = F16::from_f32(0.1);
//! assert_eq!((half.to_bits(), size_of_val(&half)), (0x2e66, 2));
//! let sum = F32x4::new(1.0, 2.0, 3.0, 4.0) + F32x4::splat(half.to_f32());
//! assert_eq!((sum.x, align_of::<F32x4>()), (1.0999756, 16));
//! ```
//!
//! # Floats of 16 bits
//!
//! | type | format | CUDA's name | significant bits | largest number |
//! |---|---|---|---|---|
//! | [`F16`] | IEEE 754 binary16 | `__half` | 11 | 65504 |
//! | [`Bf16`] | bfloat16 | `__nv_bfloat16` | 8 | 3.39e38 |
//!
//! Conversions have the same bits on every device: they are integer operations, or instructions of the device for
//! numbers that these convert in the same way. A conversion to fewer bits rounds to the nearest number, and to the even
//! one of two; a NaN keeps its sign and its upper bits, and becomes quiet. Arithmetic computes in `f32` and rounds the
//! result, which equals the exact result, rounded once. For sums of many numbers, convert to `f32` first.
//!
//! The feature `half` adds conversions from and to the types of the crate `half`, and the feature `bytemuck` implements
//! `Pod`.
//!
//! # Vectors
//!
//! The names consist of the type of the numbers and their count. A vector has the layout of an array with the alignment
//! of CUDA's type of this form: its size, and at most 16 bytes.
//!
//! | numbers | vectors | CUDA's names |
//! |---|---|---|
//! | floats | [`F32x2`], [`F32x4`], [`F64x2`], [`F64x4`] | `float2`, `float4`, `double2`, `double4_16a` |
//! | floats of 16 bits | [`F16x2`], [`F16x4`], [`Bf16x2`], [`Bf16x4`] | `__half2`, `__nv_bfloat162` |
//! | signed integers | [`I8x2`], [`I8x4`], [`I16x2`], [`I16x4`] | `char2`, `char4`, `short2`, `short4` |
//! | | [`I32x2`], [`I32x4`], [`I64x2`], [`I64x4`] | `int2`, `int4`, `longlong2`, `longlong4_16a` |
//! | unsigned integers | [`U8x2`], [`U8x4`], [`U16x2`], [`U16x4`] | `uchar2`, `uchar4`, `ushort2`, `ushort4` |
//! | | [`U32x2`], [`U32x4`], [`U64x2`], [`U64x4`] | `uint2`, `uint4`, `ulonglong2`, `ulonglong4_16a` |
//!
//! Operators work on each number, and take a vector or a number on the right. A kernel that reads an element of a
//! `&[F32x4]` loads 16 bytes in one access.
//!
//! ```
//! use offload::{DisjointSlice, Grid, kernel, num::F32x4, prelude::*, thread};
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[F32x4], mut y: DisjointSlice<F32x4>) {
//!     if let Some((y, i)) = y.get_mut_indexed() {
//!         *y += x[i.get()] * a;
//!     }
//! }
//!
//! let mut y = [F32x4::splat(1.0); 3];
//! saxpy.run_on_host(Grid::for_len(3, 32), (2.0, &[F32x4::new(1.0, 2.0, 3.0, 4.0); 3], &mut y));
//! assert_eq!(y[2].to_array(), [3.0, 5.0, 7.0, 9.0]);
//! ```

mod convert;
mod fused;
mod instructions;
mod small;
mod vector;

pub use small::{Bf16, F16};
pub use vector::*;
