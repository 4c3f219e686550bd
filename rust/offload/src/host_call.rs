//! Calls of the host from kernels.

use core::mem::{self, MaybeUninit};
use core::ptr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi::{HOST_CALL_BYTES, HOST_CALL_DONE, HOST_CALL_PANICKED};
use crate::contract::{self, is_compiled};
use crate::device_copy::DeviceCopy;
use crate::fallback;

/// The type of the host's side of a call: `offload_host_function`.
type Enter = extern "C-unwind" fn(*const u8, *mut u8, *mut u8, usize) -> u32;

/// The function that [`host_call!`](crate::host_call!) calls.
#[track_caller]
#[inline(always)]
pub fn host_call<A, R, F>(arguments: A, function: F) -> R
where
    A: DeviceCopy,
    R: DeviceCopy,
    F: Fn(A) -> R + Copy + Send + Sync + 'static,
{
    // Here, rustc's message names the line of the call.
    const {
        check::<A, R, F>();
        assert!(
            !A::MAY_HIDE_ADDRESS && !R::MAY_HIDE_ADDRESS,
            "a value that a `host_call!` passes may contain an address: the host cannot use one of a device, nor a \
            device one of the host"
        );
    }
    call_host(arguments, function)
}

/// The requirements of each call. They are checked when the call is compiled.
const fn check<A, R, F>() {
    assert!(
        size_of::<F>() == 0,
        "the closure of `host_call!` captures a variable: name each variable that it uses between the bars, \
        `host_call!(|a, b| …)`"
    );
    assert!(size_of::<A>() <= HOST_CALL_BYTES, "the arguments of a `host_call!` have more than 896 bytes");
    assert!(size_of::<R>() <= HOST_CALL_BYTES, "the result of a `host_call!` has more than 896 bytes");
}

/// The same for values of any type. The host and devices must understand each other's values: their bytes are copied.
#[track_caller]
#[inline(always)]
pub(crate) fn call_host<A, R, F>(arguments: A, function: F) -> R
where
    A: Copy,
    F: Fn(A) -> R + Copy + Send + Sync + 'static,
{
    const { check::<A, R, F>() }
    if cfg!(miri) {
        return function(arguments);
    }
    let mut result = MaybeUninit::<R>::uninit();
    let (from, to) = ((&raw const arguments).cast::<u8>(), result.as_mut_ptr().cast::<u8>());
    // The number of the function on a device, and its address on the host: so device code does not name the function.
    let host_function = contract::__offload_host_function(enter::<A, R, F> as *const ());
    if is_compiled() {
        match contract::__offload_call_host(host_function, from, size_of::<A>(), to, size_of::<R>()) {
            HOST_CALL_DONE => {}
            // The runtime adds the message of the panic in place of the last character.
            HOST_CALL_PANICKED => panic!("a function of the host panicked\u{6}"),
            _ => panic!("this launch cannot call functions of the host"),
        }
    } else if fallback::is_kernel() {
        fallback::host_calls::run(|| enter_at(host_function, from, to));
    } else {
        enter_at(host_function, from, to);
    }
    // SAFETY: the function has returned, so it has written the result.
    unsafe { result.assume_init() }
}

/// Calls the host's side of a call on the host. A panic unwinds through it.
#[inline(always)]
fn enter_at(address: u64, arguments: *const u8, result: *mut u8) {
    let pointer = ptr::with_exposed_provenance::<()>(address as usize);
    // SAFETY: on the host, the contract returns the address of the function that it has got.
    let enter = unsafe { mem::transmute::<*const (), Enter>(pointer) };
    enter(arguments, result, ptr::null_mut(), 0);
}

