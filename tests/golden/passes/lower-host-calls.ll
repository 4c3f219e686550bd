; A call of the host goes through the mailbox in the launch's state.
; RUN: offloadc %s --run-pass=lower_host_calls --kernel=k | grep -v "^target"
; CHECK: define internal i32 @__offload_call_host(
; CHECK: call ptr @__offload_launch_state()
; CHECK: call i32 @__offload_host_mailbox(
; CHECK: define internal i32 @__offload_host_mailbox(
; CHECK: atomicrmw or ptr %claim.at, i32 %bit syncscope("device") acquire
; CHECK: store atomic i32 %request, ptr %request.at release
; CHECK: fence acquire
; CHECK: atomicrmw and ptr %claim.at, i32 %others syncscope("device") release

declare i32 @__offload_call_host(i64, ptr, i64, ptr, i64)

define void @k(ptr %out, ptr %arguments) {
  %status = call i32 @__offload_call_host(i64 3, ptr %arguments, i64 8, ptr %out, i64 4)
  ret void
}
