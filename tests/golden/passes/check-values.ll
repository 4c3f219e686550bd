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

; A pointer keeps the bits of a pair of numbers, of which one is not written.
define i32 @pair_in_a_pointer(ptr %p) {
  %pair = load i64, ptr %p
  %pointer = inttoptr i64 %pair to ptr
  %number = ptrtoint ptr %pointer to i64
  %first = trunc i64 %number to i32
  %is = icmp eq i32 %first, 7
  br i1 %is, label %then, label %end

then:
  br label %end

end:
  ret i32 1
}

; Written bits may decide which number is larger. A choice between equal values does not depend on its condition.
define i32 @order(ptr %p, i32 %limit) {
  %number = load i32, ptr %p
  %below = icmp ult i32 %number, %limit
  br i1 %below, label %then, label %end

then:
  %negative = icmp slt i32 %number, 0
  br i1 %negative, label %chosen, label %end

chosen:
  %choice = select i1 %below, i32 %limit, i32 5
  %is = icmp eq i32 %choice, 7
  br i1 %is, label %then, label %end

end:
  ret i32 1
}

; What a local holds, what an atomic access reads, more than 8 bytes and vectors are not followed, so nothing is checked.
define i32 @not_followed(ptr %p, i32 %n) {
  %local = alloca i32
  store i32 %n, ptr %local
  %own = load i32, ptr %local
  %is.own = icmp eq i32 %own, 7
  br i1 %is.own, label %next, label %end
next:
  %atomic = load atomic i32, ptr %p monotonic, align 4
  %is.atomic = icmp eq i32 %atomic, 7
  br i1 %is.atomic, label %wider, label %end
wider:
  %wide = load i128, ptr %p
  %is.wide = icmp eq i128 %wide, 7
  br i1 %is.wide, label %vector, label %end
vector:
  %lanes = load <2 x i32>, ptr %p
  %lane = extractelement <2 x i32> %lanes, i32 0
  %is.lane = icmp eq i32 %lane, 7
  br i1 %is.lane, label %given, label %end
given:
  %is.given = icmp eq i32 %n, 7
  br i1 %is.given, label %end, label %next
end:
  ret i32 1
}

