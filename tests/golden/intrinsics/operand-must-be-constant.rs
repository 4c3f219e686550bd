// An operand that becomes part of the instruction must be a constant at the call; inlining may make it one.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=sm_80 -o out.o
// RUN[inlined]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 %s -o in.bc; \
//   offloadc in.bc --kernel=j --offload-arch=sm_80 --emit=codegen=-
// CHECK[inlined]: cp.async.wait_group 2;
// CHECK[inlined]: cp.async.wait_group 1;

extern "C" {
    #[link_name = "__offload_intrinsic.llvm.nvvm.cp.async.wait.group"]
    fn wait_group(count: u32);
}

fn wait<const COUNT: u32>() {
    unsafe { wait_group(COUNT) }
}

#[no_mangle]
pub extern "C" fn k(n: u32) {
    unsafe { wait_group(n) }
}

#[no_mangle]
pub extern "C" fn j(n: u32) {
    if n == 0 {
        wait::<1>();
    } else {
        wait::<2>();
    }
}
//// stderr
// error[OFC0028]: kernel `k` calls `llvm.nvvm.cp.async.wait.group` with a variable as operand 0, which must be a constant
//   --> %s:20:14
//   = note: for sm_80
//   = help: write the constant at the call, or take it from a `const` parameter
