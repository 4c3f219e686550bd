//! `#[kernel]`, `#[derive(DeviceCopy)]` and `#[derive(Zeroable)]` of the `offload` crate, which documents and re-exports them.

use proc_macro::TokenStream;

mod device_copy;
mod kernel;

/// Marks a function as a kernel: its parameters are checked where they are written, and what it promises of its launches
/// is kept.
///
/// The function itself stays as it is: the host may call it, a generic one may be launched for any instance
/// (`scale::<f64>`), and an unmarked function may be launched too, only its errors then stand at the launch.
///
/// - `#[kernel(launch_bounds(THREADS))]`, `#[kernel(launch_bounds(THREADS, BLOCKS))]`: no launch has more threads in a
///   block, and so many blocks shall fit a multiprocessor. Device code is fitted to it.
/// - `#[kernel(block_size(X, Y, Z))]`: every launch has blocks of this size.
/// - `#[kernel(crate = PATH)]`: where the `offload` crate goes by another name: `gpu` in `Cargo.toml`, or `$crate::offload` in
///   a macro of a crate that re-exports it.
#[proc_macro_attribute]
pub fn kernel(promises: TokenStream, item: TokenStream) -> TokenStream {
    let function = item.clone();
    match kernel::expand(promises.into(), item.into()) {
        Ok(kernel) => kernel.into(),
        // The function stays, so that its uses are no errors of their own.
        Err(error) => TokenStream::from_iter([error.into_compile_error().into(), function]),
    }
}

/// Says that a struct's bytes mean the same on every device; every field must be `DeviceCopy` too.
///
/// `#[device_copy(crate = PATH)]` beside it names the `offload` crate where it goes by another name.
#[proc_macro_derive(DeviceCopy, attributes(device_copy))]
pub fn device_copy(item: TokenStream) -> TokenStream {
    device_copy::expand(item.into()).unwrap_or_else(|e| e.into_compile_error()).into()
}

/// Says that all bytes 0 are a value of a struct; every field must be `Zeroable` too, and the struct `DeviceCopy`.
///
/// `#[device_copy(crate = PATH)]` beside it names the `offload` crate where it goes by another name.
#[proc_macro_derive(Zeroable, attributes(device_copy))]
pub fn zeroable(item: TokenStream) -> TokenStream {
    device_copy::expand_zeroable(item.into()).unwrap_or_else(|e| e.into_compile_error()).into()
}
