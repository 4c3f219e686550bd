// Functions of other objects that cannot run on a device are refused by their own names, for each of them that reaches
// the cause. Functions of the kernel's own object are left out if a linked function may be passed to one. A kernel that
// calls no function does not prevent the link. A number that no object has is no function.
// FAIL[cause]: printf 'target triple = "x86_64-unknown-linux-gnu"\ndeclare ptr @__offload_function_pointer(i64)\ndefine ptx_kernel void @k(ptr %%p, i64 %%n) {\n  %%f = call ptr @__offload_function_pointer(i64 %%n)\n  store ptr %%f, ptr %%p\n  ret void\n}\n' > kernel.ll && \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -O --cfg opens %s -o functions.bc && \
//   offloadc kernel.ll --offload-arch=generic --emit=bundle=kernel.bin && \
//   offloadc functions.bc --offload-arch=generic --emit=bundle=functions.bin && \
//   offloadc finish kernel.bin --link=functions.bin --offload-arch=sm_80 --emit=image=k.ptx
// RUN[own]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O --cfg kernel --cfg counts %s -o kernel.bc && \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -O --cfg calls %s -o functions.bc && \
//   offloadc kernel.bc --offload-arch=generic --emit=bundle=kernel.bin && \
//   offloadc functions.bc --offload-arch=generic --emit=bundle=functions.bin && \
//   offloadc finish kernel.bin --link=functions.bin --offload-arch=sm_80 --emit=image=k.ptx
// RUN[unused]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O --cfg kernel --cfg counts %s -o kernel.bc && \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -O --cfg checks %s -o functions.bc && \
//   offloadc kernel.bc --offload-arch=generic --emit=bundle=kernel.bin && \
//   offloadc functions.bc --offload-arch=generic --emit=bundle=functions.bin && \
//   offloadc finish kernel.bin --link=functions.bin --offload-arch=sm_80 --emit=codegen=-
// RUN[linked]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O --cfg kernel --cfg counts %s -o kernel.bc && \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -O --cfg checks %s -o functions.bc && \
//   offloadc kernel.bc --offload-arch=generic --emit=bundle=kernel.bin && \
//   offloadc functions.bc --offload-arch=generic --emit=bundle=functions.bin && \
//   offloadc finish kernel.bin --link=functions.bin --offload-arch=sm_80 --emit=image=k.ptx --print-after=link_functions 2>&1
// CHECK[linked]: define internal ptr @__offload_linked_function(i64 %0)
// CHECK[linked]: %place = sub i64 %0,
// CHECK[linked]: %inside = icmp ult i64 %place, 1
// CHECK[linked]: br i1 %inside, label %found, label %next
// CHECK[linked]: getelementptr inbounds ptr, ptr @offload_functions.linked.0, i64 %place
// CHECK[linked]: ret ptr null
// CHECK[unused]: .entry plain(
// CHECK[unused]: plain_param_0
// CHECK-NOT[unused]: plain_param_1
// CHECK[unused]: .entry kernel(
// CHECK[unused]: kernel_param_2

#[allow(dead_code)]
extern "C" {
    fn __offload_function(f: *const u8) -> u64;
    fn __offload_function_pointer(number: u64) -> *const u8;
}

#[cfg(opens)]
mod functions {
    extern "C" {
        fn open(path: *const u8, flags: i32) -> i32;
    }
    #[inline(never)]
    fn file() -> i32 {
        unsafe { open(c"log".as_ptr().cast(), 0) }
    }
    extern "C" fn logs(x: i32) -> i32 {
        x + file()
    }
    extern "C" fn records(x: i32) -> i32 {
        x - file()
    }
    #[no_mangle]
    pub fn numbers() -> [u64; 2] {
        unsafe { [super::__offload_function(logs as *const u8), super::__offload_function(records as *const u8)] }
    }
}

#[cfg(counts)]
mod functions {
    use std::sync::atomic::{AtomicI32, Ordering};

    #[link_section = ".offload.static"]
    static CALLS: AtomicI32 = AtomicI32::new(0);

    extern "C" fn counts(x: i32) -> i32 {
        x + CALLS.fetch_add(1, Ordering::Relaxed)
    }
    #[no_mangle]
    pub fn number() -> u64 {
        unsafe { super::__offload_function(counts as *const u8) }
    }
}

#[cfg(calls)]
mod functions {
    extern "C" fn calls(number: u64) -> i32 {
        let f: Option<extern "C" fn(i32) -> i32> =
            unsafe { std::mem::transmute(super::__offload_function_pointer(number)) };
        f.map_or(0, |f| f(1))
    }
    #[no_mangle]
    pub fn number() -> u64 {
        unsafe { super::__offload_function(calls as *const u8) }
    }
}

#[cfg(checks)]
mod functions {
    extern "C" fn checks(i: u32) -> i32 {
        [2, 3, 5, 7][i as usize]
    }
    #[no_mangle]
    pub fn number() -> u64 {
        unsafe { super::__offload_function(checks as *const u8) }
    }
}

/// `plain` reports no panic, so it does not take the state of its launch.
#[cfg(kernel)]
mod kernels {
    #[link_section = ".offload.kernels"]
    #[used]
    static KERNELS: [unsafe extern "C" fn(*mut i32, u64); 1] = [kernel];
    #[link_section = ".offload.kernels"]
    #[used]
    static PLAIN: [unsafe extern "C" fn(*mut i32); 1] = [plain];

    #[no_mangle]
    unsafe extern "C" fn kernel(to: *mut i32, number: u64) {
        let f: Option<extern "C" fn(u32) -> i32> = std::mem::transmute(super::__offload_function_pointer(number));
        *to = f.expect("the number of a function")(3);
    }
    #[no_mangle]
    unsafe extern "C" fn plain(to: *mut i32) {
        *to = 1;
    }
}
//// stderr[cause]
// error[OFC0007]: function `linked_functions::functions::logs` reaches `open`, which needs an operating system
//   = note: called through `linked_functions::functions::logs` → `linked_functions::functions::file` → `open`
//   = help: let the host call it, with `offload::host_call!`, or move the call out of the kernel
// error[OFC0007]: function `linked_functions::functions::records` reaches `open`, which needs an operating system
//   = note: called through `linked_functions::functions::records` → `linked_functions::functions::file` → `open`
//   = help: let the host call it, with `offload::host_call!`, or move the call out of the kernel
//// stderr[own]
// warning[OFC0060]: function `linked_functions::functions::counts` uses the static `linked_functions::functions::CALLS`, and cannot be linked with kernels of other objects
//   = note: it is in the object of the kernel; a linked function that is given it does not find it
//   = help: pass a pointer to the memory as an argument of the function
