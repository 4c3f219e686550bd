; The number of iterations of a loop is kept across a barrier, and a condition on it is compared again after the
; barrier: the eight threads of a group have one number, so one comparison decides, and no conditions are kept.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*@sums.thread.1(/,/^}/p'
; CHECK: load i32
; CHECK: icmp eq i32
; CHECK-NOT: load i1
; CHECK: ret i32

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()
declare i32 @llvm.usub.sat.i32(i32, i32)

define ptx_kernel void @sums(ptr %a, ptr %out, i32 %n, i32 %step) {
  %x = call i32 @__offload_thread_id_x()
  %left = call i32 @llvm.usub.sat.i32(i32 %n, i32 %x)
  %whole = udiv i32 %left, %step
  %rest = urem i32 %left, %step
  %has = icmp ne i32 %rest, 0
  %one = zext i1 %has to i32
  %count = add i32 %whole, %one
  %i = zext i32 %x to i64
  %to = getelementptr float, ptr %out, i64 %i
  %some = icmp ne i32 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %at = phi i64 [ %i, %0 ], [ %then, %loop ]
  %from = getelementptr float, ptr %a, i64 %at
  %value = load float, ptr %from, align 4
  %more = fadd float %sum, %value
  %by = zext i32 %step to i64
  %then = add i64 %at, %by
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %loop, label %store

store:
  store float %more, ptr %to, align 4
  br label %met

met:
  call void @__offload_sync_threads()
  br i1 %some, label %second, label %leave

second:
  %j = phi i32 [ 0, %met ], [ %following, %second ]
  %there = phi float [ 0.0, %met ], [ %both, %second ]
  %number = uitofp i32 %j to float
  %both = fadd float %there, %number
  %following = add i32 %j, 1
  %go = icmp ult i32 %following, %count
  br i1 %go, label %second, label %end

end:
  store float %both, ptr %to, align 4
  br label %leave

leave:
  ret void
}
