//! Devices of a program that plain cargo has built: the runtime in C, which the build script compiles for the feature
//! `devices`, and the kernels that crates have baked.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use std::borrow::ToOwned as _;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::format;
use std::string::String;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::vec::Vec;

use super::handles::is_foreign;
use super::launch::describe;
use super::report::fail;
use crate::abi::{
    INTERFACE_VERSION, RawArgument, RawDescriptor, RawDevice, RawEvent, RawKernel, RawLaunchConfig, RawStream, status,
};
use crate::baked_sets::file::{File, Reader};
use crate::baked_sets::{Baked, RUSTC, sets};
use crate::layout::{Layout, probe};

// SAFETY: the types are those of `offloadrt.h`. The build script gives the functions these names.
unsafe extern "C" {
    fn offload_devices_offloadrt_device_open(name: *const c_char, device: *mut *mut RawDevice) -> c_int;
    fn offload_devices_offloadrt_device_adopt(
        name: *const c_char,
        context: *mut c_void,
        device: *mut *mut RawDevice,
    ) -> c_int;
    fn offload_devices_offloadrt_error_text() -> *const c_char;
    fn offload_devices_offloadrt_register(descriptor: *mut RawDescriptor);
    fn offload_devices_offloadrt_launch(
        device: *mut RawDevice,
        stream: *mut RawStream,
        kernel: *const RawKernel,
        config: *const RawLaunchConfig,
        arguments: *const RawArgument,
        count: usize,
    ) -> c_int;
}

/// Whether an argument of a function belongs to the runtime in C.
pub(crate) trait Foreign {
    fn is_foreign(&self) -> bool {
        false
    }
}

macro_rules! foreign {
    ($($ty:ty)*) => { $(
        impl Foreign for $ty {
            fn is_foreign(&self) -> bool {
                is_foreign(self.cast_const())
            }
        }
    )* };
}
foreign!(*mut RawDevice *mut RawStream *mut RawEvent);
impl Foreign for *const RawDevice {
    fn is_foreign(&self) -> bool {
        is_foreign(*self)
    }
}
macro_rules! own {
    ($($ty:ty)*) => { $(impl Foreign for $ty {})* };
}
own!(usize u8 u32 *const c_char *const c_void *mut c_void *mut c_int *mut i64 *mut crate::abi::RawLimits);
impl<T> Foreign for *mut *mut T {}

/// A result of a function of the runtime in C.
pub(crate) trait Returned {
    /// Takes over the text of an error.
    fn with_text(self) -> Self;
}

impl Returned for c_int {
    fn with_text(self) -> c_int {
        if self != status::SUCCESS {
            // SAFETY: the function returns a string, which lives until the next error of this thread.
            let text = unsafe { CStr::from_ptr(offload_devices_offloadrt_error_text()) };
            fail(self, &text.to_string_lossy());
        }
        self
    }
}

impl Returned for *const c_char {
    fn with_text(self) -> *const c_char {
        self
    }
}

/// A set whose kernels this program may use, or the reason why not.
struct Loaded {
    set: &'static Baked,
    file: Result<File<'static>, String>,
    /// The handles in the order of the file.
    handles: &'static [RawKernel],
}

// SAFETY: nothing writes the handles, and their pointers lead to leaked memory.
unsafe impl Sync for Loaded {}
// SAFETY: as above.
unsafe impl Send for Loaded {}

fn loaded() -> &'static [Loaded] {
    static LOADED: OnceLock<Vec<Loaded>> = OnceLock::new();
    LOADED.get_or_init(|| {
        let mut all: Vec<&Baked> = sets().collect();
        all.sort_by_key(|set| (set.package, set.version));
        all.into_iter().map(load).collect()
    })
}

fn load(set: &'static Baked) -> Loaded {
    let file = Reader(set.bytes).file().ok_or_else(|| "the file is damaged".to_owned());
    let file = file.and_then(|file| check(set, &file).map(|()| file));
    let handles = file.as_ref().map_or(&[][..], register);
    Loaded { set, file, handles }
}

