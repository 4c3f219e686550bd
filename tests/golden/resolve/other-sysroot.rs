// The sysroot of another rustc has another `core`: its disambiguator differs, which is one error for all of `core`.
// FAIL[other]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc && \
//   libraries=lib/rustlib/$(rustc -vV | sed -n 's/host: //p')/lib && mkdir -p $libraries && \
//   echo '#[inline(never)] pub fn from_utf8() {}' | rustc --crate-name core --crate-type rlib -O -C symbol-mangling-version=v0 - \
//   -o $libraries/libcore-0.rlib && \
//   offloadc in.bc --sysroot=. --kernel=k --offload-arch=cpu -o out.o 2>&1 | sed 's:rustlib/[^/]*:rustlib/HOST:' >&2
// FAIL[none]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc && \
//   RUSTC=./no-rustc offloadc in.bc --kernel=k --offload-arch=cpu -o out.o
// RUN[dead]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc && \
//   RUSTC=./no-rustc offloadc in.bc --kernel=needs_nothing --offload-arch=cpu -o out.o

#[no_mangle]
pub extern "C" fn k(n: usize, bytes: *const u8, out: *mut f32) {
    let text = std::str::from_utf8(unsafe { std::slice::from_raw_parts(bytes, n) });
    unsafe { *out = text.ok().and_then(|text| text.parse().ok()).unwrap_or(0.0) }
}

#[no_mangle]
pub extern "C" fn needs_nothing(n: usize, numbers: *mut u32) {
    let numbers = unsafe { std::slice::from_raw_parts_mut(numbers, n) };
    numbers[n / 2] = numbers[n - 1].checked_div(7).unwrap();
}
//// stderr[other]
// error[OFC0031]: kernel `k` reaches `core::str::converts::from_utf8`, which is of another build of crate `core` than `./lib/rustlib/HOST/lib/libcore-0.rlib`
//   --> %s:14:16
//   = note: called through `k` → `core::str::converts::from_utf8` (%s:14:16)
//   = note: for cpu
//   = help: name the sysroot of the rustc that wrote the input with `--sysroot`
//// stderr[none]
// error[OFC0032]: kernel `k` reaches `core::str::converts::from_utf8`, whose body is in Rust's own library, which was not found: `./no-rustc --print sysroot`: no such file or directory
//   --> %s:14:16
//   = note: called through `k` → `core::str::converts::from_utf8` (%s:14:16)
//   = note: for cpu
//   = help: name the sysroot of the rustc that wrote the input with `--sysroot`
