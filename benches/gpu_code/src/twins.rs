//! The twins of the kernels, by other compilers: PTX or code objects in a folder. They are launched with the same
//! arguments.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::null_mut;

use offload::{DeviceBuffer, DeviceCopy, LaunchConfig, Stream};

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// `RTLD_NOW`.
const NOW: c_int = 2;

/// The functions of a driver, which have the same parameters for both vendors.
type LoadData = unsafe extern "C" fn(*mut *mut c_void, *const c_void) -> c_int;
type GetFunction = unsafe extern "C" fn(*mut *mut c_void, *mut c_void, *const c_char) -> c_int;
type SetCurrent = unsafe extern "C" fn(*mut c_void) -> c_int;
type Launch = unsafe extern "C" fn(
    *mut c_void,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    *mut c_void,
    *mut *mut c_void,
    *mut *mut c_void,
) -> c_int;

/// An argument of a twin.
pub(crate) trait Argument {
    /// Its bits; a number of 4 bytes is in the lower half.
    fn bits(&self) -> u64;
}

impl Argument for usize {
    fn bits(&self) -> u64 {
        *self as u64
    }
}

impl Argument for u32 {
    fn bits(&self) -> u64 {
        u64::from(*self)
    }
}

impl Argument for f32 {
    fn bits(&self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl<T: DeviceCopy> Argument for DeviceBuffer<T> {
    fn bits(&self) -> u64 {
        self.as_raw().as_ptr() as u64
    }
}

/// The twin of a kernel, loaded by the driver.
pub(crate) struct Twin<'a> {
    stream: &'a Stream,
    name: &'static str,
    function: *mut c_void,
    launch: Launch,
}

impl Twin<'_> {
    /// Loads the twin of the kernel `name` from `folder`.
    pub(crate) fn load<'a>(stream: &'a Stream, folder: &Path, name: &'static str) -> Twin<'a> {
        let is_nvidia = stream.device().arch().starts_with("sm_");
        let (library, extension, prefix) =
            if is_nvidia { ("libcuda.so.1", "ptx", "cu") } else { ("libamdhip64.so", "o", "hip") };
        let file = folder.join(format!("{name}.{extension}"));
        let mut image = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        image.push(0);
        // SAFETY: the program has opened this library to find its device.
        let library = unsafe { dlopen(text(library).as_ptr(), NOW) };
        let find = |name: &str| {
            // SAFETY: the library is open, and the name ends with a zero.
            let found = unsafe { dlsym(library, text(name).as_ptr()) };
            assert!(!found.is_null(), "the driver has no `{name}`");
            found
        };
        let (mut module, mut function) = (null_mut(), null_mut());
        // SAFETY: the functions have these types in the vendors' headers, and each pointer refers to a variable.
        let launch = unsafe {
            if is_nvidia {
                let context = stream.device().raw_context().expect("a GPU has a context");
                let set: SetCurrent = std::mem::transmute(find("cuCtxSetCurrent"));
                check(name, set(context));
            }
            let load: LoadData = std::mem::transmute(find(&format!("{prefix}ModuleLoadData")));
            check(name, load(&mut module, image.as_ptr().cast()));
            let get: GetFunction = std::mem::transmute(find(&format!("{prefix}ModuleGetFunction")));
            check(name, get(&mut function, module, text(name).as_ptr()));
            std::mem::transmute::<*mut c_void, Launch>(find(if is_nvidia {
                "cuLaunchKernel"
            } else {
                "hipModuleLaunchKernel"
            }))
        };
        Twin { stream, name, function, launch }
    }

    /// Launches the twin with arguments of these bits.
    pub(crate) fn launch(&self, grid: LaunchConfig, arguments: &[u64]) {
        let mut words = arguments.to_vec();
        let mut addresses: Vec<*mut c_void> = words.iter_mut().map(|word| (&raw mut *word).cast()).collect();
        let ((x, y, z), (bx, by, bz)) = (grid.grid_dim, grid.block_dim);
        let queue = self.stream.as_raw().expect("a GPU has streams");
        let (arguments, extra) = (addresses.as_mut_ptr(), null_mut());
        // SAFETY: the function has this type in the vendors' headers, and the twin takes these arguments.
        check(self.name, unsafe { (self.launch)(self.function, x, y, z, bx, by, bz, 0, queue, arguments, extra) });
    }
}

fn text(text: &str) -> CString {
    CString::new(text).expect("a name has no zero")
}

fn check(name: &str, status: c_int) {
    assert_eq!(status, 0, "the twin of {name}");
}
