; A panic function is a call with numbers: its message, the place, and the operands.
; RUN: offloadc %s --run-pass=lower_panics --kernel=k | grep -v "^target"
; RUN[trap]: offloadc %s --run-pass=lower_panics --kernel=k --device-panic=trap | grep -v "^target"

declare void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64, i64, ptr) noreturn

@name = private constant [4 x i8] c"a.rs"
@place = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @name, [16 x i8] c"\04\00\00\00\00\00\00\00\07\00\00\00\09\00\00\00" }>, align 8

define void @k(ptr %out, i64 %i) {
  call void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 %i, i64 4, ptr @place)
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
;   call void @__offload_panic(i32 1, i32 %4, i64 %0, i64 %1, i64 0)
;   unreachable
; }
;
; define void @k(ptr %out, i64 %i) {
;   call void @offload._ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 %i, i64 4, ptr @place)
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(read, inaccessiblemem: readwrite)
; declare void @__offload_panic(i32, i32, i64, i64, i64) #1
;
; attributes #0 = { alwaysinline noreturn }
; attributes #1 = { cold noreturn nounwind memory(read, inaccessiblemem: readwrite) }
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
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #1
;
; attributes #0 = { alwaysinline noreturn }
; attributes #1 = { cold noreturn nounwind memory(inaccessiblemem: write) }
