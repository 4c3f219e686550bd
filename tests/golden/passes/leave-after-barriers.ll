; A thread that has left the kernel leaves it again after a barrier, where OpenCL may resume it.
; RUN: offloadc %s --run-pass=leave_after_barriers --offload-arch=spirv64 --kernel=k --kernel=plain | grep -v "^target"

declare void @__offload_leave()
declare void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)

define void @k(ptr %out, i1 %c) {
  br i1 %c, label %leave, label %go
leave:
  call void @__offload_leave()
  unreachable
go:
  call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 784)
  store i32 1, ptr %out
  ret void
}

define void @plain(ptr %out) {
  call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 784)
  store i32 1, ptr %out
  ret void
}
;;; stdout
;
; ; Function Attrs: cold noreturn nounwind
; declare void @__offload_leave() #0
;
; declare void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)
;
; define void @k(ptr %out, i1 %c) {
;   %gone = alloca i32, align 4
;   store i32 0, ptr %gone, align 4
;   br i1 %c, label %leave, label %go
;
; leave:                                            ; preds = %0
;   store volatile i32 1, ptr %gone, align 4
;   call void @__offload_leave()
;   unreachable
;
; go:                                               ; preds = %0
;   call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 784)
;   %1 = load volatile i32, ptr %gone, align 4
;   %2 = icmp eq i32 %1, 0
;   br i1 %2, label %3, label %left
;
; 3:                                                ; preds = %go
;   store i32 1, ptr %out, align 4
;   ret void
;
; left:                                             ; preds = %go
;   call void @__offload_leave()
;   unreachable
; }
;
; define void @plain(ptr %out) {
;   call void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 784)
;   store i32 1, ptr %out, align 4
;   ret void
; }
;
; attributes #0 = { cold noreturn nounwind }
