// The shortest path from each kernel is shown, with the lines of its calls, also of inlined ones; JSON has all of it.
// FAIL[inlined]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -C debuginfo=line-tables-only %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=cpu,sm_80 -o out.o
// FAIL[bare]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=cpu,sm_80 -o out.o
// FAIL[json]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=cpu,sm_80 -o out.o --message-format=json 2>&1 | \
//   python3 -c "$(grep '^//   > ' %s | cut -c8-)"
//   > import json, sys
//   > for said in map(json.loads, sys.stdin):
//   >     print(said["code"]["explanation"].splitlines()[0], [s["line_start"] for s in said["spans"]])
//   >     for child in said["children"]:
//   >         print(child["level"], child["message"].replace(sys.path[0], ""))
//   >         print([(s["label"], s["line_start"]) for s in child["spans"]])
//   > sys.exit(1)

extern "C" {
    fn outside(x: u32) -> u32;
}

fn innermost(x: u32) -> u32 {
    unsafe { outside(x) + 1 }
}

fn inner(x: u32) -> u32 {
    innermost(x) * 3
}

#[no_mangle]
pub extern "C" fn k1(out: *mut u32) {
    let boxed: Box<u32> = std::hint::black_box(Box::new(1));
    unsafe { *out = inner(1) + *boxed }
}

#[no_mangle]
pub extern "C" fn k2(out: *mut u32) {
    (0..3).for_each(|i| unsafe { *out = innermost(i) });
}

#[no_mangle]
pub extern "C" fn k3(out: *mut u32) {
    unsafe { *out = 3 }
}
//// stderr[inlined]
// error[OFC0008]: kernel `k1` reaches `outside`, which has no device code
//   --> %s:22:14
//   = note: called through `k1` → `ways::inner` (%s:32:21) → `ways::innermost` (%s:26:5) → `outside` (%s:22:14)
//   = note: also called through `k2` → `core::iter::traits::iterator::Iterator::for_each` (%s:37:12) → … → `ways::k2::{{closure}}` → `ways::innermost` (%s:37:41) → `outside` (%s:22:14)
//   = note: for cpu, sm_80
//   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
//// stderr[bare]
// error[OFC0008]: kernel `k1` reaches `outside`, which has no device code
//   = note: called through `k1` → `ways::inner` → `ways::innermost` → `outside`
//   = note: also called through `k2` → `core::iter::traits::iterator::Iterator::for_each` → … → `ways::k2::{{closure}}` → `ways::innermost` → `outside`
//   = note: for cpu, sm_80
//   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
//// stdout[json]
// OFC0008: a kernel reaches a function that has no device code [22]
// note called through `k1` → `ways::inner` (%s:32:21) → `ways::innermost` (%s:26:5) → `outside` (%s:22:14)
// [('`ways::inner`', 32), ('`ways::innermost`', 26), ('`outside`', 22)]
// note also called through `k2` → `core::iter::traits::iterator::Iterator::for_each` (%s:37:12) → `core::iter::traits::iterator::Iterator::fold` → `core::iter::traits::iterator::Iterator::for_each::call::{{closure}}` → `ways::k2::{{closure}}` → `ways::innermost` (%s:37:41) → `outside` (%s:22:14)
// [('`core::iter::traits::iterator::Iterator::for_each`', 37), ('`ways::innermost`', 37), ('`outside`', 22)]
// note for cpu, sm_80
// []
// help its body is not in the input: also give offloadc the bitcode of the crate that defines it
// []
