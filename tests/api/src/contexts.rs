//! A context that the program creates with the vendor's own library, beside that of the device: kernels of this program
//! in memory and streams of the context, and CUDA's library with memory of a buffer.

use std::ffi::{c_char, c_int, c_void};
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

/// Functions that only CUDA has are refused elsewhere.
fn refuse(device: &Device) {
    // SAFETY: null is no context, and is not used.
    let refused = unsafe { Device::from_raw_context(device.name(), ptr::null_mut()) };
    let has_contexts = ["cuda:", "opencl:"].iter().any(|driver| device.name().starts_with(driver));
    match (&refused, has_contexts) {
        (Err(Error::Invalid(text)), true) => {
            assert!(text.contains(&format!("the context is null; help: open `{}`", device.name())), "{text}")
        }
        (Err(Error::Unsupported(text)), false) => assert!(text.contains("in a context of the program"), "{text}"),
        _ => panic!("{}: {refused:?}", device.name()),
    }
}

/// Functions of cl.h.
struct OpenCl {
    library: Library,
    context_info: Ask,
    device_info: Ask,
}

type Ask = unsafe extern "C" fn(*mut c_void, u32, usize, *mut *mut c_void, *mut usize) -> c_int;
type OfHandle = unsafe extern "C" fn(*mut c_void) -> c_int;
type CreateContext = unsafe extern "C" fn(
    *const isize,
    u32,
    *const *mut c_void,
    Option<extern "C" fn()>,
    *mut c_void,
    *mut c_int,
) -> *mut c_void;
type CreateSubDevices = unsafe extern "C" fn(*mut c_void, *const isize, u32, *mut *mut c_void, *mut u32) -> c_int;
type CreateQueue = unsafe extern "C" fn(*mut c_void, *mut c_void, *const u64, *mut c_int) -> *mut c_void;
type FindFunction = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Allocate = unsafe extern "C" fn(*mut c_void, *mut c_void, *const u64, usize, u32, *mut c_int) -> *mut u32;
type Free = unsafe extern "C" fn(*mut c_void, *mut u32) -> c_int;

impl OpenCl {
    fn open() -> OpenCl {
        let library = Library::open(c"libOpenCL.so.1");
        // SAFETY: these are the types of the functions.
        let (context_info, device_info) =
            unsafe { (library.function(c"clGetContextInfo"), library.function(c"clGetDeviceInfo")) };
        OpenCl { library, context_info, device_info }
    }

    /// A property of a context or device that is a handle.
    fn handle(ask: Ask, of: *mut c_void, property: u32) -> *mut c_void {
        let mut handle = ptr::null_mut();
        // SAFETY: the place has the size of the property.
        assert_eq!(unsafe { ask(of, property, size_of_val(&handle), &mut handle, ptr::null_mut()) }, 0);
        handle
    }
}

/// A context with a part of the device, which is another device for OpenCL.
fn refuse_part(cl: &OpenCl, device: &Device, id: *mut c_void) {
    const PARTITION_BY_COUNTS: isize = 0x1087;
    let (counts, mut part, mut error) = ([PARTITION_BY_COUNTS, 1, 0, 0], ptr::null_mut(), 0);
    // SAFETY: these are the types of the functions, the device exists, and the places are valid.
    let (context, refused, released) = unsafe {
        let divide: CreateSubDevices = cl.library.function(c"clCreateSubDevices");
        assert_eq!(divide(id, counts.as_ptr(), 1, &mut part, ptr::null_mut()), 0);
        let create: CreateContext = cl.library.function(c"clCreateContext");
        let context = create(ptr::null(), 1, &part, None, ptr::null_mut(), &mut error);
        let refused = Device::from_raw_context(device.name(), context);
        let release: [OfHandle; 2] =
            [cl.library.function(c"clReleaseContext"), cl.library.function(c"clReleaseDevice")];
        (context, refused, [release[0](context), release[1](part)])
    };
    assert!(!context.is_null() && (error, released) == (0, [0; 2]));
    let is_refused = matches!(&refused, Err(Error::Invalid(text)) if text.contains("belongs to another device"));
    assert!(is_refused, "{refused:?}");
}