/// The host's side of a call. Without a place for the text of a panic, a panic unwinds.
extern "C-unwind" fn enter<A, R, F>(arguments: *const u8, result: *mut u8, text: *mut u8, capacity: usize) -> u32
where
    A: Copy,
    F: Fn(A) -> R + Copy + Send + Sync + 'static,
{
    let run = || {
        // SAFETY: `call_host` has passed a value, and memory for the result. A type without bytes has one value, which
        // `call_host` was called with, and which any thread may use.
        unsafe {
            let function = mem::zeroed::<F>();
            result.cast::<R>().write_unaligned(function(arguments.cast::<A>().read_unaligned()));
        }
    };
    if text.is_null() {
        run();
        return HOST_CALL_DONE;
    }
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(()) => HOST_CALL_DONE,
        Err(payload) => {
            write_text(fallback::host_calls::message_of(&*payload), text, capacity);
            // The payload may be of a type whose drop panics.
            mem::forget(payload);
            HOST_CALL_PANICKED
        }
    }
}

/// Writes a text that ends with a zero byte.
fn write_text(message: &str, text: *mut u8, capacity: usize) {
    let end = message.len().min(capacity - 1);
    let length = (0..=end).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
    // SAFETY: the runtime passes memory of this size.
    unsafe {
        ptr::copy_nonoverlapping(message.as_ptr(), text, length);
        text.add(length).write(0);
    }
}

/// Calls a closure on the host, from a kernel. The thread waits for the closure and gets its result.
///
/// `host_call!(|a, b| …)` copies the variables `a` and `b` to the host, where the closure runs with them: it may use
/// files, clocks, locks, and statics of the program, like any code of the host. The variables and the result are
/// [`DeviceCopy`](crate::DeviceCopy) values, of up to 896 bytes each. The closure uses no other variable of the kernel.
///
/// ```
/// use std::sync::Mutex;
///
/// use offload::{Device, DisjointSlice, Grid, host_call, kernel, prelude::*, thread};
///
/// static STRANGE: Mutex<Vec<(u32, f32)>> = Mutex::new(Vec::new());
///
/// #[kernel]
/// fn roots(mut values: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     if let Some(value) = values.get_mut(i) {
///         let (index, x) = (i.get() as u32, *value);
///         *value = if x >= 0.0 {
///             x.sqrt()
///         } else {
///             // Only the threads with a negative number come here.
///             host_call!(|index, x| {
///                 STRANGE.lock().unwrap().push((index, x));
///                 0.0
///             })
///         };
///     }
/// }
///
/// let mut values = [4.0, -1.0, 9.0];
/// let stream = Device::new()?.default_stream();
/// roots.launch(&stream, Grid::for_len(3, 32), (&mut values[..],))?;
/// assert_eq!(values, [2.0, 0.0, 3.0]);
/// assert_eq!(*STRANGE.lock().unwrap(), [(1, -1.0)]);
/// # Ok::<(), offload::Error>(())
/// ```
///
/// A call takes microseconds on a GPU, so it is for cold paths. Threads of a warp may call together, in part, or alone;
/// the others wait where the control flow joins again. The closures of one stream run one after the other, on a thread
/// that belongs to the stream. On the device `cpu` and in a program that offloadc has not compiled, a closure runs on
/// the thread that runs the block, and closures of several blocks run at the same time.
///
/// A panic in the closure is a panic of the kernel's thread, with the same message: the launch returns
/// [`Error::Panicked`](crate::Error::Panicked). The closure cannot use the device whose kernel waits for it: a launch,
/// a copy or a wait there is an error, because both could wait for each other forever.
///
/// Kernels on all devices can call the host, except on an OpenCL device without memory that both sides may use at once.
/// There the launch is an error.
#[doc(alias("hostcall", "rpc"))]
#[macro_export]
macro_rules! host_call {
    // With `move`, a variable that is not named is the error of `call_host`, and not one about lifetimes.
    (|| $($body:tt)*) => {
        $crate::__private::host_call((), move |()| $($body)*)
    };
    (|$($name:ident),* $(,)?| $($body:tt)*) => {
        $crate::__private::host_call(($($name,)*), move |($($name,)*)| $($body)*)
    };
    ($($other:tt)*) => {
        ::core::compile_error!("expected `host_call!(|a, b| ..)`, with the names of the variables that the closure uses: \
            without types, patterns, references and `move`")
    };
}
