//! The twins in OpenCL C, on implementations of OpenCL for processors.

use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;

/// The kernels of all rows that have a twin.
const SOURCE: &str = include_str!("../opencl/kernels.cl");

#[repr(C)]
struct RawDevice(c_void);
#[repr(C)]
struct RawKernel(c_void);

/// An argument, as in `opencl/host.c`.
#[repr(C)]
pub(crate) struct Argument<'a> {
    bytes: *const c_void,
    size: usize,
    kind: u32,
    borrowed: PhantomData<&'a [u8]>,
}

openmp! {
    fn opencl_open(
        platform: *const c_char,
        source: *const c_char,
        length: usize,
        error: *mut c_char,
        capacity: usize,
    ) -> *mut RawDevice;
    fn opencl_name(device: *const RawDevice) -> *const c_char;
    fn opencl_prepare(
        device: *mut RawDevice,
        name: *const c_char,
        arguments: *const Argument<'_>,
        count: u32,
    ) -> *mut RawKernel;
    fn opencl_run(kernel: *mut RawKernel, global: *const usize, local: *const usize) -> i32;
    fn opencl_read(kernel: *mut RawKernel, number: u32, to: *mut c_void, size: usize) -> i32;
    fn opencl_free(kernel: *mut RawKernel) -> ();
}

impl<'a> Argument<'a> {
    pub(crate) fn value<T: Copy>(value: &'a T) -> Self {
        Argument { bytes: std::ptr::from_ref(value).cast(), size: size_of::<T>(), kind: 0, borrowed: PhantomData }
    }

    pub(crate) fn input<T: Copy>(values: &'a [T]) -> Self {
        Argument { bytes: values.as_ptr().cast(), size: size_of_val(values), kind: 1, borrowed: PhantomData }
    }

    pub(crate) fn output<T: Copy>(len: usize) -> Self {
        Argument { bytes: std::ptr::null(), size: len * size_of::<T>(), kind: 2, borrowed: PhantomData }
    }

    /// An output that is set to zero before each run.
    pub(crate) fn zeroed<T: Copy>(len: usize) -> Self {
        Argument { kind: 3, ..Self::output::<T>(len) }
    }
}

/// A kernel of OpenCL with its arguments, the last of which is the result.
pub(crate) struct Twin<'a> {
    pub(crate) name: &'static str,
    /// The numbers of threads and of threads in a block, along x and y.
    pub(crate) global: [usize; 2],
    pub(crate) local: [usize; 2],
    pub(crate) arguments: Vec<Argument<'a>>,
}

impl<'a> Twin<'a> {
    /// In blocks of 256 threads.
    pub(crate) fn linear(name: &'static str, threads: usize, arguments: Vec<Argument<'a>>) -> Self {
        Twin { name, global: [threads.next_multiple_of(256), 1], local: [256, 1], arguments }
    }

    /// In blocks of `x` times `y` threads.
    pub(crate) fn rows(name: &'static str, size: [usize; 2], (x, y): (u32, u32), arguments: Vec<Argument<'a>>) -> Self {
        let local = [x as usize, y as usize];
        Twin { name, global: [0, 1].map(|axis| size[axis].next_multiple_of(local[axis])), local, arguments }
    }
}

/// An implementation of OpenCL.
pub(crate) struct OpenCl {
    pub(crate) name: &'static str,
    device: *mut RawDevice,
}

impl OpenCl {
    /// The processor of the platform whose name contains `platform`, or why there is none.
    pub(crate) fn open(name: &'static str, platform: &str) -> Result<Self, String> {
        if !cfg!(openmp) {
            return Err("clang-22 is absent".to_owned());
        }
        let platform = CString::new(platform).map_err(|error| error.to_string())?;
        let mut error = vec![0u8; 4096];
        let (text, capacity) = (error.as_mut_ptr().cast(), error.len());
        // SAFETY: the strings live until the function returns, and the error has this capacity.
        let device = unsafe { opencl_open(platform.as_ptr(), SOURCE.as_ptr().cast(), SOURCE.len(), text, capacity) };
        if device.is_null() {
            let text = CStr::from_bytes_until_nul(&error).unwrap_or_default();
            return Err(text.to_string_lossy().into_owned());
        }
        Ok(OpenCl { name, device })
    }

    /// The name that the device reports.
    pub(crate) fn device_name(&self) -> String {
        // SAFETY: the device is open, and its name ends with a NUL.
        unsafe { CStr::from_ptr(opencl_name(self.device)) }.to_string_lossy().into_owned()
    }

    /// Copies the inputs of a twin to the device.
    pub(crate) fn prepare(&self, twin: &Twin<'_>) -> Prepared {
        let name = CString::new(twin.name).expect("names have no NUL");
        let count = twin.arguments.len() as u32;
        // SAFETY: the arguments point to values and slices that the twin borrows.
        let kernel = unsafe { opencl_prepare(self.device, name.as_ptr(), twin.arguments.as_ptr(), count) };
        assert!(!kernel.is_null(), "{} does not take kernel {}", self.name, twin.name);
        let result = twin.arguments.last().map_or(0, |argument| argument.size);
        Prepared { kernel, global: twin.global, local: twin.local, last: count - 1, result }
    }
}

/// A twin on a device.
pub(crate) struct Prepared {
    kernel: *mut RawKernel,
    global: [usize; 2],
    local: [usize; 2],
    last: u32,
    /// The size of the result in bytes.
    result: usize,
}

impl Prepared {
    pub(crate) fn run(&self) {
        // SAFETY: the kernel exists, and its arguments are set.
        let error = unsafe { opencl_run(self.kernel, self.global.as_ptr(), self.local.as_ptr()) };
        assert_eq!(error, 0, "an error of OpenCL");
    }

    pub(crate) fn result<T: Copy + Default>(&self) -> Vec<T> {
        let mut values = vec![T::default(); self.result / size_of::<T>()];
        // SAFETY: the result has this size, and every value of its type is valid.
        let error = unsafe { opencl_read(self.kernel, self.last, values.as_mut_ptr().cast(), self.result) };
        assert_eq!(error, 0, "an error of OpenCL");
        values
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: the kernel exists, and nothing uses it any more.
        unsafe { opencl_free(self.kernel) };
    }
}
