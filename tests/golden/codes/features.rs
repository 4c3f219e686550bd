// A name that no target has is an error, wherever it is asked for, and so is a name that is not a constant. Code under
// a feature that a device lacks may contain anything.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -C debuginfo=line-tables-only %s -o in.bc; \
//   offloadc in.bc --kernel=wrong --offload-arch=cpu,sm_80 -o out.o
// RUN[right]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -C debuginfo=line-tables-only %s -o in.bc; \
//   for arch in cpu cpu:x86-64-v3 gfx90a spirv64; do \
//   offloadc in.bc --kernel=right --offload-arch=$arch --emit=optimize=- | grep -o "store i32 [0-9]"; done
// FAIL[lacking]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -C debuginfo=line-tables-only %s -o in.bc; \
//   offloadc in.bc --kernel=right --offload-arch=sm_75,sm_80,gfx90a -o out.o
// RUN[unoptimised]: rustc --edition 2021 --crate-type lib --emit=llvm-bc %s -o in.bc; \
//   offloadc in.bc --kernel=right --offload-arch=cpu -O0 --emit=optimize=- | grep -o "store i32 [0-9], ptr %out"

extern "C" {
    fn __offload_has_feature(name: *const u8, length: usize) -> bool;
    fn outside();
}

#[inline(always)]
fn has(name: &'static str) -> bool {
    unsafe { __offload_has_feature(name.as_ptr(), name.len()) }
}

#[no_mangle]
pub extern "C" fn wrong(out: *mut bool, name: *const u8) {
    unsafe {
        *out = has("avx3");
        *out.add(1) = has("gfx90");
        *out.add(2) = __offload_has_feature(name, 5);
    }
}

#[no_mangle]
pub extern "C" fn right(out: *mut u32) {
    if has("sm_80") {
        unsafe { outside() }
    }
    unsafe { *out = if has("avx2") { 1 } else if has("gfx90a") { 2 } else { 3 } }
}
//// stderr
// error[OFC0057]: no target has a feature `avx3`
//   --> %s:20:14
//   = help: the nearest are `avx`, `avx2`, `adx`
//   = help: docs/targets.md says which names each target has
// error[OFC0057]: no target has a feature `gfx90`
//   --> %s:20:14
//   = help: the nearest are `gfx10`, `gfx9`, `gfx900`
//   = help: docs/targets.md says which names each target has
// error[OFC0057]: the name of a feature is not a constant
//   --> %s:28:23
//   = help: write the name of the feature as a literal in the call
//// stdout[right]
// store i32 3
// store i32 1
// store i32 2
// store i32 3
//// stderr[lacking]
// error[OFC0008]: kernel `right` reaches `outside`, which has no device code
//   --> %s:35:18
//   = note: called through `right` → `outside` (%s:35:18)
//   = note: for sm_80
//   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
//// stdout[unoptimised]
// store i32 3, ptr %out
