// The error names a dependency that no option names.
// FAIL: echo '#[inline(never)] pub fn scale(i: u32) -> u32 { i * 3 }' | \
//   rustc --edition 2021 --crate-name dep --crate-type rlib -O - -o libdep.rlib && \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g --extern dep=libdep.rlib %s -o in.bc && \
//   offloadc in.bc --kernel=k --offload-arch=cpu -o out.o

extern crate dep;

#[no_mangle]
pub extern "C" fn k(i: u32, out: *mut u32) {
    unsafe { *out = dep::scale(i) }
}
//// stderr
// error[OFC0008]: kernel `k` reaches `dep::scale`, which has no device code
//   --> %s:11:21
//   = note: called through `k` → `dep::scale` (%s:11:21)
//   = note: for cpu
//   = help: its body is in crate `dep`: name that crate's rlib with `--extern-rlib`, or a folder of rlibs or cargo's folder of the profile with `-L`, such as `-L target/release`
