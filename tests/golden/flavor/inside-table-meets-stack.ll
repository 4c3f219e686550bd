; A table may hold addresses inside other statics. Its initial values count like values that are stored later.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=flavor=-
; CHECK[sm_80]: %p = load ptr, ptr %row
; CHECK[sm_80]: %q = select i1 {{.*}}, ptr %{{.*}}, ptr %local
; CHECK[sm_80]: load volatile i32, ptr %q
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=flavor=-
; CHECK[gfx90a]: load volatile i32, ptr %q

target triple = "x86_64-unknown-linux-gnu"

@odd = internal constant [2 x i32] [i32 1, i32 3]
@even = internal constant [2 x i32] [i32 2, i32 4]
@table = internal constant [2 x ptr] [ptr getelementptr (i8, ptr @odd, i64 4), ptr getelementptr (i8, ptr @even, i64 4)]

define ptx_kernel void @look_up(ptr %out, i64 %n, i1 %on) {
  %local = alloca i32
  store volatile i32 7, ptr %local
  %row = getelementptr [2 x ptr], ptr @table, i64 0, i64 %n
  %p = load ptr, ptr %row
  %q = select i1 %on, ptr %p, ptr %local
  %v = load volatile i32, ptr %q
  store i32 %v, ptr %out
  ret void
}
