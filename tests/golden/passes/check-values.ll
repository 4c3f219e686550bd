; A branch and an address that depend on memory are checked; the shadow follows the bits. A value that is stored is
; checked only if a choice has made it.
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

; Values of locals and atomic accesses, of more than 8 bytes, and vectors are not followed, so nothing is checked.
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

; A pointer that is compared, a float, and a choice between values in memory.
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

; A choice between values in memory is reported where its result is stored; a choice that a known bit drops is not. The
; smaller of two numbers is a choice by their order, and decides a branch. A local's value is not stored for others, and
; the counter of a loop has no unwritten bit.
define void @choices(ptr %p, i1 %c, i32 %n) {
  %value = load i32, ptr %p
  %above = icmp ugt i32 %value, 3
  %one = select i1 %above, i32 5, i32 7
  store i32 %one, ptr %p
  %other = select i1 %c, i32 %one, i32 9
  %old = atomicrmw add ptr %p, i32 %other monotonic
  %least = call i32 @llvm.umin.i32(i32 %value, i32 %n)
  store i32 %least, ptr %p
  %copy = select i1 %c, i32 %value, i32 0
  store i32 %copy, ptr %p
  %local = alloca i32
  store i32 %one, ptr %local
  %is = icmp eq i32 %least, 4
  br i1 %is, label %then, label %end
then:
  %looped = phi i32 [ 0, %0 ], [ %next, %then ]
  %next = add i32 %looped, 1
  store i32 %next, ptr %p
  %again = icmp ult i32 %next, %n
  br i1 %again, label %then, label %end
end:
  ret void
}

; Bits that are moved keep their shadows; other intrinsics spoil their result, and an overflow depends on all bits.
define i32 @intrinsics(ptr %p, i32 %n) {
  %value = load i32, ptr %p
  %swapped = call i32 @llvm.bswap.i32(i32 %value)
  %is = icmp eq i32 %swapped, 7
  br i1 %is, label %turned, label %end
turned:
  %turn = call i32 @llvm.fshl.i32(i32 %value, i32 %n, i32 8)
  %is.turn = icmp eq i32 %turn, 7
  br i1 %is.turn, label %counted, label %end
counted:
  %count = call i32 @llvm.ctpop.i32(i32 %value)
  %is.count = icmp eq i32 %count, 7
  br i1 %is.count, label %added, label %end
added:
  %sum = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %value, i32 1)
  %overflows = extractvalue { i32, i1 } %sum, 1
  br i1 %overflows, label %written, label %end
written:
  %known = call i32 @llvm.umax.i32(i32 %n, i32 3)
  %is.known = icmp eq i32 %known, 7
  br i1 %is.known, label %end, label %turned
end:
  ret i32 1
}

declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.ctpop.i32(i32)
declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
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
; @offload.check.text.8 = private constant [8 x i8] c"choices\00"
; @offload.check.place.9 = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.8, i32 0, i32 0, ptr null }
; @offload.check.text.10 = private constant [11 x i8] c"intrinsics\00"
; @offload.check.place.11 = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.10, i32 0, i32 0, ptr null }
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
; define void @choices(ptr %p, i1 %c, i32 %n) {
;   %1 = call i64 @offloadrt_check_unwritten(ptr %p, i64 4)
;   %2 = trunc i64 %1 to i32
;   %value = load i32, ptr %p, align 4
;   %3 = xor i32 %2, -1
;   %4 = and i32 %value, %3
;   %5 = or i32 %value, %2
;   %6 = icmp ugt i32 %4, 3
;   %7 = icmp ugt i32 %5, 3
;   %8 = xor i1 %6, %7
;   %above = icmp ugt i32 %value, 3
;   %9 = icmp ne i1 %8, false
;   %10 = sext i1 %9 to i32
;   %11 = and i32 %10, 2
;   %one = select i1 %above, i32 5, i32 7
;   %12 = icmp ne i32 %11, 0
;   %13 = zext i1 %12 to i32
;   call void @offloadrt_check_decision(i32 %13, i32 0, ptr @offload.check.place.9)
;   store i32 %one, ptr %p, align 4
;   %14 = select i1 %c, i32 %11, i32 0
;   %other = select i1 %c, i32 %one, i32 9
;   %15 = icmp ne i32 %14, 0
;   %16 = zext i1 %15 to i32
;   call void @offloadrt_check_decision(i32 %16, i32 0, ptr @offload.check.place.9)
;   %old = atomicrmw add ptr %p, i32 %other monotonic, align 4
;   %17 = xor i32 %2, -1
;   %18 = and i32 %value, %17
;   %19 = or i32 %value, %2
;   %20 = icmp ult i32 %18, %n
;   %21 = icmp ult i32 %19, %n
;   %22 = xor i1 %20, %21
;   %23 = icmp ult i32 %value, %n
;   %24 = icmp ne i1 %22, false
;   %25 = sext i1 %24 to i32
;   %26 = xor i32 %value, %n
;   %27 = or i32 %26, %2
;   %28 = and i32 %25, %27
;   %29 = xor i32 %2, -1
;   %30 = and i32 %value, %29
;   %31 = or i32 %value, %2
;   %32 = icmp ult i32 %30, %n
;   %33 = icmp ult i32 %31, %n
;   %34 = xor i1 %32, %33
;   %35 = icmp ult i32 %value, %n
;   %36 = select i1 %35, i32 %2, i32 0
;   %37 = icmp ne i1 %34, false
;   %38 = sext i1 %37 to i32
;   %39 = xor i32 %value, %n
;   %40 = or i32 %39, %2
;   %41 = and i32 %38, %40
;   %42 = or i32 %36, %41
;   %least = call i32 @llvm.umin.i32(i32 %value, i32 %n)
;   %43 = icmp ne i32 %28, 0
;   %44 = zext i1 %43 to i32
;   call void @offloadrt_check_decision(i32 %44, i32 0, ptr @offload.check.place.9)
;   store i32 %least, ptr %p, align 4
;   %copy = select i1 %c, i32 %value, i32 0
;   store i32 %copy, ptr %p, align 4
;   %local = alloca i32, align 4
;   store i32 %one, ptr %local, align 4
;   %45 = icmp ne i32 %42, 0
;   %46 = xor i32 %least, 4
;   %47 = xor i32 %42, -1
;   %48 = and i32 %46, %47
;   %49 = icmp eq i32 %48, 0
;   %50 = and i1 %45, %49
;   %is = icmp eq i32 %least, 4
;   %51 = icmp ne i1 %50, false
;   %52 = zext i1 %51 to i32
;   call void @offloadrt_check_decision(i32 %52, i32 0, ptr @offload.check.place.9)
;   br i1 %is, label %then, label %end
;
; then:                                             ; preds = %then, %0
;   %53 = phi i32 [ 0, %0 ], [ %53, %then ]
;   %54 = phi i32 [ 0, %0 ], [ %54, %then ]
;   %looped = phi i32 [ 0, %0 ], [ %next, %then ]
;   %next = add i32 %looped, 1
;   store i32 %next, ptr %p, align 4
;   %55 = xor i32 %54, -1
;   %56 = and i32 %next, %55
;   %57 = or i32 %next, %54
;   %58 = icmp ult i32 %56, %n
;   %59 = icmp ult i32 %57, %n
;   %60 = xor i1 %58, %59
;   %again = icmp ult i32 %next, %n
;   %61 = icmp ne i1 %60, false
;   %62 = zext i1 %61 to i32
;   call void @offloadrt_check_decision(i32 %62, i32 0, ptr @offload.check.place.9)
;   br i1 %again, label %then, label %end
;
; end:                                              ; preds = %then, %0
;   ret void
; }
;
; define i32 @intrinsics(ptr %p, i32 %n) {
;   %1 = call i64 @offloadrt_check_unwritten(ptr %p, i64 4)
;   %2 = trunc i64 %1 to i32
;   %value = load i32, ptr %p, align 4
;   %3 = call i32 @llvm.bswap.i32(i32 %2)
;   %swapped = call i32 @llvm.bswap.i32(i32 %value)
;   %4 = icmp ne i32 %3, 0
;   %5 = xor i32 %swapped, 7
;   %6 = xor i32 %3, -1
;   %7 = and i32 %5, %6
;   %8 = icmp eq i32 %7, 0
;   %9 = and i1 %4, %8
;   %is = icmp eq i32 %swapped, 7
;   %10 = icmp ne i1 %9, false
;   %11 = zext i1 %10 to i32
;   call void @offloadrt_check_decision(i32 %11, i32 0, ptr @offload.check.place.11)
;   br i1 %is, label %turned, label %end
;
; turned:                                           ; preds = %written, %0
;   %12 = call i32 @llvm.fshl.i32(i32 %2, i32 0, i32 8)
;   %turn = call i32 @llvm.fshl.i32(i32 %value, i32 %n, i32 8)
;   %13 = icmp ne i32 %12, 0
;   %14 = xor i32 %turn, 7
;   %15 = xor i32 %12, -1
;   %16 = and i32 %14, %15
;   %17 = icmp eq i32 %16, 0
;   %18 = and i1 %13, %17
;   %is.turn = icmp eq i32 %turn, 7
;   %19 = icmp ne i1 %18, false
;   %20 = zext i1 %19 to i32
;   call void @offloadrt_check_decision(i32 %20, i32 0, ptr @offload.check.place.11)
;   br i1 %is.turn, label %counted, label %end
;
; counted:                                          ; preds = %turned
;   %21 = icmp ne i32 %2, 0
;   %22 = sext i1 %21 to i32
;   %count = call i32 @llvm.ctpop.i32(i32 %value)
;   %23 = icmp ne i32 %22, 0
;   %24 = xor i32 %count, 7
;   %25 = xor i32 %22, -1
;   %26 = and i32 %24, %25
;   %27 = icmp eq i32 %26, 0
;   %28 = and i1 %23, %27
;   %is.count = icmp eq i32 %count, 7
;   %29 = icmp ne i1 %28, false
;   %30 = zext i1 %29 to i32
;   call void @offloadrt_check_decision(i32 %30, i32 0, ptr @offload.check.place.11)
;   br i1 %is.count, label %added, label %end
;
; added:                                            ; preds = %counted
;   %31 = insertvalue { i32, i1 } zeroinitializer, i32 %2, 0
;   %32 = icmp ne i32 %2, 0
;   %33 = insertvalue { i32, i1 } %31, i1 %32, 1
;   %sum = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %value, i32 1)
;   %34 = extractvalue { i32, i1 } %33, 1
;   %overflows = extractvalue { i32, i1 } %sum, 1
;   %35 = icmp ne i1 %34, false
;   %36 = zext i1 %35 to i32
;   call void @offloadrt_check_decision(i32 %36, i32 0, ptr @offload.check.place.11)
;   br i1 %overflows, label %written, label %end
;
; written:                                          ; preds = %added
;   %known = call i32 @llvm.umax.i32(i32 %n, i32 3)
;   %is.known = icmp eq i32 %known, 7
;   br i1 %is.known, label %end, label %turned
;
; end:                                              ; preds = %written, %added, %counted, %turned, %0
;   ret i32 1
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.umin.i32(i32, i32) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.umax.i32(i32, i32) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.bswap.i32(i32) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.fshl.i32(i32, i32, i32) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.ctpop.i32(i32) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32) #0
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_decision(i32, i32, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare i64 @offloadrt_check_unwritten(ptr, i64) #1
;
