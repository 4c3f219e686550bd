; A pointer that a kernel reads from memory that other kernels write may point anywhere, and null is no shared pointer.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=flavor=-
; CHECK[sm_80]: define internal {{.*}} @maybe(ptr{{.*}} %p)
; CHECK[sm_80]: %found = load ptr, ptr
; CHECK[sm_80]: load volatile i32, ptr %found
; CHECK[sm_80]: %stored = load volatile ptr, ptr addrspace(3) @place
; CHECK[sm_80]: load volatile i32, ptr %stored
; CHECK[sm_80]: call {{.*}} @maybe(ptr %p)
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=codegen=- | grep -c flat_load_dword

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x i32] zeroinitializer, section ".offload.shared"
@place = internal global ptr null, section ".offload.shared"

define internal i32 @maybe(ptr %p) noinline {
  %none = icmp eq ptr %p, null
  br i1 %none, label %end, label %some
some:
  %v = load volatile i32, ptr %p
  br label %end
end:
  %r = phi i32 [ %v, %some ], [ 0, %0 ]
  ret i32 %r
}

define ptx_kernel void @follow(ptr %list, ptr %out, i1 %on) {
  %at = getelementptr i8, ptr %list, i64 8
  %found = load ptr, ptr %at
  %v = load volatile i32, ptr %found
  %out_at = getelementptr i8, ptr %out, i64 8
  store ptr @place, ptr %out_at
  store ptr @tile, ptr @place
  %stored = load volatile ptr, ptr @place
  %w = load volatile i32, ptr %stored
  %p = select i1 %on, ptr @tile, ptr null
  %x = call i32 @maybe(ptr %p)
  %vw = add i32 %v, %w
  %vwx = add i32 %vw, %x
  store i32 %vwx, ptr %out
  ret void
}
;;; stdout[gfx90a]
; 3
