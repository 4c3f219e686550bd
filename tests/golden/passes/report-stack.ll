; Where the stack is an array of the thread, a kernel that recurses has the panic of a full one.
; RUN: offloadc %s --run-pass=report_stack --offload-arch=gfx90a --kernel=k | grep -v "^target"

define internal i32 @sum(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %less = sub i32 %n, 1
  %rest = call i32 @sum(i32 %less)
  ret i32 %rest
end:
  ret i32 0
}

define void @k(ptr %out, i32 %n) {
  %r = call i32 @sum(i32 %n)
  store i32 %r, ptr %out
  ret void
}
;;; stdout
;
; define internal i32 @sum(i32 %n) {
;   %zero = icmp eq i32 %n, 0
;   br i1 %zero, label %end, label %more
;
; more:                                             ; preds = %0
;   %less = sub i32 %n, 1
;   %rest = call i32 @sum(i32 %less)
;   ret i32 %rest
;
; end:                                              ; preds = %0
;   ret i32 0
; }
;
; define void @k(ptr %out, i32 %n) {
;   %r = call i32 @sum(i32 %n)
;   store i32 %r, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: cold noreturn nounwind
; define internal void @offload_stack_full() #0 {
; entry:
;   call void @__offload_panic(i32 1, i32 0, i64 0, i64 0, i64 0)
;   unreachable
; }
;
; declare void @__offload_panic(i32, i32, i64, i64, i64)
;
; attributes #0 = { cold noreturn nounwind }
