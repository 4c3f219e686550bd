; A pointer that is passed as an integer is null where the integer is 0, and null is no private pointer.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=flavor=-
; CHECK[sm_80]: define internal {{.*}}@maybe(i64 %address)
; CHECK[sm_80]: %p = inttoptr i64 %address to ptr
; CHECK[sm_80]: load volatile i32, ptr %p
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=flavor=-
; CHECK[gfx90a]: load volatile i32, ptr %p

target triple = "x86_64-unknown-linux-gnu"

define internal i32 @maybe(i64 %address) noinline {
  %p = inttoptr i64 %address to ptr
  %none = icmp eq ptr %p, null
  br i1 %none, label %end, label %some
some:
  %v = load volatile i32, ptr %p
  br label %end
end:
  %r = phi i32 [ %v, %some ], [ 0, %0 ]
  ret i32 %r
}

define ptx_kernel void @k(ptr %out, i1 %on) {
  %local = alloca i32
  store volatile i32 7, ptr %local
  %number = ptrtoint ptr %local to i64
  %address = select i1 %on, i64 %number, i64 0
  %x = call i32 @maybe(i64 %address)
  store i32 %x, ptr %out
  ret void
}
