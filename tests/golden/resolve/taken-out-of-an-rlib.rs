// A function of another crate is taken out of its rlib, however that is named; the dependency file names the rlib.
// RUN: echo '#[inline(never)] pub fn scale(i: u32) -> u32 { i * TABLE[i as usize % 3] } static TABLE: [u32; 3] = [3, 5, 7];' | \
//   rustc --edition 2021 --crate-name dep --crate-type rlib -O - -o libdep.rlib && \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -O --extern dep=libdep.rlib %s -o in.bc && \
//   for library in --extern-rlib=libdep.rlib --extern-rlib=dep=libdep.rlib -L. '-L dependency=.' libdep.rlib; do \
//   RUSTC=/nonexistent offloadc in.bc $library --kernel=k --offload-arch=cpu,sm_80,gfx90a -o out.o -MD && cat out.d && \
//   rm out.o; done
// RUN[closed]: echo '#[inline(never)] pub fn scale(i: u32) -> u32 { i * 3 } pub fn other() { println!() }' | \
//   rustc --edition 2021 --crate-name dep --crate-type rlib -O - -o libdep.rlib && \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -O --extern dep=libdep.rlib %s -o in.bc && \
//   offloadc in.bc -L. --kernel=k --emit=resolve=- --offload-arch=cpu | grep -c '^define'

extern crate dep;

#[no_mangle]
pub extern "C" fn k(i: u32, out: *mut u32) {
    unsafe { *out = dep::scale(i) }
}
//// stdout
// out.o: \
//   in.bc \
//   libdep.rlib
// out.o: \
//   in.bc \
//   libdep.rlib
// out.o: \
//   in.bc \
//   ./libdep.rlib
// out.o: \
//   in.bc \
//   ./libdep.rlib
// out.o: \
//   in.bc \
//   libdep.rlib
//// stdout[closed]
// 2
