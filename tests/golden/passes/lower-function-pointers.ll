; A call through a pointer compares it with the functions that it may be, and calls that one.
; RUN: offloadc %s --run-pass=lower_function_pointers --offload-arch=gfx90a --kernel=k | grep -v "^target"

define internal i32 @one(i32 %x) {
  %r = add i32 %x, 1
  ret i32 %r
}

define internal i32 @two(i32 %x) {
  %r = add i32 %x, 2
  ret i32 %r
}

define void @k(ptr %out, i1 %c) {
  %f = select i1 %c, ptr @one, ptr @two
  %r = call i32 %f(i32 5)
  store i32 %r, ptr %out
  ret void
}
;;; stdout
;
; define internal i32 @one(i32 %x) {
;   %r = add i32 %x, 1
;   ret i32 %r
; }
;
; define internal i32 @two(i32 %x) {
;   %r = add i32 %x, 2
;   ret i32 %r
; }
;
; define void @k(ptr %out, i1 %c) {
;   %f = select i1 %c, ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr)
;   %1 = call i32 @call_through_pointer(ptr %f, i32 5)
;   store i32 %1, ptr %out, align 4
;   ret void
; }
;
; define internal i32 @call_through_pointer(ptr %0, i32 %1) {
; entry:
;   %2 = icmp eq ptr %0, inttoptr (i64 1 to ptr)
;   br i1 %2, label %call, label %next
;
; call:                                             ; preds = %entry
;   %3 = call i32 @one(i32 %1)
;   ret i32 %3
;
; next:                                             ; preds = %entry
;   %4 = icmp eq ptr %0, inttoptr (i64 2 to ptr)
;   br i1 %4, label %call1, label %next2
;
; call1:                                            ; preds = %next
;   %5 = call i32 @two(i32 %1)
;   ret i32 %5
;
; next2:                                            ; preds = %next
;   call void @llvm.trap()
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #0
;
; attributes #0 = { cold noreturn nounwind memory(inaccessiblemem: write) }
