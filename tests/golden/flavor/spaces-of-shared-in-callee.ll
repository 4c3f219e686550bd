; A function that is only given shared memory reads and writes shared memory.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=flavor=-
; CHECK[sm_80]: define internal {{.*}} @swap(ptr addrspace(3) {{.*}}%a, ptr addrspace(3) {{.*}}%b)
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=codegen=-
; CHECK-NOT[gfx90a]: flat_load
; CHECK[gfx90a]: ds_read
; CHECK-NOT[gfx90a]: flat_store
; CHECK[gfx90a]: s_endpgm

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x i32] zeroinitializer, section ".offload.shared"

declare ptr @__offload_dynamic_shared()

define internal void @swap(ptr nonnull %a, ptr nonnull %b) noinline {
  %v = load i32, ptr %a
  %w = load i32, ptr %b
  store i32 %w, ptr %a
  store i32 %v, ptr %b
  ret void
}

define ptx_kernel void @turn(ptr %out, i64 %i) {
  %more = call ptr @__offload_dynamic_shared()
  %a = getelementptr i32, ptr @tile, i64 %i
  %b = getelementptr i32, ptr %more, i64 %i
  call void @swap(ptr %a, ptr %b)
  call void @swap(ptr %b, ptr @tile)
  %v = load i32, ptr %b
  store i32 %v, ptr %out
  ret void
}
