; A call of a function by another type than its own is never executed, nor is a call of a static. The kernel calls the
; function by its number. A call that only passes their addresses stays.
; RUN: offloadc %s --run-pass=end_mistyped_calls | grep -v "^target"

define internal i32 @two(i64 %x, i32 %y) {
  ret i32 %y
}

@table = internal constant [2 x i32] [i32 1, i32 2]

define internal void @calls_static() {
  call void @table()
  ret void
}

define ptx_kernel void @k(ptr %out, i64 %number) {
  %is.two = icmp eq i64 %number, 77
  br i1 %is.two, label %call, label %end
call:
  %a = call i32 @two(i32 1)
  %b = call i32 @two(i32 %a)
  store i32 %b, ptr %out
  br label %end
end:
  %v = call i32 @two(i64 %number, i32 3)
  store i32 %v, ptr %out
  call void @takes(ptr @two, ptr @table)
  ret void
}

declare void @takes(ptr, ptr)
;;; stdout
;
; @table = internal constant [2 x i32] [i32 1, i32 2]
;
; define internal i32 @two(i64 %x, i32 %y) {
;   ret i32 %y
; }
;
; define internal void @calls_static() {
;   call void @llvm.trap()
;   unreachable
; }
;
; define ptx_kernel void @k(ptr %out, i64 %number) {
;   %is.two = icmp eq i64 %number, 77
;   br i1 %is.two, label %call, label %end
;
; call:                                             ; preds = %0
;   call void @llvm.trap()
;   unreachable
;
; end:                                              ; preds = %0
;   %v = call i32 @two(i64 %number, i32 3)
;   store i32 %v, ptr %out, align 4
;   call void @takes(ptr @two, ptr @table)
;   ret void
; }
;
; declare void @takes(ptr, ptr)
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #0
;
; attributes #0 = { cold noreturn nounwind memory(inaccessiblemem: write) }
