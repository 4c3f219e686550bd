; On the CPU a kernel calls the host through the launch's state, and there is no mailbox.
; RUN: offloadc %s --run-pass=call_host_directly --offload-arch=cpu --kernel=k | grep -v "^target"

define internal i32 @__offload_host_mailbox(ptr %state, i64 %number, ptr %arguments, i64 %argument.bytes, ptr %result, i64 %result.bytes) noinline {
  fence acquire
  ret i32 0
}

define void @k(ptr %out, ptr %state) {
  %status = call i32 @__offload_host_mailbox(ptr %state, i64 3, ptr null, i64 0, ptr %out, i64 4)
  ret void
}
;;; stdout
;
; ; Function Attrs: noinline
; define internal i32 @__offload_host_mailbox(ptr %state, i64 %number, ptr %arguments, i64 %argument.bytes, ptr %result, i64 %result.bytes) #0 {
; entry:
;   %0 = getelementptr inbounds i8, ptr %state, i64 120
;   %call_host = load ptr, ptr %0, align 8
;   %1 = icmp eq ptr %call_host, null
;   br i1 %1, label %absent, label %present
;
; present:                                          ; preds = %entry
;   %2 = call i32 %call_host(ptr %state, i64 %number, ptr %arguments, i64 %argument.bytes, ptr %result, i64 %result.bytes)
;   ret i32 %2
;
; absent:                                           ; preds = %entry
;   ret i32 2
; }
;
; define void @k(ptr %out, ptr %state) {
;   %status = call i32 @__offload_host_mailbox(ptr %state, i64 3, ptr null, i64 0, ptr %out, i64 4)
;   ret void
; }
;
; attributes #0 = { noinline }