/// Launches kernels in a stream of the program's own and in the default one, and waits for them.
fn count_both(
    there: &Device,
    stream: &Stream,
    theirs: &mut DeviceBuffer<u32>,
    ours: &mut DeviceBuffer<u32>,
) -> Result<()> {
    count_up.launch(stream, Grid::for_len(100, 32), (theirs, 20))?;
    count_up.launch(&there.default_stream(), Grid::for_len(100, 32), (ours, 4))?;
    there.synchronize()
}

/// A context, a queue and unified shared memory of the program's own.
fn check_opencl(device: &Device) -> Result<()> {
    const CONTEXT_REFERENCE_COUNT: u32 = 0x1080;
    let cl = OpenCl::open();
    let id = OpenCl::handle(cl.context_info, device.raw_context()?, 0x1081);
    let platform = OpenCl::handle(cl.device_info, id, 0x1031);
    refuse_part(&cl, device, id);
    let (mut errors, mut count) = ([0; 3], 0);
    // SAFETY: these are the types of the functions, the device exists, and the places are valid.
    let (context, queue, memory, free) = unsafe {
        let create: CreateContext = cl.library.function(c"clCreateContext");
        let create_queue: CreateQueue = cl.library.function(c"clCreateCommandQueueWithProperties");
        let find: FindFunction = cl.library.function(c"clGetExtensionFunctionAddressForPlatform");
        let allocate = find(platform, c"clSharedMemAllocINTEL".as_ptr());
        let free = find(platform, c"clMemFreeINTEL".as_ptr());
        assert!(!allocate.is_null() && !free.is_null());
        let allocate: Allocate = std::mem::transmute(allocate);
        let context = create(ptr::null(), 1, &id, None, ptr::null_mut(), &mut errors[0]);
        let queue = create_queue(context, id, ptr::null(), &mut errors[1]);
        let memory = allocate(context, id, ptr::null(), 400, 0, &mut errors[2]);
        (context, queue, memory, std::mem::transmute::<*mut c_void, Free>(free))
    };
    assert_eq!(errors, [0; 3]);
    // SAFETY: the memory has this size, and is the host's, too.
    unsafe { (0..100).for_each(|i| memory.add(i).write(7)) };
    // SAFETY: the context exists until all of this has been dropped.
    let there = unsafe { Device::from_raw_context(device.name(), context) }?;
    assert!(there.raw_context()? == context && device.raw_context()? != context);
    {
        // SAFETY: both belong to the context, and exist until this has been dropped.
        let (stream, mut theirs) =
            unsafe { (Stream::from_raw(&there, queue)?, DeviceBuffer::from_owner(&there, memory, 100, ())) };
        let mut ours = DeviceBuffer::from_host(&stream, &[1; 100])?;
        count_both(&there, &stream, &mut theirs, &mut ours)?;
        // SAFETY: nothing writes the memory any more.
        assert!(unsafe { (0..100).all(|i| memory.add(i).read() == 17) });
        assert_eq!(ours.to_host_vec(&stream)?, [3; 100]);
        let other = count_up.launch(&device.default_stream(), Grid::for_len(100, 32), (&mut ours, 1));
        assert!(matches!(&other, Err(Error::OtherDevice(_))), "{other:?}");
    }
    drop(there);
    // SAFETY: the context exists still, with the one owner that it had before, and nothing uses it any more.
    let ended = unsafe {
        let release: [OfHandle; 2] =
            [cl.library.function(c"clReleaseCommandQueue"), cl.library.function(c"clReleaseContext")];
        let freed = (free(context, memory), release[0](queue));
        let place = (&raw mut count).cast();
        let asked = (cl.context_info)(context, CONTEXT_REFERENCE_COUNT, size_of_val(&count), place, ptr::null_mut());
        (freed, asked, count, release[1](context))
    };
    assert_eq!(ended, ((0, 0), 0, 1u32, 0));
    device.synchronize()
}

/// Runs kernels in a context that the vendor's library has created.
pub(crate) fn check(device: &Device) -> Result<()> {
    refuse(device);
    match device.name().split(':').next() {
        Some("cuda") => check_cuda(device),
        Some("opencl") => check_opencl(device),
        _ => Ok(()),
    }
}

fn check_cuda(device: &Device) -> Result<()> {
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
        count_both(&there, &stream, &mut theirs, &mut ours)?;
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
