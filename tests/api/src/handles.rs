//! Queues that the program creates with the vendor's own library, as streams.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use offload::{Device, DeviceBuffer, DisjointSlice, Error, Grid, Result, Stream, kernel, prelude::*, thread};

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// A library that the runtime has loaded.
pub(crate) struct Library(*mut c_void);

impl Library {
    pub(crate) fn open(name: &CStr) -> Library {
        // SAFETY: the name is valid; 2 is RTLD_NOW.
        let library = unsafe { dlopen(name.as_ptr(), 2) };
        assert!(!library.is_null(), "{name:?}");
        Library(library)
    }

    /// Returns a function; `F` is its type.
    pub(crate) unsafe fn function<F: Copy>(&self, name: &CStr) -> F {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) }
        // SAFETY: the library is open and the name is valid.
        let address = unsafe { dlsym(self.0, name.as_ptr()) };
        assert!(!address.is_null(), "{name:?}");
        // SAFETY: the caller promises that this is the function's type.
        unsafe { std::mem::transmute_copy(&address) }
    }
}

type OfHandle = unsafe extern "C" fn(*mut c_void) -> c_int;

/// A queue of the program's own, and the library's functions that wait for it and destroy it.
struct Queue {
    handle: *mut c_void,
    wait: OfHandle,
    destroy: OfHandle,
}

/// # Safety
///
/// The device must be one of CUDA.
unsafe fn of_cuda(device: &Device) -> Queue {
    let cuda = Library::open(c"libcuda.so.1");
    let mut handle = ptr::null_mut();
    // SAFETY: these are the functions of cuda.h, and the context exists as long as the device. It stays the current one
    // of this thread.
    unsafe {
        let push: OfHandle = cuda.function(c"cuCtxPushCurrent_v2");
        let create: unsafe extern "C" fn(*mut *mut c_void, u32) -> c_int = cuda.function(c"cuStreamCreate");
        assert_eq!((push(device.raw_context().expect("CUDA has contexts")), create(&mut handle, 1)), (0, 0));
        Queue { handle, wait: cuda.function(c"cuStreamSynchronize"), destroy: cuda.function(c"cuStreamDestroy_v2") }
    }
}

/// # Safety
///
/// The device must be one of HIP.
unsafe fn of_hip(device: &Device) -> Queue {
    let hip = Library::open(c"libamdhip64.so");
    let mut handle = ptr::null_mut();
    let without_context = device.raw_context();
    assert!(matches!(&without_context, Err(Error::Unsupported(text)) if text.contains("has no context")));
    // SAFETY: these are the functions of hip_runtime_api.h.
    unsafe {
        let create: unsafe extern "C" fn(*mut *mut c_void, u32) -> c_int = hip.function(c"hipStreamCreateWithFlags");
        assert_eq!(create(&mut handle, 1), 0);
        Queue { handle, wait: hip.function(c"hipStreamSynchronize"), destroy: hip.function(c"hipStreamDestroy") }
    }
}

/// # Safety
///
/// The device must be one of OpenCL.
unsafe fn of_opencl(device: &Device) -> Queue {
    const CONTEXT_DEVICES: u32 = 0x1081;
    let opencl = Library::open(c"libOpenCL.so.1");
    let (mut id, mut error) = (ptr::null_mut::<c_void>(), 0);
    type Ask = unsafe extern "C" fn(*mut c_void, u32, usize, *mut *mut c_void, *mut usize) -> c_int;
    type Create = unsafe extern "C" fn(*mut c_void, *mut c_void, *const isize, *mut c_int) -> *mut c_void;
    // SAFETY: these are the functions of cl.h, and the context has one device.
    unsafe {
        let context = device.raw_context().expect("OpenCL has contexts");
        let ask: Ask = opencl.function(c"clGetContextInfo");
        let create: Create = opencl.function(c"clCreateCommandQueueWithProperties");
        assert_eq!(ask(context, CONTEXT_DEVICES, size_of_val(&id), &mut id, ptr::null_mut()), 0);
        let handle = create(context, id, ptr::null(), &mut error);
        assert_eq!(error, 0);
        Queue { handle, wait: opencl.function(c"clFinish"), destroy: opencl.function(c"clReleaseCommandQueue") }
    }
}

#[kernel]
pub(crate) fn count_up(mut values: DisjointSlice<u32>, rounds: u32) {
    let i = thread::index_1d();
    if let Some(value) = values.get_mut(i) {
        (0..rounds).for_each(|round| *value += round % 2);
        assert!(*value < 1000, "too many");
    }
}

/// Runs kernels in a queue that the vendor's library has created, and waits with the library's function.
pub(crate) fn check(device: &Device) -> Result<()> {
    // SAFETY: each function receives a device of its library.
    let queue = match device.name().split(':').next() {
        Some("cuda") => unsafe { of_cuda(device) },
        Some("hip") => unsafe { of_hip(device) },
        Some("opencl") => unsafe { of_opencl(device) },
        _ => {
            let none = device.default_stream().as_raw();
            assert!(matches!(&none, Err(Error::Unsupported(text)) if text.contains("no handles")), "{none:?}");
            return Ok(());
        }
    };
    // SAFETY: the queue belongs to the device, and is destroyed after the stream.
    let stream = unsafe { Stream::from_raw(device, queue.handle) }?;
    assert!(stream.as_raw()? == queue.handle && device.new_stream()?.as_raw()? != queue.handle);
    let mut values = DeviceBuffer::from_host(&stream, &[7; 100])?;
    count_up.launch(&stream, Grid::for_len(100, 32), (&mut values, 20))?;
    // SAFETY: the queue exists.
    assert_eq!(unsafe { (queue.wait)(queue.handle) }, 0);
    assert_eq!(values.to_host_vec(&device.default_stream())?, [17; 100]);
    count_up.launch(&stream, Grid::for_len(100, 32), (&mut values, 2000))?;
    // SAFETY: as above. The library does not report a panic.
    assert_eq!(unsafe { (queue.wait)(queue.handle) }, 0);
    let panicked = stream.synchronize();
    assert!(matches!(&panicked, Err(Error::Panicked(text)) if text.contains("too many")), "{panicked:?}");
    drop((values, stream));
    // SAFETY: the queue exists, and nothing uses it any more.
    assert_eq!(unsafe { ((queue.wait)(queue.handle), (queue.destroy)(queue.handle)) }, (0, 0));
    // SAFETY: null is no queue.
    let null = unsafe { Stream::from_raw(device, ptr::null_mut()) };
    assert!(matches!(&null, Err(Error::Invalid(text)) if text.contains("use the default stream")), "{null:?}");
    Ok(())
}
