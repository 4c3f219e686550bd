// The blocks of branches that became selections are erased with their debug records: a block at the same address, which
// begins with a phi, must not have them.
// RUN: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=cpu -O2 -g --verify-each -o out.o

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_ballot(value: bool) -> u64;
}

#[no_mangle]
pub unsafe extern "C" fn k(x: *const u32, out: *mut u32) {
    let t = __offload_thread_id_x();
    let own = *x.add(t as usize);
    let value = if own > 9 {
        let twice = own * 2;
        if t > 5 {
            let more = twice ^ t;
            *out = more;
            more
        } else {
            twice
        }
    } else {
        let less = own + 1;
        less
    };
    let there = __offload_ballot(value > 3);
    if there & 1 << t != 0 {
        let mut n = value;
        while n > 1 {
            let next = if n & 1 == 0 { n / 2 } else { n * 3 + 1 };
            n = next;
        }
        *out.add(t as usize) = n;
    }
}
