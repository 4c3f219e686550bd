// A fault in code that cannot run is no error, whatever flags rustc had.
// RUN: for flags in '-O' '-C opt-level=0' '-C opt-level=3 -C no-prepopulate-passes'; do \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc $flags %s -o in.bc && \
//   offloadc in.bc --kernel=k --offload-arch=cpu,sm_80,gfx90a -o out.o; done

const VERBOSE: bool = false;

fn limit() -> u32 {
    7
}

#[no_mangle]
pub extern "C" fn k(i: u32, out: *mut u32) {
    if VERBOSE {
        println!("{i}");
    }
    if limit() > 8 {
        std::fs::remove_file("gone").unwrap();
    }
    unsafe { *out = i }
}
