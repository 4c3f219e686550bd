//! Kernels that the author of a crate has compiled beforehand: `cargo offloadc bake` writes the images into a file of
//! the package, and programs that plain cargo builds take them from there.

#[cfg(offload_bake)]
mod write;

use crate::baked_sets::{self, Baked, BakedKernel};
use crate::launch::handle;
use crate::layout::Layout;
use crate::param::{Callable, Params};

/// Describes a kernel.
pub fn baked_kernel<F: Callable<P>, P: Params>(_kernel: F) -> BakedKernel {
    let mut layout = Layout::default();
    P::layout::<F>(&mut layout);
    BakedKernel { name: core::any::type_name::<F>(), layout, handle: handle::<F, P>() }
}

/// Adds a set to those of the program. It runs before `main`.
pub fn enter_baked(set: &'static Baked) {
    #[cfg(offload_bake)]
    write::write_if_asked(set);
    baked_sets::add(set);
}

/// Includes the kernels of this crate that `cargo offloadc bake` has compiled, so that a program that plain cargo
/// builds can run them on GPUs. The macro is called once, in the root of a library.
///
/// `file` is the path of the file in the package. `features` lists all features of the package, because they may change
/// the kernels; a package that has none leaves it out. `kernels` lists functions, and instances of generic functions.
///
/// ```ignore
/// offload::baked! {
///     file: "baked.bin",
///     features: ["fast"],
///     kernels: [saxpy, scale::<f32>, scale::<f64>],
/// }
/// ```
///
/// The program needs the feature `devices` of this crate. A kernel of the file is used if everything that decides its
/// code is as it was when the file was written: the version, the features and the source of the package, the source of
/// its dependencies, its `--cfg` conditions, debug assertions and checks for overflow, the variables that it reads at
/// compile time, the version of this crate, and the layout of all types of the parameters. Otherwise one line on
/// standard error names the difference, and the kernel runs on the processor only.
///
/// `bake` compiles with the profile `release`. For a debug build of a program that uses the kernels, the package needs
/// `debug-assertions = false` and `overflow-checks = false` in `[profile.dev.package.NAME]`.
#[macro_export]
macro_rules! baked {
    (file: $file:literal, features: [$($feature:literal),* $(,)?], kernels: [$($kernel:expr),* $(,)?] $(,)?) => {
        const _: () = {
            static BAKED: $crate::__private::Baked = $crate::__private::Baked {
                folder: ::core::env!("CARGO_MANIFEST_DIR"),
                package: ::core::env!("CARGO_PKG_NAME"),
                version: ::core::env!("CARGO_PKG_VERSION"),
                source: $crate::__private::source_hash!(),
                conditions: $crate::__private::build_conditions!(),
                inputs: $crate::__private::baked_inputs!($file),
                features: &[$(($feature, ::core::cfg!(feature = $feature))),*],
                bytes: $crate::__baked_bytes!($file),
                kernels: &[$(|| $crate::__private::baked_kernel($kernel)),*],
                next: ::core::sync::atomic::AtomicPtr::new(::core::ptr::null_mut()),
            };
            extern "C" fn enter() {
                $crate::__private::enter_baked(&BAKED);
            }
            // The loader calls the functions of this section before `main`.
            #[used]
            #[unsafe(link_section = ".init_array")]
            static ENTER: extern "C" fn() = enter;
        };
    };
    (file: $file:literal, kernels: [$($kernel:expr),* $(,)?] $(,)?) => {
        $crate::baked! { file: $file, features: [], kernels: [$($kernel),*] }
    };
    ($($other:tt)*) => {
        ::core::compile_error!("expected `file: \"baked.bin\", features: [\"fast\"], kernels: [saxpy, scale::<f32>]`, in this \
            order: `features` has all features of the package, and is left out if it has none");
    };
}

/// The contents of the file, which does not exist yet when `cargo offloadc bake` compiles the crate.
#[cfg(not(offload_bake))]
#[doc(hidden)]
#[macro_export]
macro_rules! __baked_bytes {
    ($file:literal) => {
        ::core::include_bytes!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", $file))
    };
}

/// See above.
#[cfg(offload_bake)]
#[doc(hidden)]
#[macro_export]
macro_rules! __baked_bytes {
    ($file:literal) => {
        $file.as_bytes()
    };
}
