//! Launches the twin of a kernel instead of the kernel, with the same arguments, so that an emulated GPU can count the
//! instructions of both: if `GPU_CODE_TWINS` names a folder with their PTX or code objects.

use std::env;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
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

/// Launches the twin of a kernel. Returns false if the kernel itself is to be launched.
pub(crate) fn launch(stream: &Stream, name: &str, grid: LaunchConfig, arguments: &[&dyn Argument]) -> bool {
    let Some(folder) = env::var_os("GPU_CODE_TWINS") else { return false };
    let is_nvidia = stream.device().arch().starts_with("sm_");
    let (library, extension, prefix) =
        if is_nvidia { ("libcuda.so.1", "ptx", "cu") } else { ("libamdhip64.so", "o", "hip") };
    let file = PathBuf::from(folder).join(format!("{name}.{extension}"));
    let mut image = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    image.push(0);
    let text = |text: &str| CString::new(text).expect("a name has no zero");
    // SAFETY: the program has opened this library to find its device.
    let library = unsafe { dlopen(text(library).as_ptr(), NOW) };
    let find = |name: String| {
        // SAFETY: the library is open, and the name ends with a zero.
        let found = unsafe { dlsym(library, text(&name).as_ptr()) };
        assert!(!found.is_null(), "the driver has no `{name}`");
        found
    };
    let ok = |status: c_int| assert_eq!(status, 0, "the twin of {name}");
    let mut words: Vec<u64> = arguments.iter().map(|argument| argument.bits()).collect();
    let mut addresses: Vec<*mut c_void> = words.iter_mut().map(|word| (&raw mut *word).cast()).collect();
    let (mut module, mut function) = (null_mut(), null_mut());
    let ((x, y, z), (bx, by, bz)) = (grid.grid_dim, grid.block_dim);
    // SAFETY: the functions have these types in the vendors' headers, each pointer leads to a variable, and the twin
    // takes these arguments.
    unsafe {
        if is_nvidia {
            let context = stream.device().raw_context().expect("a GPU has a context");
            let set: SetCurrent = std::mem::transmute(find("cuCtxSetCurrent".to_owned()));
            ok(set(context));
        }
        let load: LoadData = std::mem::transmute(find(format!("{prefix}ModuleLoadData")));
        ok(load(&mut module, image.as_ptr().cast()));
        let get: GetFunction = std::mem::transmute(find(format!("{prefix}ModuleGetFunction")));
        ok(get(&mut function, module, text(name).as_ptr()));
        let name = if is_nvidia { "cuLaunchKernel" } else { "hipModuleLaunchKernel" };
        let launch: Launch = std::mem::transmute(find(name.to_owned()));
        let queue = stream.as_raw().expect("a GPU has streams");
        ok(launch(function, x, y, z, bx, by, bz, 0, queue, addresses.as_mut_ptr(), null_mut()));
    }
    true
}