/// Compares the facts that concern all kernels of a file.
fn check(set: &Baked, file: &File<'_>) -> Result<(), String> {
    let was = |what: &str, then: &str, now: &str| {
        if then == now { Ok(()) } else { Err(format!("{what} was {then} when they were baked, and is {now}")) }
    };
    was("the package", file.package, set.package)?;
    was(&format!("the version of `{}`", set.package), file.version, set.version)?;
    was("the version of `offload-kernels`", file.offload, env!("CARGO_PKG_VERSION"))?;
    let word = |is_on: bool| if is_on { "on" } else { "off" };
    for (name, is_on) in set.features {
        let then = file.features.iter().find(|(other, _)| other == name);
        let then = then.map_or("unknown", |(_, then)| word(*then));
        was(&format!("feature `{name}`"), then, word(*is_on))?;
    }
    if file.source != set.source {
        return Err("its source has changed since they were baked; `cargo offloadc bake` writes them again".to_owned());
    }
    check_inputs(file.inputs, set.inputs)?;
    check_conditions(file.conditions, set.conditions)
}

/// Compares the inputs in the file with those that the macro has listed by the same names: kind, name and value in each
/// line.
fn check_inputs(then: &str, now: &str) -> Result<(), String> {
    let Some(changed) = then.lines().find(|line| !now.lines().any(|other| other == *line)) else { return Ok(()) };
    let mut fields = changed.split('\t');
    let (kind, name) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    let what = match kind {
        "env" => format!("the variable `{name}` of the environment"),
        "file" => format!("the file `{name}`"),
        _ => format!("the source of its dependency `{name}`"),
    };
    Err(format!("{what} has changed since they were baked; `cargo offloadc bake` writes them again"))
}

/// Compares names and values. A name that is absent is off.
fn check_conditions(then: &str, now: &str) -> Result<(), String> {
    fn rows(text: &str) -> BTreeMap<&str, &str> {
        text.lines().filter_map(|line| line.split_once('\t')).collect()
    }
    let (then, now) = (rows(then), rows(now));
    let value = |of: &BTreeMap<&str, &str>, name: &str| of.get(name).map_or("off", |value| *value).to_owned();
    let mut names = then.keys().chain(now.keys());
    match names.find(|name| then.get(**name) != now.get(**name)) {
        None => Ok(()),
        Some(name) => {
            let (then, now) = (value(&then, name), value(&now, name));
            Err(format!("{name} was {then} when they were baked, and is {now}"))
        }
    }
}

/// Registers the images with the runtime in C, and returns the handles of the kernels.
fn register(file: &File<'static>) -> &'static [RawKernel] {
    // The runtime reads numbers of eight bytes.
    fn aligned(bytes: &[u8]) -> *const u8 {
        let mut words = std::vec![0u64; bytes.len().div_ceil(8)];
        // SAFETY: the words have room for the bytes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), words.as_mut_ptr().cast(), bytes.len()) };
        words.leak().as_ptr().cast()
    }
    let images = aligned(file.images);
    let descriptor = Box::leak(Box::new(RawDescriptor {
        size: size_of::<RawDescriptor>() as u32,
        version: INTERFACE_VERSION,
        kernels: ptr::null(),
        kernel_count: file.kernels.len() as u64,
        images_begin: images,
        images_end: images.wrapping_add(file.images.len()),
        next: ptr::null_mut(),
        serial: 0,
        panics: if file.panics.is_empty() { ptr::null() } else { aligned(file.panics).cast() },
        // A file cannot contain functions of this program, and none of its images is a generic one.
        host_functions: ptr::null(),
        host_function_count: 0,
        first_function: 0,
        function_count: 0,
    }));
    let handle = |kernel: &crate::baked_sets::file::Kernel<'_>| RawKernel {
        size: size_of::<RawKernel>() as u32,
        version: INTERFACE_VERSION,
        name: CString::new(kernel.symbol).unwrap_or_default().into_raw(),
        parameters: aligned(kernel.parameters).cast(),
        parameter_count: kernel.parameter_count,
        argument_bytes: kernel.argument_bytes,
        argument_align: kernel.argument_align,
        shared_bytes: kernel.shared_bytes,
        cpu_entry: ptr::null(),
        descriptor: ptr::from_ref(descriptor).cast(),
        flags: kernel.flags,
        threads_per_block: kernel.threads_per_block,
    };
    let handles = file.kernels.iter().map(handle).collect::<Vec<_>>().leak();
    descriptor.kernels = handles.as_ptr();
    // SAFETY: the descriptor and all memory that it points to live as long as the program.
    unsafe { offload_devices_offloadrt_register(descriptor) };
    handles
}

