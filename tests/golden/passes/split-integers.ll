; An addition of 128 bits is two of 64 with a carry.
; RUN: offloadc %s --run-pass=split_integers --offload-arch=spirv64 | grep -v "^target"

define i64 @f(i64 %a, i64 %b) {
  %wide.a = zext i64 %a to i128
  %wide.b = zext i64 %b to i128
  %sum = add i128 %wide.a, %wide.b
  %high = lshr i128 %sum, 64
  %r = trunc i128 %high to i64
  ret i64 %r
}

; A number in the phi of a loop, constants without a value, and an access that is volatile. Numbers of a width that the
; device has stay.
define i64 @loop(i64 %n, ptr addrspace(1) %p, i1 %c) {
entry:
  br label %turn
turn:
  %sum = phi i128 [ 0, %entry ], [ %next, %turn ]
  %any = phi i128 [ poison, %entry ], [ %sum, %turn ]
  %i = phi i64 [ 0, %entry ], [ %i.next, %turn ]
  %read = load volatile i128, ptr addrspace(1) %p, align 16
  %next = sub i128 %sum, %read
  store i128 %any, ptr addrspace(1) %p, align 8
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %turn, label %end
end:
  %signed = sext i64 %n to i128
  %chosen = select i1 %c, i128 %next, i128 %signed
  %left = shl i128 %chosen, 64
  %right = ashr i128 %chosen, 64
  %both = or i128 %left, %right
  %r = trunc i128 %both to i64
  ret i64 %r
}
;;; stdout
;
; define i64 @f(i64 %a, i64 %b) {
;   %1 = add i64 %a, %b
;   %2 = icmp ult i64 %1, %a
;   %3 = zext i1 %2 to i64
;   %4 = add i64 0, %3
;   %5 = shl i64 %4, 1
;   %6 = shl i64 %5, 63
;   %7 = lshr i64 %4, 0
;   %8 = lshr i64 %1, 0
;   %9 = or i64 %8, %6
;   %10 = select i1 false, i64 %9, i64 %7
;   %11 = select i1 false, i64 %7, i64 0
;   ret i64 %10
; }
;
; define i64 @loop(i64 %n, ptr addrspace(1) %p, i1 %c) {
; entry:
;   br label %turn
;
; turn:                                             ; preds = %turn, %entry
;   %0 = phi i64 [ 0, %entry ], [ %12, %turn ]
;   %1 = phi i64 [ 0, %entry ], [ %16, %turn ]
;   %2 = phi i64 [ 0, %entry ], [ %0, %turn ]
;   %3 = phi i64 [ 0, %entry ], [ %1, %turn ]
;   %i = phi i64 [ 0, %entry ], [ %i.next, %turn ]
;   %4 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 0
;   %5 = load volatile i64, ptr addrspace(1) %4, align 16
;   %6 = shl i64 %5, 0
;   %7 = or i64 0, %6
;   %8 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 8
;   %9 = load volatile i64, ptr addrspace(1) %8, align 8
;   %10 = shl i64 %9, 0
;   %11 = or i64 0, %10
;   %12 = sub i64 %0, %7
;   %13 = icmp ult i64 %0, %7
;   %14 = zext i1 %13 to i64
;   %15 = sub i64 %1, %11
;   %16 = sub i64 %15, %14
;   %17 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 0
;   %18 = lshr i64 %2, 0
;   store i64 %18, ptr addrspace(1) %17, align 8
;   %19 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 8
;   %20 = lshr i64 %3, 0
;   store i64 %20, ptr addrspace(1) %19, align 8
;   %i.next = add i64 %i, 1
;   %more = icmp ult i64 %i.next, %n
;   br i1 %more, label %turn, label %end
;
; end:                                              ; preds = %turn
;   %21 = ashr i64 %n, 63
;   %22 = select i1 %c, i64 %12, i64 %n
;   %23 = select i1 %c, i64 %16, i64 %21
;   %24 = lshr i64 %22, 1
;   %25 = lshr i64 %24, 63
;   %26 = shl i64 %22, 0
;   %27 = shl i64 %23, 0
;   %28 = or i64 %27, %25
;   %29 = select i1 false, i64 %26, i64 0
;   %30 = select i1 false, i64 %28, i64 %26
;   %31 = shl i64 %23, 1
;   %32 = shl i64 %31, 63
;   %33 = ashr i64 %23, 0
;   %34 = lshr i64 %22, 0
;   %35 = or i64 %34, %32
;   %36 = ashr i64 %23, 63
;   %37 = select i1 false, i64 %35, i64 %33
;   %38 = select i1 false, i64 %33, i64 %36
;   %39 = or i64 %29, %37
;   %40 = or i64 %30, %38
;   ret i64 %39
; }
