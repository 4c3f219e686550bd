; A call through a pointer compares it with its possible callees, and calls that one. A function that makes this choice
; for many calls is not copied into them. A call without a function of its type stays, unless its pointer may be null:
; then it has no callee.
; RUN: offloadc %s --run-pass=lower_function_pointers --offload-arch=gfx90a --kernel=k --kernel=many --kernel=none | grep -v "^target"

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

define void @many(ptr %out, i1 %c) {
  %f = select i1 %c, ptr @one, ptr @two
  %a = call i32 %f(i32 5)
  %b = call i32 %f(i32 %a)
  %c.more = call i32 %f(i32 %b) convergent
  store i32 %c.more, ptr %out
  ret void
}

define void @none(ptr %f, ptr %drop) {
  call void %f(double 1.0)
  %is.null = icmp eq ptr %drop, null
  %is.one = icmp eq ptr %f, %drop
  br i1 %is.null, label %end, label %calls
calls:
  call void %drop(double 2.0)
  br label %end
end:
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
; define void @many(ptr %out, i1 %c) {
;   %f = select i1 %c, ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr)
;   %1 = call i32 @call_through_pointer(ptr %f, i32 5)
;   %2 = call i32 @call_through_pointer(ptr %f, i32 %1)
;   %3 = call i32 @call_through_pointer(ptr %f, i32 %2) #2
;   store i32 %3, ptr %out, align 4
;   ret void
; }
;
; define void @none(ptr %f, ptr %drop) {
;   call void %f(double 1.000000e+00)
;   %is.null = icmp eq ptr %drop, null
;   %is.one = icmp eq ptr %f, %drop
;   br i1 %is.null, label %end, label %calls
;
; calls:                                            ; preds = %0
;   call void @call_through_pointer.1(ptr %drop, double 2.000000e+00)
;   br label %end
;
; end:                                              ; preds = %calls, %0
;   ret void
; }
;
; ; Function Attrs: convergent noinline
; define internal i32 @call_through_pointer(ptr %0, i32 %1) #0 {
; entry:
;   %2 = icmp eq ptr %0, inttoptr (i64 1 to ptr)
;   br i1 %2, label %call, label %next
;
; call:                                             ; preds = %entry
;   %3 = call i32 @one(i32 %1) #2
;   ret i32 %3
;
; next:                                             ; preds = %entry
;   %4 = icmp eq ptr %0, inttoptr (i64 2 to ptr)
;   br i1 %4, label %call1, label %next2
;
; call1:                                            ; preds = %next
;   %5 = call i32 @two(i32 %1) #2
;   ret i32 %5
;
; next2:                                            ; preds = %next
;   call void @llvm.trap() #2
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #1
;
; define internal void @call_through_pointer.1(ptr %0, double %1) {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; attributes #0 = { convergent noinline }
; attributes #1 = { cold noreturn nounwind memory(inaccessiblemem: write) }
; attributes #2 = { convergent }
