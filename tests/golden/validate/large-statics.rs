// Static memory that is larger than a block has: the error is at the line of the kernel that uses the largest static.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=sm_80 -o out.o

use std::cell::UnsafeCell;

struct Shared<const N: usize>(UnsafeCell<[u64; N]>);
unsafe impl<const N: usize> Sync for Shared<N> {}

#[link_section = ".offload.shared"]
static SMALL: Shared<16> = Shared(UnsafeCell::new([0; 16]));
#[link_section = ".offload.shared"]
static LARGE: Shared<30000> = Shared(UnsafeCell::new([0; 30000]));

#[no_mangle]
pub unsafe extern "C" fn k(i: usize) {
    let small = SMALL.0.get().cast::<u64>();
    let large = LARGE.0.get().cast::<u64>();
    small.add(i).write_volatile(1);
    large.add(i).write_volatile(1);
}
//// stderr
// error[OFC0026]: kernel `k` has 240128 bytes of shared statics, and the limit is 49152
//   --> %s:20:11
//   = note: the largest is `large_statics::LARGE` with 240000 bytes
//   = note: for sm_80
//   = help: use dynamic shared memory, whose size the launch chooses, for more
