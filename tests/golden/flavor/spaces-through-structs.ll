; Pointers in a struct on the stack keep their address spaces, field by field, in a function that gets its address.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=flavor=-
; CHECK[sm_80]: define internal {{.*}} @add(ptr addrspace(5) {{.*}}%captured)
; CHECK[sm_80]: %total = load ptr, ptr
; CHECK[sm_80]: addrspacecast ptr %total to ptr addrspace(5)
; CHECK[sm_80]: %slice = load ptr, ptr
; CHECK[sm_80]: addrspacecast ptr %slice to ptr addrspace(1)
; CHECK[sm_80]: %tile = load ptr, ptr
; CHECK[sm_80]: addrspacecast ptr %tile to ptr addrspace(3)
; RUN[ptx]: offloadc %s --offload-arch=sm_80 --emit=codegen=- | grep -cE '[[:space:]](ld|st)\.(volatile\.)?b' || true
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=codegen=- | grep -cE 'flat_(load|store)' || true

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x i32] zeroinitializer, section ".offload.shared"

define internal void @add(ptr %captured) noinline {
  %total = load ptr, ptr %captured
  %at = getelementptr i8, ptr %captured, i64 8
  %slice = load ptr, ptr %at
  %length_at = getelementptr i8, ptr %captured, i64 16
  %length = load i64, ptr %length_at
  %tile_at = getelementptr i8, ptr %captured, i64 24
  %tile = load ptr, ptr %tile_at
  %element = getelementptr i32, ptr %slice, i64 %length
  %v = load i32, ptr %element
  %w = load i32, ptr %tile
  %old = load i32, ptr %total
  %vw = add i32 %v, %w
  %new = add i32 %old, %vw
  store i32 %new, ptr %total
  ret void
}

define ptx_kernel void @sum(ptr %in, i64 %n, ptr %out) {
  %sum = alloca i32
  %captured = alloca { ptr, ptr, i64, ptr }
  store i32 0, ptr %sum
  store ptr %sum, ptr %captured
  %at = getelementptr i8, ptr %captured, i64 8
  store ptr %in, ptr %at
  %length_at = getelementptr i8, ptr %captured, i64 16
  store i64 %n, ptr %length_at
  %tile_at = getelementptr i8, ptr %captured, i64 24
  %slot = getelementptr i32, ptr @tile, i64 %n
  store ptr %slot, ptr %tile_at
  call void @add(ptr %captured)
  call void @add(ptr %captured)
  %v = load i32, ptr %sum
  store i32 %v, ptr %out
  ret void
}
;;; stdout[ptx]
; 0
;;; stdout[gfx90a]
; 0
