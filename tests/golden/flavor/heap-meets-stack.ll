; A phi of heap memory and a local may point to either; a kernel that only allocates takes the state.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=flavor=-
; CHECK[sm_80]: define internal {{.*}}@sum(ptr{{.*}} %p)
; CHECK[sm_80]: %v = load volatile i32, ptr %p
; CHECK[sm_80]: define ptx_kernel void @either({{.*}}ptr addrspace(1) %launch_state)
; CHECK[sm_80]: %p = select i1 {{.*}}, ptr %array, ptr %heap
; CHECK[sm_80]: call {{.*}}@sum(ptr {{.*}}%p)
; CHECK[sm_80]: %spec.select = select i1 {{.*}}, ptr %array, ptr %moved
; CHECK[sm_80]: load volatile i32, ptr %spec.select
; RUN[code]: offloadc %s --offload-arch=sm_80 --emit=codegen=- | grep -o 'ld.volatile[.a-z0-9]*\|ld.local[.a-z0-9]*'
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=flavor=-
; CHECK[gfx90a]: define internal {{.*}}@sum(ptr{{.*}} %p)
; CHECK[gfx90a]: %v = load volatile i32, ptr %p
; CHECK[gfx90a]: call {{.*}}@sum(ptr {{.*}}%p)
; CHECK[gfx90a]: load volatile i32, ptr %spec.select

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__rust_alloc(i64, i64)
declare ptr @__rust_realloc(ptr, i64, i64, i64)

define internal i32 @sum(ptr %p) noinline {
  %v = load volatile i32, ptr %p
  ret i32 %v
}

define ptx_kernel void @either(ptr %out, i1 %on) {
entry:
  %array = alloca i32
  store volatile i32 7, ptr %array
  %heap = call ptr @__rust_alloc(i64 4, i64 4)
  store volatile i32 8, ptr %heap
  %p = select i1 %on, ptr %array, ptr %heap
  %x = call i32 @sum(ptr %p)
  %moved = call ptr @__rust_realloc(ptr %heap, i64 4, i64 4, i64 64)
  br i1 %on, label %grown, label %end
grown:
  br label %end
end:
  %q = phi ptr [ %array, %grown ], [ %moved, %entry ]
  %y = load volatile i32, ptr %q
  %z = add i32 %x, %y
  store i32 %z, ptr %out
  ret void
}
;;; stdout[code]
; ld.volatile.b32
; ld.volatile.b32
