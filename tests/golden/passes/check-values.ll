; A branch and an address that depend on memory are checked; the shadow follows the bits. What is only stored is not.
; RUN: offloadc %s --run-pass=check_values --sanitize --offload-arch=cpu --kernel=k | grep -v "^target\|^attributes"

define void @k(ptr %p, i1 %c) {
entry:
  %pair = load i64, ptr %p
  %copied = load i64, ptr %p
  store i64 %copied, ptr %p
  %upper = lshr i64 %pair, 32
  %first = trunc i64 %upper to i32
  br i1 %c, label %then, label %join

then:
  br label %join

join:
  %maybe = phi i64 [ undef, %entry ], [ 5, %then ]
  %address = getelementptr i32, ptr %p, i64 %maybe
  store i32 1, ptr %address
  %is = icmp eq i32 %first, 7
  br i1 %is, label %then2, label %end

then2:
  br label %end

end:
  ret void
}
;;; stdout
;
; @offload.check.text = private constant [1 x i8] zeroinitializer
; @offload.check.text.1 = private constant [2 x i8] c"k\00"
; @offload.check.place = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.1, i32 0, i32 0, ptr null }
;
; define void @k(ptr %p, i1 %c) {
; entry:
;   %0 = call i64 @offloadrt_check_unwritten(ptr %p, i64 8)
;   %pair = load i64, ptr %p, align 4
;   %copied = load i64, ptr %p, align 4
;   store i64 %copied, ptr %p, align 4
;   %1 = lshr i64 %0, 32
;   %upper = lshr i64 %pair, 32
;   %2 = trunc i64 %1 to i32
;   %first = trunc i64 %upper to i32
;   br i1 %c, label %then, label %join
;
; then:                                             ; preds = %entry
;   br label %join
;
; join:                                             ; preds = %then, %entry
;   %3 = phi i64 [ -1, %entry ], [ 0, %then ]
;   %maybe = phi i64 [ undef, %entry ], [ 5, %then ]
;   %4 = icmp ne i64 %3, 0
;   %5 = sext i1 %4 to i64
;   %address = getelementptr i32, ptr %p, i64 %maybe
;   %6 = icmp ne i64 %5, 0
;   %7 = zext i1 %6 to i32
;   call void @offloadrt_check_decision(i32 %7, i32 1, ptr @offload.check.place)
;   store i32 1, ptr %address, align 4
;   %8 = icmp ne i32 %2, 0
;   %9 = xor i32 %first, 7
;   %10 = xor i32 %2, -1
;   %11 = and i32 %9, %10
;   %12 = icmp eq i32 %11, 0
;   %13 = and i1 %8, %12
;   %is = icmp eq i32 %first, 7
;   %14 = icmp ne i1 %13, false
;   %15 = zext i1 %14 to i32
;   call void @offloadrt_check_decision(i32 %15, i32 0, ptr @offload.check.place)
;   br i1 %is, label %then2, label %end
;
; then2:                                            ; preds = %join
;   br label %end
;
; end:                                              ; preds = %then2, %join
;   ret void
; }
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_decision(i32, i32, ptr) #0
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare i64 @offloadrt_check_unwritten(ptr, i64) #0
;
