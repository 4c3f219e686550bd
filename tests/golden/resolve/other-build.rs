// An rlib of another build of the crate has other symbols; the error gives this cause.
// FAIL: for build in one two; do echo '#[inline(never)] pub fn scale(i: u32) -> u32 { i * 3 }' | \
//   rustc --edition 2021 --crate-name dep --crate-type rlib -O -C metadata=$build - -o libdep.rlib && \
//   if [ $build = one ]; then \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g --extern dep=libdep.rlib %s -o in.bc; fi; done && \
//   offloadc in.bc --extern-rlib=libdep.rlib --kernel=k --offload-arch=cpu -o out.o

extern crate dep;

#[no_mangle]
pub extern "C" fn k(i: u32, out: *mut u32) {
    unsafe { *out = dep::scale(i) }
}
//// stderr
// error[OFC0031]: kernel `k` reaches `dep::scale`, which is of another build of crate `dep` than `libdep.rlib`
//   --> %s:12:21
//   = note: called through `k` → `dep::scale` (%s:12:21)
//   = note: for cpu
//   = help: name the rlib that the input was compiled with; a clean build leaves only that one
