//! Kernels and their handles, and launches with the checks of `runtime-c/launch/limits.c`.

use core::cell::RefCell;
use core::ffi::c_void;
use core::ptr;
use std::boxed::Box;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::format;
use std::string::String;
use std::sync::{Mutex, PoisonError};

use super::failure::Failure;
use super::limits::limits;
use crate::abi::{KEEP_HEAP, LAUNCH_VERSION, RawArgument, RawKernel, RawLaunchConfig, status};
use crate::layout::Layout;

/// Calls a kernel with its block of arguments.
pub(crate) type Call = unsafe fn(*const c_void);

/// A kernel; its address is that of its first field, the handle.
#[repr(C)]
struct Kernel {
    handle: RawKernel,
    /// The path of the function, without its crate.
    name: &'static str,
    call: Call,
    /// Describes the parameters.
    #[allow(dead_code, reason = "only the feature `devices` reads it")]
    layout: fn(&mut Layout),
}

/// The facts about a kernel that a device needs: the path of the function with its crate, and the layout of its
/// parameters.
///
/// # Safety
///
/// The handle must come from [`handle`].
#[cfg(offload_devices)]
pub(super) unsafe fn describe(kernel: *const RawKernel) -> (&'static str, Layout) {
    // SAFETY: the caller promises it, and the name is a string that lives as long as the program.
    let (kernel, name) = unsafe { (&*kernel.cast::<Kernel>(), core::ffi::CStr::from_ptr((*kernel).name)) };
    let mut layout = Layout::default();
    (kernel.layout)(&mut layout);
    (name.to_str().unwrap_or_default(), layout)
}

/// The handle of a kernel: the same for every call with the same functions.
pub(crate) fn handle(
    call: Call,
    bytes: usize,
    align: usize,
    name: fn() -> &'static str,
    layout: fn(&mut Layout),
) -> *const RawKernel {
    static KERNELS: Mutex<BTreeMap<(usize, usize), &'static Kernel>> = Mutex::new(BTreeMap::new());
    let mut kernels = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    let kernel = kernels.entry((call as usize, name as usize)).or_insert_with(|| {
        let symbol = CString::new(name()).unwrap_or_default().into_raw();
        let name = without_crate(name());
        let handle = RawKernel {
            size: size_of::<RawKernel>() as u32,
            version: 0,
            name: symbol,
            parameters: ptr::null(),
            parameter_count: 1,
            argument_bytes: bytes as u32,
            argument_align: align as u32,
            shared_bytes: 0,
            cpu_entry: ptr::null(),
            descriptor: ptr::null(),
            flags: 0,
            threads_per_block: 0,
        };
        Box::leak(Box::new(Kernel { handle, name, call, layout }))
    });
    (*kernel as *const Kernel).cast()
}

/// The path of a function as errors show it.
fn without_crate(path: &'static str) -> &'static str {
    let plain = |name: &str| name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
    path.split_once("::").filter(|(krate, _)| plain(krate)).map_or(path, |(_, rest)| rest)
}

std::thread_local! {
    /// Which parameters of the next launch overlap.
    static OVERLAP: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Says of the next launch of this thread which parameters overlap, for kernels that promise that none do.
pub(crate) fn note_overlap(text: Option<String>) {
    OVERLAP.set(text);
}

/// A launch that was checked.
pub(super) struct Launch<'a> {
    pub(super) name: &'a str,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) dynamic_shared: u32,
    /// Which parameters overlap.
    pub(super) overlap: Option<String>,
    call: Call,
    arguments: *const c_void,
}

// SAFETY: the threads of a launch copy the arguments, which nothing writes, and whose types may be sent to threads.
unsafe impl Sync for Launch<'_> {}

impl Launch<'_> {
    /// A launch within the limits.
    ///
    /// # Safety
    ///
    /// The handle must come from [`handle`], and the argument must have its bytes.
    pub(super) unsafe fn new(
        kernel: *const RawKernel,
        config: *const RawLaunchConfig,
        argument: *const RawArgument,
    ) -> Result<Self, Failure> {
        // SAFETY: the caller promises it.
        let (kernel, config, argument) = unsafe { (&*kernel.cast::<Kernel>(), &*config, &*argument) };
        let name = kernel.name;
        if config.version != LAUNCH_VERSION || config.flags & !KEEP_HEAP != 0 {
            let text = format!("the launch configuration of kernel `{name}` is not valid");
            return Err(Failure::new(status::INVALID, text));
        }
        let launch = Launch {
            name,
            grid: config.grid,
            block: config.block,
            dynamic_shared: config.dynamic_shared_bytes,
            overlap: OVERLAP.take(),
            call: kernel.call,
            arguments: argument.address,
        };
        launch.check().map(|()| launch)
    }

    /// The number of threads of a block.
    pub(super) fn threads(&self) -> usize {
        self.block.iter().map(|count| *count as usize).product()
    }

    /// Calls the kernel for the thread whose position is set.
    pub(super) fn call(&self) {
        // SAFETY: `handle` was made for a function and arguments of these types, and the arguments live as long as the
        // launch.
        unsafe { (self.call)(self.arguments) }
    }

    /// The error of a block with more than `threads` threads.
    pub(super) fn exceeds(&self, threads: u32) -> Option<Failure> {
        let why = format!(" of this kernel; its launch bounds, `#[kernel(launch_bounds({threads}))]`, promise no more");
        (self.threads() > threads as usize).then(|| self.too_many(threads, &why))
    }

    fn too_many(&self, limit: u32, of: &str) -> Failure {
        let ([x, y, z], name) = (self.block, self.name);
        let text = format!(
            "kernel `{name}` is launched with blocks of {x} x {y} x {z} threads: {}, and device `cpu` (this machine's \
             processor) allows {limit}{of}",
            product(self.block)
        );
        Failure::new(status::INVALID, text)
    }

    fn check(&self) -> Result<(), Failure> {
        let limits = limits();
        check_counts(self.name, "grid", "blocks", self.grid, limits.grid)?;
        if i64::try_from(product(self.grid)).is_err() {
            let ([x, y, z], name) = (self.grid, self.name);
            let text = format!("the grid of kernel `{name}`, {x} x {y} x {z}, is too large");
            return Err(Failure::new(status::INVALID, text));
        }
        check_counts(self.name, "block", "threads", self.block, limits.block)?;
        let too_many = product(self.block) > limits.threads_per_block.into();
        if too_many { Err(self.too_many(limits.threads_per_block, "")) } else { Ok(()) }
    }
}

/// Saturates. No device allows that many.
pub(super) fn product(counts: [u32; 3]) -> u64 {
    counts.iter().fold(1, |product: u64, count| product.saturating_mul((*count).into()))
}

fn check_counts(name: &str, what: &str, unit: &str, counts: [u32; 3], limits: [u32; 3]) -> Result<(), Failure> {
    let [x, y, z] = counts;
    let invalid = |text| Err(Failure::new(status::INVALID, text));
    if counts.contains(&0) {
        return invalid(format!("the {what} of kernel `{name}` is {x} x {y} x {z}, but no count may be 0"));
    }
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        if counts[i] > limits[i] {
            return invalid(format!(
                "kernel `{name}` is launched with a {what} of {x} x {y} x {z}: {} {unit} along {axis}, and device `cpu` \
                 (this machine's processor) allows {}",
                counts[i], limits[i]
            ));
        }
    }
    Ok(())
}