; A pointer that is compared, a float, and a choice of what memory holds.
define i32 @followed(ptr %p, i1 %c) {
  %pointer = load ptr, ptr %p
  %is.null = icmp eq ptr %pointer, null
  br i1 %is.null, label %float, label %end
float:
  %x = load float, ptr %p
  %sum = fadd float %x, 1.0
  %less = fcmp olt float %sum, 3.0
  br i1 %less, label %choice, label %end
choice:
  %a = load i32, ptr %p
  %chosen = select i1 %c, i32 %a, i32 5
  %is = icmp ugt i32 %chosen, 7
  br i1 %is, label %float, label %end
end:
  ret i32 1
}
;;; stdout
;
; @offload.check.text = private constant [1 x i8] zeroinitializer
; @offload.check.text.1 = private constant [2 x i8] c"k\00"
; @offload.check.place = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.1, i32 0, i32 0, ptr null }
; @offload.check.text.2 = private constant [18 x i8] c"pair_in_a_pointer\00"
; @offload.check.place.3 = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.2, i32 0, i32 0, ptr null }
; @offload.check.text.4 = private constant [6 x i8] c"order\00"
; @offload.check.place.5 = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.4, i32 0, i32 0, ptr null }
; @offload.check.text.6 = private constant [9 x i8] c"followed\00"
; @offload.check.place.7 = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.6, i32 0, i32 0, ptr null }
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
; define i32 @pair_in_a_pointer(ptr %p) {
;   %1 = call i64 @offloadrt_check_unwritten(ptr %p, i64 8)
;   %pair = load i64, ptr %p, align 4
;   %pointer = inttoptr i64 %pair to ptr
;   %number = ptrtoint ptr %pointer to i64
;   %2 = trunc i64 %1 to i32
;   %first = trunc i64 %number to i32
;   %3 = icmp ne i32 %2, 0
;   %4 = xor i32 %first, 7
;   %5 = xor i32 %2, -1
;   %6 = and i32 %4, %5
;   %7 = icmp eq i32 %6, 0
;   %8 = and i1 %3, %7
;   %is = icmp eq i32 %first, 7
;   %9 = icmp ne i1 %8, false
;   %10 = zext i1 %9 to i32
;   call void @offloadrt_check_decision(i32 %10, i32 0, ptr @offload.check.place.3)
;   br i1 %is, label %then, label %end
;
; then:                                             ; preds = %0
;   br label %end
;
; end:                                              ; preds = %then, %0
;   ret i32 1
; }
;
; define i32 @order(ptr %p, i32 %limit) {
;   %1 = call i64 @offloadrt_check_unwritten(ptr %p, i64 4)
;   %2 = trunc i64 %1 to i32
;   %number = load i32, ptr %p, align 4
;   %3 = xor i32 %2, -1
;   %4 = and i32 %number, %3
;   %5 = or i32 %number, %2
;   %6 = icmp ult i32 %4, %limit
;   %7 = icmp ult i32 %5, %limit
;   %8 = xor i1 %6, %7
;   %below = icmp ult i32 %number, %limit
;   %9 = icmp ne i1 %8, false
;   %10 = zext i1 %9 to i32
;   call void @offloadrt_check_decision(i32 %10, i32 0, ptr @offload.check.place.5)
;   br i1 %below, label %then, label %end
;
; then:                                             ; preds = %chosen, %0
;   %11 = xor i32 %number, -2147483648
;   %12 = xor i32 %2, -1
;   %13 = and i32 %11, %12
;   %14 = or i32 %11, %2
;   %15 = icmp ult i32 %13, -2147483648
;   %16 = icmp ult i32 %14, -2147483648
;   %17 = xor i1 %15, %16
;   %negative = icmp slt i32 %number, 0
;   %18 = icmp ne i1 %17, false
;   %19 = zext i1 %18 to i32
;   call void @offloadrt_check_decision(i32 %19, i32 0, ptr @offload.check.place.5)
;   br i1 %negative, label %chosen, label %end
;
; chosen:                                           ; preds = %then
;   %20 = icmp ne i1 %8, false
;   %21 = sext i1 %20 to i32
;   %22 = xor i32 %limit, 5
;   %23 = and i32 %21, %22
;   %choice = select i1 %below, i32 %limit, i32 5
;   %24 = icmp ne i32 %23, 0
;   %25 = xor i32 %choice, 7
;   %26 = xor i32 %23, -1
;   %27 = and i32 %25, %26
;   %28 = icmp eq i32 %27, 0
;   %29 = and i1 %24, %28
;   %is = icmp eq i32 %choice, 7
;   %30 = icmp ne i1 %29, false
;   %31 = zext i1 %30 to i32
;   call void @offloadrt_check_decision(i32 %31, i32 0, ptr @offload.check.place.5)
;   br i1 %is, label %then, label %end
;
; end:                                              ; preds = %chosen, %then, %0
;   ret i32 1
; }
;
; define i32 @not_followed(ptr %p, i32 %n) {
;   %local = alloca i32, align 4
;   store i32 %n, ptr %local, align 4
;   %own = load i32, ptr %local, align 4
;   %is.own = icmp eq i32 %own, 7
;   br i1 %is.own, label %next, label %end
;
; next:                                             ; preds = %given, %0
;   %atomic = load atomic i32, ptr %p monotonic, align 4
;   %is.atomic = icmp eq i32 %atomic, 7
;   br i1 %is.atomic, label %wider, label %end
;
; wider:                                            ; preds = %next
;   %wide = load i128, ptr %p, align 4
;   %is.wide = icmp eq i128 %wide, 7
;   br i1 %is.wide, label %vector, label %end
;
; vector:                                           ; preds = %wider
;   %lanes = load <2 x i32>, ptr %p, align 8
;   %lane = extractelement <2 x i32> %lanes, i32 0
;   %is.lane = icmp eq i32 %lane, 7
;   br i1 %is.lane, label %given, label %end
;
; given:                                            ; preds = %vector
;   %is.given = icmp eq i32 %n, 7
;   br i1 %is.given, label %end, label %next
;
; end:                                              ; preds = %given, %vector, %wider, %next, %0
;   ret i32 1
; }
;
; define i32 @followed(ptr %p, i1 %c) {
;   %1 = call i64 @offloadrt_check_unwritten(ptr %p, i64 8)
;   %pointer = load ptr, ptr %p, align 8
;   %2 = icmp ne i64 %1, 0
;   %is.null = icmp eq ptr %pointer, null
;   %3 = icmp ne i1 %2, false
;   %4 = zext i1 %3 to i32
;   call void @offloadrt_check_decision(i32 %4, i32 0, ptr @offload.check.place.7)
;   br i1 %is.null, label %float, label %end
;
; float:                                            ; preds = %choice, %0
;   %5 = call i64 @offloadrt_check_unwritten(ptr %p, i64 4)
;   %6 = trunc i64 %5 to i32
;   %x = load float, ptr %p, align 4
;   %7 = icmp ne i32 %6, 0
;   %8 = sext i1 %7 to i32
;   %sum = fadd float %x, 1.000000e+00
;   %9 = icmp ne i32 %8, 0
;   %less = fcmp olt float %sum, 3.000000e+00
;   %10 = icmp ne i1 %9, false
;   %11 = zext i1 %10 to i32
;   call void @offloadrt_check_decision(i32 %11, i32 0, ptr @offload.check.place.7)
;   br i1 %less, label %choice, label %end
;
; choice:                                           ; preds = %float
;   %12 = call i64 @offloadrt_check_unwritten(ptr %p, i64 4)
;   %13 = trunc i64 %12 to i32
;   %a = load i32, ptr %p, align 4
;   %14 = select i1 %c, i32 %13, i32 0
;   %chosen = select i1 %c, i32 %a, i32 5
;   %15 = xor i32 %14, -1
;   %16 = and i32 %chosen, %15
;   %17 = or i32 %chosen, %14
;   %18 = icmp ugt i32 %16, 7
;   %19 = icmp ugt i32 %17, 7
;   %20 = xor i1 %18, %19
;   %is = icmp ugt i32 %chosen, 7
;   %21 = icmp ne i1 %20, false
;   %22 = zext i1 %21 to i32
;   call void @offloadrt_check_decision(i32 %22, i32 0, ptr @offload.check.place.7)
;   br i1 %is, label %float, label %end
;
; end:                                              ; preds = %choice, %float, %0
;   ret i32 1
; }
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_decision(i32, i32, ptr) #0
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare i64 @offloadrt_check_unwritten(ptr, i64) #0
;
