; A function in which a thread leaves is inlined into the kernel; another stays.
; RUN: offloadc %s --run-pass=inline_into_kernels --offload-arch=spirv64 --kernel=k | grep -v "^target"

declare void @__offload_leave()

define internal void @leaves() {
  call void @__offload_leave()
  unreachable
}

define internal i32 @stays(i32 %x) noinline {
  %r = mul i32 %x, %x
  ret i32 %r
}

define void @k(ptr %out, i32 %x, i1 %c) {
  br i1 %c, label %leave, label %go
leave:
  call void @leaves()
  unreachable
go:
  %r = call i32 @stays(i32 %x)
  store i32 %r, ptr %out
  ret void
}
;;; stdout
;
; declare void @__offload_leave()
;
; ; Function Attrs: noinline
; define internal i32 @stays(i32 %x) #0 {
;   %r = mul i32 %x, %x
;   ret i32 %r
; }
;
; define void @k(ptr %out, i32 %x, i1 %c) {
;   br i1 %c, label %leave, label %go
;
; leave:                                            ; preds = %0
;   call void @__offload_leave()
;   unreachable
;
; leaves.exit:                                      ; No predecessors!
;   unreachable
;
; go:                                               ; preds = %0
;   %r = call i32 @stays(i32 %x)
;   store i32 %r, ptr %out, align 4
;   ret void
; }
;
; attributes #0 = { noinline }
