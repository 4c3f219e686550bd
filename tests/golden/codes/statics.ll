; Statics that a device cannot load or hold are refused, each target by its own limits.
; FAIL: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o

target triple = "x86_64-unknown-linux-gnu"

@one = internal constant i32 1
@odd = internal constant <{ i8, ptr }> <{ i8 1, ptr @one }>
@tile = internal global [30000 x i64] undef, section ".offload.shared"
@table = internal constant [70000 x i8] zeroinitializer, section ".offload.constant"
declare i32 @__offload_thread_id_x()

define ptx_kernel void @holds(ptr %p, i64 %at) {
  %place = getelementptr i8, ptr @odd, i64 %at
  %address = load ptr, ptr %place, align 1
  %v = load i32, ptr %address
  store i32 %v, ptr %p
  ret void
}

define ptx_kernel void @shares(ptr %p) {
  %t = call i32 @__offload_thread_id_x()
  %place = getelementptr i64, ptr @tile, i32 %t
  store volatile i64 1, ptr %place
  ret void
}

define ptx_kernel void @reads(ptr %p, i64 %at) {
  %place = getelementptr i8, ptr @table, i64 %at
  %v = load i8, ptr %place
  store i8 %v, ptr %p
  ret void
}
;;; stderr
; error[OFC0025]: the initial value of static `odd` contains a pointer that is not aligned
;   = note: for sm_80, spirv64
;   = help: fill it in on the host, and pass a pointer to device memory
; error[OFC0026]: kernel `shares` has 240000 bytes of shared statics, and the limit is 49152
;   = note: the largest is `tile` with 240000 bytes
;   = note: for sm_80
;   = help: use dynamic shared memory, whose size the launch chooses, for more
; error[OFC0026]: kernel `shares` has 240000 bytes of shared statics, and the limit is 65536
;   = note: the largest is `tile` with 240000 bytes
;   = note: for gfx90a
;   = help: use dynamic shared memory, whose size the launch chooses, for more
