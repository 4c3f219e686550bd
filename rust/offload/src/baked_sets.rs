//! The sets of baked kernels in this program, and the format of their files.

#[cfg(any(offload_bake, offload_devices, test))]
pub(crate) mod file;

use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::abi::RawKernel;
use crate::layout::Layout;

/// The baked kernels of a crate, with the facts that [`baked!`](crate::baked!) knows at compile time.
pub struct Baked {
    /// The folder of the package.
    pub folder: &'static str,
    /// The name of the package.
    pub package: &'static str,
    /// The version of the package.
    pub version: &'static str,
    /// The hash of the package's source.
    pub source: &'static str,
    /// The conditions under which rustc has compiled the package, one a line: its name, a tab, its value.
    pub conditions: &'static str,
    /// The other inputs that decide the code of the kernels, with their present values. They are variables, files and
    /// dependencies, one a line: its kind, its name and a hash, with tabs between them.
    pub inputs: &'static str,
    /// The features of the package, and whether they are on.
    pub features: &'static [(&'static str, bool)],
    /// The contents of the file.
    pub bytes: &'static [u8],
    /// The kernels in the order of the macro.
    pub kernels: &'static [fn() -> BakedKernel],
    /// The set that was entered before.
    pub next: AtomicPtr<Baked>,
}

/// A kernel as this program has it.
#[allow(dead_code, reason = "only `cargo offloadc bake` reads it")]
pub struct BakedKernel {
    pub(crate) name: &'static str,
    pub(crate) layout: Layout,
    pub(crate) handle: *const RawKernel,
}

static LAST: AtomicPtr<Baked> = AtomicPtr::new(ptr::null_mut());

/// Adds a set to the list of the program.
pub(crate) fn add(set: &'static Baked) {
    let own = ptr::from_ref(set).cast_mut();
    let mut last = LAST.load(Ordering::Acquire);
    loop {
        set.next.store(last, Ordering::Relaxed);
        match LAST.compare_exchange_weak(last, own, Ordering::Release, Ordering::Acquire) {
            Ok(_) => return,
            Err(other) => last = other,
        }
    }
}

/// All sets of the program.
#[allow(dead_code, reason = "only the feature `devices` reads them")]
pub(crate) fn sets() -> impl Iterator<Item = &'static Baked> {
    let set = |at: *mut Baked| {
        // SAFETY: the list has the addresses of statics.
        unsafe { at.as_ref() }
    };
    core::iter::successors(set(LAST.load(Ordering::Acquire)), move |last| set(last.next.load(Ordering::Relaxed)))
}

/// The version of rustc that compiled this crate.
#[allow(dead_code, reason = "only baked kernels need it")]
pub(crate) const RUSTC: &str = env!("OFFLOAD_RUSTC");
