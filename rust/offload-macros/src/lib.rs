//! The macros `#[kernel]`, `#[derive(DeviceCopy)]` and `#[derive(Zeroable)]` of the `offload` crate, which re-exports
//! them. Programs use them through that crate.

use proc_macro::{Literal, TokenStream, TokenTree};

mod closures;
mod device_copy;
mod export;
mod inputs;
mod kernel;
mod nearest;
mod parameter_checks;
mod result;
mod rustc_arguments;
mod shared;
mod source;
mod stand_ins;
mod text;
mod unlaunched;

/// Marks a function as a kernel. The macro checks the type of each parameter at its declaration, and adds the promises
/// that the attribute makes about launches.
///
/// The function itself keeps its meaning. The host can call it, and any instance of a generic function can be launched
/// (`scale::<f64>`). A function without the attribute can be launched, too, but errors about its parameters then appear
/// at the launch.
///
/// | attribute | meaning |
/// |---|---|
/// | `#[kernel(launch_bounds(THREADS))]` | no launch has more than `THREADS` threads in a block |
/// | `#[kernel(launch_bounds(THREADS, BLOCKS))]` | in addition, `BLOCKS` blocks should fit on a multiprocessor |
/// | `#[kernel(block_size(X, Y, Z))]` | every launch has blocks of exactly this size |
/// | `#[kernel(max_registers = COUNT)]` | a thread has at most `COUNT` registers, 24 to 255 |
/// | `#[kernel(fp_contract = "fast")]` | a product and a sum may become one operation that rounds once |
/// | `#[kernel(fp_contract = "off")]` | they do not, whatever the build says |
/// | `#[kernel(fast_math)]` | reassociation and approximation, without regard to infinities, NaNs and signed zeros |
/// | `#[kernel(export = "NAME")]` | other launchers find the kernel by this name |
/// | `#[kernel(export(<f32> = "NAME"))]` | they find this instance of a generic kernel |
/// | `#[kernel(crate = PATH)]` | the path of the `offload` crate, if it has another name |
///
/// The compiler generates device code for these bounds. The limit of registers is for NVIDIA's and AMD's devices;
/// others ignore it. The rules for floating-point code hold in the kernel and in all functions that it calls, and no
/// other kernel's results depend on them. The manual explains them in its page about options of kernels. A path is
/// needed if `Cargo.toml` renames the crate (`gpu`), or in a macro of a crate that re-exports it (`$crate::offload`).
///
/// A kernel with an `export` is for programs with a launcher of their own, such as cudarc. It becomes an `extern "C"`
/// function, may be `unsafe`, and takes numbers and raw pointers only. This crate does not launch it.
#[proc_macro_attribute]
pub fn kernel(promises: TokenStream, item: TokenStream) -> TokenStream {
    let function = item.clone();
    match kernel::expand(promises.into(), item.into()) {
        Ok(kernel) => kernel.into(),
        // Keep the function, so that its uses do not cause further errors.
        Err(error) => TokenStream::from_iter([error.into_compile_error().into(), function]),
    }
}

/// Implements `DeviceCopy`: the bytes of the struct have the same meaning on every device. Every field must be
/// `DeviceCopy`, too.
///
/// A type of another crate, whose fields nothing can check, is a field with the attribute
/// `#[device_copy(unsafe(foreign))]`. It is a promise: no value of the type has an address of the host. The type must
/// be `Copy` and `'static`.
///
/// If the `offload` crate has another name, the attribute `#[device_copy(crate = PATH)]` gives its path.
#[proc_macro_derive(DeviceCopy, attributes(device_copy))]
pub fn device_copy(item: TokenStream) -> TokenStream {
    device_copy::expand(item.into()).unwrap_or_else(|e| e.into_compile_error()).into()
}

/// Implements `Zeroable`: bytes that are all 0 are a valid value of the struct. Every field must be `Zeroable`, too,
/// and the struct must be `DeviceCopy`.
///
/// If the `offload` crate has another name, the attribute `#[device_copy(crate = PATH)]` gives its path.
#[proc_macro_derive(Zeroable, attributes(device_copy))]
pub fn zeroable(item: TokenStream) -> TokenStream {
    device_copy::expand_zeroable(item.into()).unwrap_or_else(|e| e.into_compile_error()).into()
}

/// Implements `WarpValue`: lanes exchange a struct field by field, and an enum without fields by the number of its
/// variant. Every field must be `WarpValue`, too, and the type must be `DeviceCopy`.
///
/// If the `offload` crate has another name, the attribute `#[device_copy(crate = PATH)]` gives its path.
#[proc_macro_derive(WarpValue, attributes(device_copy))]
pub fn warp_value(item: TokenStream) -> TokenStream {
    device_copy::expand_warp_value(item.into()).unwrap_or_else(|e| e.into_compile_error()).into()
}

/// A string: the hash of the package's source, which `baked!` compares.
#[doc(hidden)]
#[proc_macro]
pub fn source_hash(_: TokenStream) -> TokenStream {
    match source::hash() {
        Ok(hash) => TokenTree::Literal(Literal::string(&hash)).into(),
        Err(text) => syn::Error::new(proc_macro2::Span::call_site(), text).into_compile_error().into(),
    }
}

/// A string: the conditions under which rustc compiles the crate, which `baked!` compares.
#[doc(hidden)]
#[proc_macro]
pub fn build_conditions(_: TokenStream) -> TokenStream {
    let text = rustc_arguments::conditions(&rustc_arguments::arguments());
    TokenTree::Literal(Literal::string(&text)).into()
}

/// A string: the inputs of the kernels in the file with this path, with their present values.
#[doc(hidden)]
#[proc_macro]
pub fn baked_inputs(file: TokenStream) -> TokenStream {
    let file = syn::parse_macro_input!(file as syn::LitStr);
    let (lines, variables) = inputs::inputs(&file.value());
    // Cargo compiles the crate again if one of these variables changes.
    quote::quote! {{
        const _: &[::core::option::Option<&str>] = &[#(::core::option_env!(#variables)),*];
        #lines
    }}
    .into()
}
