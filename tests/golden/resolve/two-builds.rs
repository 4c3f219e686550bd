// Cargo keeps builds with other flags beside the current build: the bitcode is taken where there is some, the newest
// first, and the program is linked with one of the two.
// RUN: for build in 1-o 3-new 2-plain; do value=$(( ${#build} - 2 )); bitcode=yes; \
//   if [ $build = 2-plain ]; then bitcode=no; fi; echo "#[inline(never)] pub fn scale(i: u32) -> u32 { i * $value }" | \
//   rustc --edition 2021 --crate-name dep --crate-type rlib -O -C embed-bitcode=$bitcode - -o libdep-$build.rlib; done && \
//   touch -d 2020-01-01 libdep-1-o.rlib && touch -d 2021-01-01 libdep-3-new.rlib && \
//   rustc --edition 2021 --emit=llvm-bc -O -C linker=true --extern dep=libdep-2-plain.rlib %s -o in.bc && \
//   offloadc in.bc -L. --kernel=k --offload-arch=cpu --emit=exe -o program --emit=resolve=- | grep mul

extern crate dep;

#[no_mangle]
pub extern "C" fn k(i: u32, out: *mut u32) {
    unsafe { *out = dep::scale(i) }
}

fn main() {
    println!("{}", dep::scale(1));
}
//// stdout
//   %2 = mul i32 %0, 3
