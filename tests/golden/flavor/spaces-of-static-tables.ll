; A pointer from a table of constants has the address space of the statics in the table.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=codegen=-
; CHECK[sm_80]: .global{{.*}}table[2] = {generic(odd), generic(even)}
; CHECK-NOT[sm_80]: ld.b
; CHECK[sm_80]: ld.global.nc.b64
; CHECK-NOT[sm_80]: ld.b
; CHECK[sm_80]: ld.global.b32
; CHECK-NOT[sm_80]: ld.b
; CHECK[sm_80]: ret;
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=codegen=-
; CHECK-NOT[gfx90a]: flat_load
; CHECK[gfx90a]: s_endpgm

target triple = "x86_64-unknown-linux-gnu"

@odd = internal constant [2 x i32] [i32 1, i32 3]
@even = internal constant [2 x i32] [i32 2, i32 4]
@table = internal constant [2 x ptr] [ptr @odd, ptr @even]

define ptx_kernel void @look_up(ptr %out, i64 %n, i64 %i) {
  %row = getelementptr [2 x ptr], ptr @table, i64 0, i64 %n
  %p = load ptr, ptr %row
  %at = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %at
  store i32 %v, ptr %out
  ret void
}
