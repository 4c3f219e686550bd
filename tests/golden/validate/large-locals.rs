// Local variables that are larger than the memory of a thread are refused, with the line of the largest: one array, arrays
// of called functions, several at once, fields of structs. Variables that never live at the same time share memory.
// FAIL[refused]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=sm_80,gfx90a,gfx1100,gfx1200,spirv64 -o out.o
// RUN[warned]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=cpu,spirv64 -o out.o
// RUN[accepted]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=right* --offload-arch=cpu,sm_80,gfx1200 -o out.o
// FAIL[nearly]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=nearly --offload-arch=gfx90a -o out.o

#[inline(never)]
fn fill(array: &mut [u8], with: usize) -> usize {
    array.iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * with) as u8);
    array[with] as usize
}

#[no_mangle]
pub extern "C" fn k_one(i: usize, out: *mut usize) {
    let mut large = [0_u8; 16 << 20];
    unsafe { *out = fill(&mut large, i) }
}

#[inline(never)]
fn called(i: usize) -> usize {
    let mut own = [0_u8; 400 << 10];
    fill(&mut own, i) + fill(&mut own, i + 1)
}

#[no_mangle]
pub extern "C" fn k_calls(i: usize, out: *mut usize) {
    let mut own = [0_u8; 200 << 10];
    unsafe { *out = fill(&mut own, called(i)) }
}

#[no_mangle]
pub extern "C" fn k_several(i: usize, out: *mut usize) {
    let (mut a, mut b, mut c) = ([0_u8; 180 << 10], [0_u8; 190 << 10], [0_u8; 200 << 10]);
    let first = fill(&mut a, i) + fill(&mut b, i) + fill(&mut c, i);
    unsafe { *out = fill(&mut a, first) + fill(&mut b, first) + fill(&mut c, first) }
}

pub struct Scratch {
    count: usize,
    bytes: [[u8; 1 << 10]; 600],
}

#[no_mangle]
pub extern "C" fn k_struct(i: usize, out: *mut usize) {
    let mut scratch = Scratch { count: i, bytes: [[0; 1 << 10]; 600] };
    scratch.count += fill(&mut scratch.bytes[i], i);
    unsafe { *out = scratch.count + fill(&mut scratch.bytes[i / 2], i) }
}

#[no_mangle]
pub extern "C" fn right_one_after_another(i: usize, out: *mut usize) {
    let first = {
        let mut own = [0_u8; 300 << 10];
        fill(&mut own, i)
    };
    let mut own = [0_u8; 300 << 10];
    unsafe { *out = fill(&mut own, first) }
}

#[no_mangle]
pub extern "C" fn right_small(i: usize, out: *mut usize) {
    let mut own = [0_u8; 4 << 10];
    unsafe { *out = fill(&mut own, i) }
}

/// As many bytes as a thread has, and nothing left for the back end.
#[no_mangle]
pub extern "C" fn nearly(i: usize, out: *mut usize) {
    let mut own = [0_u8; 131056];
    unsafe { *out = fill(&mut own, i) }
}
//// stderr[refused]
// error[OFC0026]: kernel `k_calls` has 614400 bytes of local variables, and a thread of the device has 524288 bytes
//   --> %s:26:9
//   = note: called through `k_calls` → `large_locals::called` (%s:33:36)
//   = note: the largest variables have 409600 bytes (%s:26), 204800 bytes (%s:32)
//   = note: for sm_80
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_one` has 16777216 bytes of local variables, and a thread of the device has 524288 bytes
//   --> %s:20:9
//   = note: for sm_80
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_several` has 583680 bytes of local variables, and a thread of the device has 524288 bytes
//   --> %s:38:24
//   = note: the largest variables have 204800 bytes (%s:38), 194560 bytes (%s:38), 184320 bytes (%s:38)
//   = note: for sm_80
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_struct` has 1228808 bytes of local variables, and a thread of the device has 524288 bytes
//   --> %s:50:9
//   = note: the largest variables have 614408 bytes (%s:50), 614400 bytes (%s:50)
//   = note: for sm_80
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_calls` has 614400 bytes of local variables, and a thread of the device has 131056 bytes
//   --> %s:26:9
//   = note: called through `k_calls` → `large_locals::called` (%s:33:36)
//   = note: the largest variables have 409600 bytes (%s:26), 204800 bytes (%s:32)
//   = note: for gfx90a
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_one` has 16777216 bytes of local variables, and a thread of the device has 131056 bytes
//   --> %s:20:9
//   = note: for gfx90a
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_several` has 583680 bytes of local variables, and a thread of the device has 131056 bytes
//   --> %s:38:24
//   = note: the largest variables have 204800 bytes (%s:38), 194560 bytes (%s:38), 184320 bytes (%s:38)
//   = note: for gfx90a
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_struct` has 1228808 bytes of local variables, and a thread of the device has 131056 bytes
//   --> %s:50:9
//   = note: the largest variables have 614408 bytes (%s:50), 614400 bytes (%s:50)
//   = note: for gfx90a
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_calls` has 614400 bytes of local variables, and a thread of the device has 262136 bytes
//   --> %s:26:9
//   = note: called through `k_calls` → `large_locals::called` (%s:33:36)
//   = note: the largest variables have 409600 bytes (%s:26), 204800 bytes (%s:32)
//   = note: for gfx1100
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_one` has 16777216 bytes of local variables, and a thread of the device has 262136 bytes
//   --> %s:20:9
//   = note: for gfx1100
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_several` has 583680 bytes of local variables, and a thread of the device has 262136 bytes
//   --> %s:38:24
//   = note: the largest variables have 204800 bytes (%s:38), 194560 bytes (%s:38), 184320 bytes (%s:38)
//   = note: for gfx1100
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_struct` has 1228808 bytes of local variables, and a thread of the device has 262136 bytes
//   --> %s:50:9
//   = note: the largest variables have 614408 bytes (%s:50), 614400 bytes (%s:50)
//   = note: for gfx1100
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
// error[OFC0026]: kernel `k_one` has 16777216 bytes of local variables, and a thread of the device has 2097144 bytes
//   --> %s:20:9
//   = note: for gfx1200
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
//// stderr[warned]
// warning[OFC0061]: kernel `k_one` has 16777216 bytes of local variables, and a thread of the host usually has a stack of 8388608 bytes
//   --> %s:20:9
//   = note: for cpu
//   = help: keep large arrays in a buffer, in which each thread has a part: a parameter `mut scratch: DisjointChunks<f32, 4096>`, with `&mut buffer` in the launch
//// stderr[nearly]
// error: cannot generate code for gfx90a: kernel `nearly` has 131072 bytes of local variables and stack, and a thread of `gfx90a` has 131056 bytes; help: keep large arrays in a buffer, in which each thread has a part
//   = note: for gfx90a
