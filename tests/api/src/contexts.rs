//! A context that the program creates with CUDA's own library, beside the primary one: kernels of this program in
//! memory and streams of the context, and the library with memory of a buffer.

use std::ffi::{c_int, c_void};
use std::ptr;

use offload::{Device, DeviceBuffer, Error, Grid, Result, Stream, prelude::*};

use crate::handles::{Library, count_up};

/// Functions of cuda.h, whose result is 0 for success.
struct Cuda {
    create: unsafe extern "C" fn(*mut *mut c_void, u32, c_int) -> c_int,
    destroy: unsafe extern "C" fn(*mut c_void) -> c_int,
    pop: unsafe extern "C" fn(*mut *mut c_void) -> c_int,
    push: unsafe extern "C" fn(*mut c_void) -> c_int,
    create_stream: unsafe extern "C" fn(*mut *mut c_void, u32) -> c_int,
    destroy_stream: unsafe extern "C" fn(*mut c_void) -> c_int,
    allocate: unsafe extern "C" fn(*mut *mut u32, usize) -> c_int,
    free: unsafe extern "C" fn(*mut u32) -> c_int,
    copy_there: unsafe extern "C" fn(*mut u32, *const u32, usize) -> c_int,
    copy_here: unsafe extern "C" fn(*mut u32, *const u32, usize) -> c_int,
    wait: unsafe extern "C" fn() -> c_int,
}

impl Cuda {
    fn open() -> Cuda {
        let library = Library::open(c"libcuda.so.1");
        // SAFETY: these are the types of the functions.
        unsafe {
            Cuda {
                create: library.function(c"cuCtxCreate_v2"),
                destroy: library.function(c"cuCtxDestroy_v2"),
                pop: library.function(c"cuCtxPopCurrent_v2"),
                push: library.function(c"cuCtxPushCurrent_v2"),
                create_stream: library.function(c"cuStreamCreate"),
                destroy_stream: library.function(c"cuStreamDestroy_v2"),
                allocate: library.function(c"cuMemAlloc_v2"),
                free: library.function(c"cuMemFree_v2"),
                copy_there: library.function(c"cuMemcpyHtoD_v2"),
                copy_here: library.function(c"cuMemcpyDtoH_v2"),
                wait: library.function(c"cuCtxSynchronize"),
            }
        }
    }
}

/// What only CUDA has is refused elsewhere.
fn refuse(device: &Device) {
    // SAFETY: null is no context, and is not used.
    let refused = unsafe { Device::from_raw_context(device.name(), ptr::null_mut()) };
    match (&refused, device.name().starts_with("cuda:")) {
        (Err(Error::Invalid(text)), true) => {
            assert!(text.contains("the context is null; help: open `cuda:0`"), "{text}")
        }
        (Err(Error::Unsupported(text)), false) => assert!(text.contains("in a context of the program"), "{text}"),
        _ => panic!("{}: {refused:?}", device.name()),
    }
}

/// Runs kernels in a context that the vendor's library has created.
pub(crate) fn check(device: &Device) -> Result<()> {
    refuse(device);
    if device.name() != "cuda:0" {
        return Ok(());
    }
    let cuda = Cuda::open();
    let (mut context, mut queue, mut memory) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: the places are valid, and the device exists. The context stays the current one of this thread meanwhile.
    let made = unsafe { ((cuda.create)(&mut context, 0, 0), (cuda.create_stream)(&mut queue, 1)) };
    // SAFETY: as above, and the memory has this size.
    let filled = unsafe { ((cuda.allocate)(&mut memory, 400), (cuda.copy_there)(memory, [7; 100].as_ptr(), 400)) };
    // SAFETY: the context is the current one, and no longer then.
    let popped = unsafe { (cuda.pop)(&mut context) };
    assert_eq!((made, filled, popped), ((0, 0), (0, 0), 0));
    // SAFETY: the context exists until all of this has been dropped.
    let there = unsafe { Device::from_raw_context("cuda:0", context) }?;
    assert!(there.raw_context()? == context && device.raw_context()? != context);
    {
        // SAFETY: both belong to the context, and exist until this has been dropped.
        let (stream, mut theirs) =
            unsafe { (Stream::from_raw(&there, queue)?, DeviceBuffer::from_owner(&there, memory, 100, ())) };
        let mut ours = DeviceBuffer::from_host(&stream, &[1; 100])?;
        count_up.launch(&stream, Grid::for_len(100, 32), (&mut theirs, 20))?;
        count_up.launch(&there.default_stream(), Grid::for_len(100, 32), (&mut ours, 4))?;
        there.synchronize()?;
        let mut here = [[0; 100]; 2];
        // SAFETY: the places have this size.
        let copied = unsafe {
            let pushed = (cuda.push)(context);
            let copied = [(memory, 0), (ours.device_ptr_mut(), 1)]
                .map(|(from, to)| (cuda.copy_here)(here[to].as_mut_ptr(), from, 400));
            (pushed, copied, (cuda.pop)(&mut context))
        };
        assert_eq!((copied, here), ((0, [0, 0], 0), [[17; 100], [3; 100]]));
        // Memory of one context is no memory of the other device.
        let other = count_up.launch(&device.default_stream(), Grid::for_len(100, 32), (&mut ours, 1));
        assert!(matches!(&other, Err(Error::OtherDevice(_))), "{other:?}");
    }
    drop(there);
    // SAFETY: the context exists still, and nothing uses it any more.
    let ended = unsafe {
        let (pushed, waited) = ((cuda.push)(context), (cuda.wait)());
        let freed = ((cuda.free)(memory), (cuda.destroy_stream)(queue));
        (pushed, waited, freed, (cuda.pop)(&mut context), (cuda.destroy)(context))
    };
    assert_eq!(ended, (0, 0, (0, 0), 0, 0));
    device.synchronize()
}
