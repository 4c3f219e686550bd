// A body out of an rlib may ask whether it runs on a device. The marks of kernels and functions in it were not seen when the
// kernels were found, so it is refused, and its bitcode is accepted as an input.
// RUN[asks]: rustc --edition 2021 --crate-type rlib --crate-name marks -O --cfg library %s -o libmarks.rlib && \
//   rustc --edition 2021 --crate-type lib --crate-name kernels --emit=llvm-bc -O --cfg asks --extern marks=libmarks.rlib %s -o in.bc && \
//   offloadc in.bc --extern-rlib=libmarks.rlib --offload-arch=sm_80 --emit=optimize=- | sed -n '/^define ptx_kernel/,/^}/p'
// CHECK[asks]: store float 2.000000e+00
// FAIL[calls]: rustc --edition 2021 --crate-type rlib --crate-name marks -O --cfg library %s -o libmarks.rlib && \
//   rustc --edition 2021 --crate-type lib --crate-name kernels --emit=llvm-bc -O --cfg calls --extern marks=libmarks.rlib %s -o in.bc && \
//   offloadc in.bc --extern-rlib=libmarks.rlib --offload-arch=sm_80 -o out.o
// FAIL[marks]: rustc --edition 2021 --crate-type rlib --crate-name marks -O --cfg library %s -o libmarks.rlib && \
//   rustc --edition 2021 --crate-type lib --crate-name kernels --emit=llvm-bc -O --cfg marks --extern marks=libmarks.rlib %s -o in.bc && \
//   offloadc in.bc --extern-rlib=libmarks.rlib --offload-arch=sm_80 -o out.o
// RUN[input]: rustc --edition 2021 --crate-type rlib --crate-name marks -O --cfg library %s --emit=link=libmarks.rlib,llvm-bc=marks.bc && \
//   rustc --edition 2021 --crate-type lib --crate-name kernels --emit=llvm-bc -O --cfg calls --extern marks=libmarks.rlib %s -o in.bc && \
//   offloadc in.bc marks.bc --offload-arch=sm_80 -o out.o

#[cfg(library)]
mod library {
    extern "C" {
        fn __offload_is_device() -> bool;
        fn __offload_function(f: *const u8) -> u64;
        fn __offload_function_pointer(number: u64) -> *const u8;
    }
    #[inline(never)]
    pub fn place() -> f32 {
        match unsafe { __offload_is_device() } {
            true => 2.0,
            false => std::time::Instant::now().elapsed().as_secs_f32(),
        }
    }
    #[inline(never)]
    pub fn apply(number: u64, x: f32) -> f32 {
        let f: extern "C" fn(f32) -> f32 = unsafe { std::mem::transmute(__offload_function_pointer(number)) };
        f(x)
    }
    extern "C" fn square(x: f32) -> f32 {
        x * x
    }
    #[inline(never)]
    pub fn make() -> u64 {
        unsafe { __offload_function(square as *const u8) }
    }
}
#[cfg(library)]
pub use library::*;

#[cfg(not(library))]
#[no_mangle]
unsafe extern "C" fn kernel(number: u64, to: *mut f32) {
    let _ = number;
    #[cfg(asks)]
    (*to = marks::place());
    #[cfg(calls)]
    (*to = marks::apply(number, 3.0));
    #[cfg(marks)]
    (*to = marks::make() as f32);
}

#[cfg(not(library))]
#[link_section = ".offload.kernels"]
#[used]
static KERNELS: [unsafe extern "C" fn(u64, *mut f32); 1] = [kernel];
//// stderr[calls]
// error[OFC0008]: kernel `kernel` reaches `__offload_function_pointer`, which is understood in inputs only, and not in a library
//   = note: called through `kernel` → `marks::library::apply` → `__offload_function_pointer`
//   = note: for sm_80
//   = help: give offloadc the bitcode of the crate that calls it as an input, which `rustc --emit=llvm-bc` writes
//   = help: a crate that is a `dylib` is such a library: make it a `lib`, or call it in its own kernels only
//// stderr[marks]
// error[OFC0008]: kernel `kernel` reaches `__offload_function`, which is understood in inputs only, and not in a library
//   = note: called through `kernel` → `marks::library::make` → `__offload_function`
//   = note: for sm_80
//   = help: give offloadc the bitcode of the crate that calls it as an input, which `rustc --emit=llvm-bc` writes
//   = help: a crate that is a `dylib` is such a library: make it a `lib`, or call it in its own kernels only
