// Code of LLVM's for the host's widest registers: masks of 32 comparisons as one number, and integers of 256 bits.
// RUN: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -C target-cpu=x86-64-v3 %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=spirv64 --emit=image=image.spv; \
//   spirv-val image.spv && offloadc in.bc --kernel=k --offload-arch=sm_80,gfx90a,cpu -o out.o

#[no_mangle]
pub unsafe extern "C" fn k(input: &[u8; 96], other: &[u8; 96], out: *mut u64) {
    let mask = input[..32].iter().enumerate().fold(0u32, |bits, (i, b)| bits | u32::from(*b > 99) << i);
    let place = input.iter().position(|b| *b == other[3]).unwrap_or(96);
    let same = input[..33] == other[..33] || input == other;
    let ascii = input[..48].is_ascii() || other.iter().any(|b| *b == 7);
    *out = u64::from(mask) ^ (place as u64) << 8 ^ u64::from(same) << 40 ^ u64::from(ascii) << 41;
}
