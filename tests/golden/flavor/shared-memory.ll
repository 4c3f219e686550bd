; Statics in .offload.shared and launch-sized memory are workgroup memory.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=flavor=-
; CHECK[sm_80]: @tile = {{.*}}addrspace(3) global [64 x float]
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=flavor=-
; CHECK[gfx90a]: @tile = {{.*}}addrspace(3) global [64 x float]

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x float] zeroinitializer, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare ptr @__offload_dynamic_shared()
declare void @__offload_sync_threads()

define ptx_kernel void @rotate(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %slot = getelementptr [64 x float], ptr @tile, i64 0, i32 %t
  %dynamic = call ptr @__offload_dynamic_shared()
  %more = getelementptr float, ptr %dynamic, i32 %t
  store float 1.0, ptr %slot
  store float 2.0, ptr %more
  call void @__offload_sync_threads()
  %a = load float, ptr @tile
  %b = load float, ptr %dynamic
  %sum = fadd float %a, %b
  store float %sum, ptr %out
  ret void
}
