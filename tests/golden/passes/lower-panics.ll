; A panic function is a call with numbers: its message, the place, and the operands. So is the end of the program that the
; compiler itself asks for. A panic function with any number of arguments only ends the program, and one of a user's is
; another function.
; RUN: offloadc %s --run-pass=lower_panics --kernel=k | grep -v "^target"
; RUN[trap]: offloadc %s --run-pass=lower_panics --kernel=k --device-panic=trap | grep -v "^target"

declare void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64, i64, ptr) noreturn

@name = private constant [4 x i8] c"a.rs"
@place = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @name, [16 x i8] c"\04\00\00\00\00\00\00\00\07\00\00\00\09\00\00\00" }>, align 8

define void @k(ptr %out, i64 %i) {
  call void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 %i, i64 4, ptr @place)
  unreachable
}

declare void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(...) noreturn
declare void @_ZN4user9panicking18panic_bounds_check17h0123456789abcdefE(i64, i64, ptr) noreturn

define void @others(i64 %i, i1 %a, i1 %b) {
  br i1 %a, label %any, label %next
any:
  call void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(i32 1)
  unreachable
next:
  br i1 %b, label %mine, label %trap
mine:
  call void @_ZN4user9panicking18panic_bounds_check17h0123456789abcdefE(i64 %i, i64 4, ptr @place)
  unreachable
trap:
  call void @llvm.trap()
  unreachable
}
;;; stdout
;
; @name = private constant [4 x i8] c"a.rs"
; @place = internal unnamed_addr constant { ptr, [16 x i8], i32 } { ptr @name, [16 x i8] c"\04\00\00\00\00\00\00\00\07\00\00\00\09\00\00\00", i32 1 }, align 8
;
; ; Function Attrs: alwaysinline noreturn
; define internal void @offload._ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 %0, i64 %1, ptr %2) #0 {
; entry:
;   %3 = getelementptr inbounds i8, ptr %2, i64 24
;   %4 = load i32, ptr %3, align 4, !invariant.load !0
;   call void @__offload_panic(i32 2, i32 %4, i64 %0, i64 %1, i64 0)
;   unreachable
; }
;
; define void @k(ptr %out, i64 %i) {
;   call void @offload._ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 %i, i64 4, ptr @place)
;   unreachable
; }
;
; ; Function Attrs: alwaysinline noreturn
; define internal void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(...) #0 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; ; Function Attrs: noreturn
; declare void @_ZN4user9panicking18panic_bounds_check17h0123456789abcdefE(i64, i64, ptr) #1
;
; define void @others(i64 %i, i1 %a, i1 %b) {
;   br i1 %a, label %any, label %next
;
; any:                                              ; preds = %0
;   call void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(i32 1)
;   unreachable
;
; next:                                             ; preds = %0
;   br i1 %b, label %mine, label %trap
;
; mine:                                             ; preds = %next
;   call void @_ZN4user9panicking18panic_bounds_check17h0123456789abcdefE(i64 %i, i64 4, ptr @place)
;   unreachable
;
; trap:                                             ; preds = %next
;   call void @__offload_panic(i32 1, i32 0, i64 0, i64 0, i64 0)
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(read, inaccessiblemem: readwrite)
; declare void @__offload_panic(i32, i32, i64, i64, i64) #2
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #3
;
; attributes #0 = { alwaysinline noreturn }
; attributes #1 = { noreturn }
; attributes #2 = { cold noreturn nounwind memory(read, inaccessiblemem: readwrite) }
; attributes #3 = { cold noreturn nounwind memory(inaccessiblemem: write) }
;
; !0 = !{}
;;; stdout[trap]
;
; @name = private constant [4 x i8] c"a.rs"
; @place = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @name, [16 x i8] c"\04\00\00\00\00\00\00\00\07\00\00\00\09\00\00\00" }>, align 8
;
; ; Function Attrs: alwaysinline noreturn
; define internal void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 %0, i64 %1, ptr %2) #0 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define void @k(ptr %out, i64 %i) {
;   call void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 %i, i64 4, ptr @place)
;   unreachable
; }
;
; ; Function Attrs: alwaysinline noreturn
; define internal void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(...) #0 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; ; Function Attrs: noreturn
; declare void @_ZN4user9panicking18panic_bounds_check17h0123456789abcdefE(i64, i64, ptr) #1
;
; define void @others(i64 %i, i1 %a, i1 %b) {
;   br i1 %a, label %any, label %next
;
; any:                                              ; preds = %0
;   call void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(i32 1)
;   unreachable
;
; next:                                             ; preds = %0
;   br i1 %b, label %mine, label %trap
;
; mine:                                             ; preds = %next
;   call void @_ZN4user9panicking18panic_bounds_check17h0123456789abcdefE(i64 %i, i64 4, ptr @place)
;   unreachable
;
; trap:                                             ; preds = %next
;   call void @llvm.trap()
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #2
;
; attributes #0 = { alwaysinline noreturn }
; attributes #1 = { noreturn }
; attributes #2 = { cold noreturn nounwind memory(inaccessiblemem: write) }
