; A bounds check of eight neighbours in a loop is one comparison, with a limit that is computed before the loop: the
; length minus 7, or 0. If the last index overflowed, the first one would not be below this limit.
; RUN: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu | sed -n '/^define.*@__offload_cpu.*sums(/,/^}/p'
; CHECK: @llvm.usub.sat.i64(i64 {{.*}}, i64 7)
; CHECK: load <8 x float>
; CHECK: fadd <8 x float>

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @llvm.trap()

define ptx_kernel void @sums(ptr noalias readonly %from, i64 %length, ptr noalias %to, i64 %rows, i64 %stride) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %some = icmp ne i64 %rows, 0
  br i1 %some, label %loop, label %leave

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %go ]
  %at = phi i64 [ %i, %0 ], [ %below, %go ]
  %sum = phi float [ 0.0, %0 ], [ %more, %go ]
  %in = icmp ult i64 %at, %length
  br i1 %in, label %go, label %stop

go:
  %place = getelementptr float, ptr %from, i64 %at
  %value = load float, ptr %place, align 4
  %more = fadd float %sum, %value
  %below = add i64 %at, %stride
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %rows
  br i1 %again, label %loop, label %end

end:
  %result = getelementptr float, ptr %to, i64 %i
  store float %more, ptr %result, align 4
  br label %leave

stop:
  call void @llvm.trap()
  unreachable

leave:
  ret void
}
