//! Kernels that other launchers find by a name of C.

/// A row of section `.offload.exports`: a kernel and its name.
#[doc(hidden)]
#[repr(C)]
#[derive(Debug)]
pub struct Export<const LENGTH: usize> {
    kernel: *const (),
    name: [u8; LENGTH],
}

// SAFETY: nothing reads it. offloadc takes the section out of the program.
unsafe impl<const LENGTH: usize> Sync for Export<LENGTH> {}

impl<const LENGTH: usize> Export<LENGTH> {
    /// A kernel and its name.
    pub const fn new(kernel: *const (), name: [u8; LENGTH]) -> Self {
        Export { kernel, name }
    }
}

/// A parameter of an exported kernel: every launcher passes it as the same bytes.
///
/// A struct is none, because C passes a small one in registers, as several parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of an exported kernel",
    label = "other launchers do not pass this",
    note = "an exported kernel takes numbers of 8 to 64 bits, `f32`, `f64` and raw pointers: `*const T` and a length instead of a `&[T]`, and a pointer to a struct"
)]
pub trait ExportParam {}

macro_rules! numbers {
    ($($number:ty)*) => { $(impl ExportParam for $number {})* };
}

numbers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64);
impl<T> ExportParam for *const T {}
impl<T> ExportParam for *mut T {}

/// Checks the type of a parameter.
#[doc(hidden)]
pub fn check_export<T: ExportParam>() {}