/// Whether a kernel of the program can run on another device than the processor.
pub(crate) fn has_kernels() -> bool {
    loaded().iter().any(|loaded| !loaded.handles.is_empty())
}

/// Says once for each set that it is not used, and why.
pub(crate) fn note_refused() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    for Loaded { set, file, .. } in loaded() {
        if let Err(reason) = file {
            std::eprintln!(
                "note: the baked kernels of `{}` are not used, and run on the processor: {reason}",
                set.package
            );
        }
    }
}

/// # Safety
///
/// `device` must be writable.
pub(crate) unsafe fn open(name: &str, device: *mut *mut RawDevice) -> c_int {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: the name is a string, and the caller promises the rest.
    unsafe { offload_devices_offloadrt_device_open(name.as_ptr(), device) }.with_text()
}

/// # Safety
///
/// `name` must be a string, and `device` must be writable. The context must be one of the program, or null.
pub(crate) unsafe fn adopt(name: *const c_char, context: *mut c_void, device: *mut *mut RawDevice) -> c_int {
    // SAFETY: the caller promises it.
    unsafe { offload_devices_offloadrt_device_adopt(name, context, device) }.with_text()
}

/// Launches a baked kernel.
///
/// # Safety
///
/// The handle must be one of the fallback's, and all other arguments those of a launch on a device of the runtime in C.
pub(crate) unsafe fn launch(
    device: *mut RawDevice,
    stream: *mut RawStream,
    kernel: *const RawKernel,
    config: *const RawLaunchConfig,
    arguments: *const RawArgument,
    count: usize,
) -> c_int {
    // SAFETY: the caller promises it.
    match unsafe { find(kernel) } {
        Ok(kernel) => {
            // SAFETY: the caller promises it, and the baked kernel takes the same arguments.
            unsafe {
                offload_devices_offloadrt_launch(device, stream, kernel as *const RawKernel, config, arguments, count)
            }
            .with_text()
        }
        Err(text) => fail(status::NO_IMAGE, &text),
    }
}

/// The address of the baked handle of a kernel.
///
/// # Safety
///
/// The handle must be one of the fallback's.
unsafe fn find(kernel: *const RawKernel) -> Result<usize, String> {
    static FOUND: Mutex<BTreeMap<usize, Result<usize, String>>> = Mutex::new(BTreeMap::new());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let result = found.entry(kernel.addr()).or_insert_with(|| {
        // SAFETY: the caller promises it.
        let (name, layout) = unsafe { describe(kernel) };
        look_up(name, &layout).map_err(|refusal| {
            let Refusal { reason, is_baked } = refusal;
            let text =
                format!("kernel `{name}` has no device code in this program, and runs on the processor only: {reason}");
            if is_baked {
                std::eprintln!("note: {text}");
            }
            text
        })
    });
    result.clone()
}

/// Why a kernel has no device code.
struct Refusal {
    reason: String,
    /// Whether a crate has baked it.
    is_baked: bool,
}

fn look_up(name: &str, layout: &Layout) -> Result<usize, Refusal> {
    let mut refusal = Refusal { reason: "no crate of this program has baked it".to_owned(), is_baked: false };
    for Loaded { file, handles, .. } in loaded() {
        let Ok(file) = file else { continue };
        let Some(index) = file.kernels.iter().position(|kernel| kernel.name == name) else { continue };
        let kernel = &file.kernels[index];
        let reason = if kernel.layout != layout.text {
            let change = change(kernel.layout, layout);
            format!("the layout of its parameters has changed since it was baked: {change}")
        } else if kernel.depends_on_rustc && (file.rustc, file.probe) != (RUSTC, probe().as_str()) {
            format!(
                "rustc chooses the layout of its parameters, and it was baked by {} (fields {}); this program is compiled \
                 by {RUSTC} (fields {})",
                file.rustc,
                file.probe,
                probe()
            )
        } else {
            return Ok(ptr::from_ref(&handles[index]).addr());
        };
        refusal = Refusal { reason, is_baked: true };
    }
    Err(refusal)
}

/// The first part of a layout that differs.
fn change(then: &str, now: &Layout) -> String {
    let mut parts = then.split(';').zip(now.text.split(';'));
    let (then, now) = parts.find(|(then, now)| then != now).unwrap_or((then, &now.text));
    format!("`{then}`, now `{now}`")
}
