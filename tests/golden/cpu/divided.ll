; The row and the column of an element of a matrix with 24 columns. A group of eight threads that starts at a multiple of
; 8 is in one row, so the row is the same in all threads, and the columns are neighbours: the element of `b` is loaded for
; all of them at once, and that of `a` once. The start of the group is checked first.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@multiply.*vector(.*{/,/^}/p'
; RUN[odd]: sed 's/, 24$/, 20/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu - | grep -c 'load <8 x float>' || true
; CHECK: and i64 %{{.*}}, 7
; CHECK: load float
; CHECK: load <8 x float>
; CHECK: urem i64 %{{.*}}, 24
; CHECK[odd]: 0

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()

define ptx_kernel void @multiply(ptr %a, ptr %b, ptr %c) {
start:
  %block = call i32 @__offload_block_id_x()
  %dim = call i32 @__offload_block_dim_x()
  %x = call i32 @__offload_thread_id_x()
  %wide.block = zext i32 %block to i64
  %wide.dim = zext i32 %dim to i64
  %wide.x = zext i32 %x to i64
  %first = mul nuw i64 %wide.block, %wide.dim
  %i = add nuw i64 %first, %wide.x
  %row = udiv i64 %i, 24
  %column = urem i64 %i, 24
  %row.start = mul nuw i64 %row, 24
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %more, %loop ]
  %at.a = add nuw i64 %row.start, %k
  %element.a = getelementptr float, ptr %a, i64 %at.a
  %from.a = load float, ptr %element.a
  %row.b = mul nuw i64 %k, 24
  %at.b = add nuw i64 %row.b, %column
  %element.b = getelementptr float, ptr %b, i64 %at.b
  %from.b = load float, ptr %element.b
  %product = fmul float %from.a, %from.b
  %more = fadd float %sum, %product
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, 24
  br i1 %again, label %loop, label %done

done:
  %element.c = getelementptr float, ptr %c, i64 %i
  store float %more, ptr %element.c
  ret void
}
