// A dependency as Cargo builds it has no bitcode: the error names the crate once, and the lines that change it.
// FAIL: echo '#[inline(never)] pub fn scale(i: u32) -> u32 { i * 3 } #[inline(never)] pub fn twice(i: u32) -> u32 { i * 2 }' | \
//   rustc --edition 2021 --crate-name dep --crate-type rlib -O -C embed-bitcode=no - -o libdep.rlib && \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g --extern dep=libdep.rlib %s -o in.bc && \
//   offloadc in.bc -L. --kernel=k --offload-arch=cpu -o out.o

extern crate dep;

#[no_mangle]
pub extern "C" fn k(i: u32, out: *mut u32) {
    unsafe { *out = dep::scale(i) + dep::twice(i) }
}
//// stderr
// error[OFC0030]: kernel `k` reaches `dep::scale`, but crate `dep` was compiled without bitcode: `./libdep.rlib`
//   --> %s:11:21
//   = note: called through `k` → `dep::scale` (%s:11:21)
//   = note: for cpu
//   = help: Cargo leaves bitcode out unless these two lines in `.cargo/config.toml` ask for it: `[build]` and `rustflags = ["-C", "embed-bitcode=yes"]`
//   = help: for one build, `RUSTFLAGS='-C embed-bitcode=yes' cargo build` does the same
