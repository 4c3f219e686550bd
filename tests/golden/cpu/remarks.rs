// Remarks have, for each region, how its threads are executed, and why not in vectors, with the line of the cause.
// RUN[text]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes \
//   -C debuginfo=line-tables-only %s -o in.bc; \
//   offloadc in.bc --kernel=plain --kernel=sides --kernel=rows --offload-arch=cpu,cpu:x86-64-v3 --remarks -o out.o
// RUN[json]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes \
//   -C debuginfo=line-tables-only %s -o in.bc; offloadc in.bc --kernel=rows --offload-arch=cpu --remarks=vectorize \
//   --message-format=json -o out.o 2>&1 | grep -o '"remark":.*'
// RUN[no-lines]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s \
//   -o in.bc; offloadc in.bc --kernel=rows --offload-arch=cpu --remarks -o out.o
// RUN[never]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes \
//   -C debuginfo=line-tables-only %s -o in.bc; \
//   offloadc in.bc --kernel=rows --offload-arch=cpu --remarks --cpu-vectorize=never -o out.o
// RUN[level]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes \
//   -C debuginfo=line-tables-only %s -o in.bc; offloadc in.bc --kernel=rows --offload-arch=cpu --remarks -O0 -o out.o
// FAIL=2[from]: offloadc %s --from=flavor --emit=codegen=- --offload-arch=cpu --remarks
// FAIL=2[unknown]: offloadc %s --offload-arch=cpu --remarks=speed

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_sync_threads();
}

// Straight code is left to LLVM.
#[no_mangle]
pub unsafe extern "C" fn plain(x: *const f32, y: *mut f32, n: u32) {
    let i = __offload_thread_id_x();
    if i < n {
        *y.add(i as usize) += *x.add(i as usize);
    }
}

// Two regions, of which the first one has a loop whose length depends on the data.
#[no_mangle]
pub unsafe extern "C" fn sides(x: *const u32, y: *mut u32) {
    let i = __offload_thread_id_x() as usize;
    let (mut value, mut steps) = (*x.add(i), 0);
    while value > 1 {
        value = if value & 1 == 0 { value / 2 } else { value * 3 + 1 };
        steps += 1;
    }
    *y.add(i) = steps;
    __offload_sync_threads();
    *y.add(i + 64) = *y.add(i ^ 1);
}

// The rows of a matrix have a large stride.
#[no_mangle]
pub unsafe extern "C" fn rows(x: *const f32, y: *mut f32, n: usize, width: usize) {
    let (i, mut least) = (__offload_thread_id_x() as usize, f32::MAX);
    for k in 0..n {
        let value = *x.add(i * width + k);
        least = if value < least { value } else { least };
    }
    *y.add(i) = least;
}
//// stderr[text]
// remark[vectorize]: kernel `plain`, threads within all bounds, is straight code, which is left to LLVM's vectoriser
//   --> %s:28:31
//   = note: for cpu, cpu:x86-64-v3
// remark[vectorize]: kernel `sides`, region 1 of 2 is executed in vectors of 8 threads, but threads take different branches here
//   --> %s:37:11
//   = note: 8 threads together cost 452 instructions, of which this is 152, and 1232 one after another
//   = note: for cpu
//   = help: if most threads need nearly as many iterations, let all run equally often, and choose values in it
// remark[vectorize]: kernel `sides`, region 1 of 2 is executed in vectors of 8 threads, but threads take different branches here
//   --> %s:37:11
//   = note: 8 threads together cost 370 instructions, of which this is 152, and 1232 one after another
//   = note: for cpu:x86-64-v3
//   = help: if most threads need nearly as many iterations, let all run equally often, and choose values in it
// remark[vectorize]: kernel `sides`, region 2 of 2 is executed in vectors of 8 threads
//   --> %s:43:22
//   = note: for cpu, cpu:x86-64-v3
// remark[vectorize]: kernel `rows` is executed one thread after another: a load has an address of its own in each thread
//   --> %s:51:21
//   = note: 8 threads together cost 745 instructions, of which this is 384, and 848 one after another; together must be 1.25 times as fast
//   = note: for cpu
//   = help: let neighbouring threads load neighbouring elements, as `x[i]` where `i` is `thread::index_1d()`
// remark[vectorize]: kernel `rows` is executed one thread after another: a load has an address of its own in each thread
//   --> %s:51:21
//   = note: 8 threads together cost 712 instructions, of which this is 384, and 848 one after another; together must be 1.25 times as fast
//   = note: for cpu:x86-64-v3
//   = help: let neighbouring threads load neighbouring elements, as `x[i]` where `i` is `thread::index_1d()`
//// stdout[json]
// "remark":{"pass":"vectorize","kernel":"rows","region":1,"cause":"load","width":1,"archs":["cpu"]}}
//// stderr[no-lines]
// note: remarks name no lines, because the code of kernels has no debug information
//   = help: compile it with `-Cdebuginfo=line-tables-only`
// remark[vectorize]: kernel `rows` is executed one thread after another: a load has an address of its own in each thread
//   = note: 8 threads together cost 745 instructions, of which this is 384, and 848 one after another; together must be 1.25 times as fast
//   = note: for cpu
//   = help: let neighbouring threads load neighbouring elements, as `x[i]` where `i` is `thread::index_1d()`
//// stderr[never]
// remark[vectorize]: kernel `rows` is executed one thread after another: `--cpu-vectorize=never` says so
//   --> %s:50:14
//   = note: for cpu
//   = help: omit the option
//// stderr[level]
// remark[vectorize]: kernel `rows` is executed one thread after another: the code is not optimised for speed, or the checker looks at each thread
//   --> %s:49:27
//   = note: for cpu
//   = help: build with `--release` or `-O2`
//// stderr[from]
// error: `--remarks` needs the whole program, and cannot be used with its parts
//// stderr[unknown]
// error: invalid value 'speed' for '--remarks[=<PASS,...>]'
//   [possible values: vectorize, memory, pointers, loops, checks, spills]
//
// For more information, try '--help'.
