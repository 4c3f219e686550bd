// Functions that only a panic's message needs are not taken out of `core`, and functions that a parser needs are.
// RUN: for flags in '-O' '-C opt-level=0' '-C opt-level=3 -C no-prepopulate-passes'; do \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc -A dead_code $flags -C symbol-mangling-version=v0 %s -o in.bc && \
//   offloadc in.bc --kernel=k --offload-arch=cpu --emit=resolve=- | \
//   grep '^define' > all && grep -c '7FromStr8from_str' all; \
//   grep -c -e '_4core3fmt5write' -e '_4core9panicking' -e '_4core3fmt9Formatter3' all || true; done

#[derive(Debug)]
pub struct Wrong(u32);

#[no_mangle]
pub extern "C" fn k(n: usize, bytes: *const u8, out: *mut f32) {
    let bytes = unsafe { std::slice::from_raw_parts(bytes, n) };
    let text = std::str::from_utf8(bytes).map_err(|_| Wrong(7)).unwrap();
    assert_eq!(bytes[3], b'x', "at {}", 3.5f32);
    unsafe { *out = text.parse().expect("a number") }
}
//// stdout
// 1
// 0
// 1
// 0
// 1
// 0
