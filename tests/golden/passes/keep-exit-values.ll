; Lanes leave the loop in different iterations, and each keeps its own values: LLVM 22 may read those of the last lane.
; Lanes that leave a loop together need no copy, unless they leave an outer loop apart and use the value after it.
; RUN: offloadc %s --run-pass=keep_exit_values --offload-arch=gfx90a | grep -v "^target"

define i64 @f(i32 %mine) {
entry:
  br label %loop

loop:
  %count = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %count, 1
  %wide = zext i32 %next to i64
  %small = trunc i32 %next to i8
  %four = insertelement <4 x i32> poison, i32 %next, i64 0
  %again = icmp ne i32 %next, %mine
  br i1 %again, label %loop, label %done

done:
  %last = phi i32 [ %count, %loop ]
  %one = zext i32 %last to i64
  %two = zext i8 %small to i64
  %part = extractelement <4 x i32> %four, i64 0
  %three = zext i32 %part to i64
  %sum = add i64 %one, %two
  %all = add i64 %sum, %three
  %result = add i64 %all, %wide
  ret i64 %result
}

define i32 @g(i32 %mine) {
entry:
  br label %outer

outer:
  %round = phi i32 [ 0, %entry ], [ %next, %later ]
  br label %inner

inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
  %k.next = add i32 %k, 3
  %own = mul i32 %k.next, %round
  %more = icmp ult i32 %k.next, 30
  br i1 %more, label %inner, label %later

later:
  %sum = add i32 %k.next, %round
  %next = add i32 %sum, 1
  %again = icmp ult i32 %next, %mine
  br i1 %again, label %outer, label %done

done:
  ret i32 %own
}

; A pointer, and a number of more than 384 bits, which stays.
define i64 @wide(i32 %mine, ptr %p) {
entry:
  br label %loop
loop:
  %count = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %count, 1
  %at = getelementptr i8, ptr %p, i32 %next
  %large = zext i32 %next to i416
  %again = icmp ne i32 %next, %mine
  br i1 %again, label %loop, label %done
done:
  %first = load i64, ptr %at
  %low = trunc i416 %large to i64
  %sum = add i64 %first, %low
  ret i64 %sum
}
;;; stdout
;
; define i64 @f(i32 %mine) {
; entry:
;   br label %loop
;
; loop:                                             ; preds = %loop, %entry
;   %count = phi i32 [ 0, %entry ], [ %next, %loop ]
;   %0 = call i32 asm sideeffect "", "=v,0"(i32 %count)
;   %next = add i32 %count, 1
;   %wide = zext i32 %next to i64
;   %1 = call i64 asm sideeffect "", "=v,0"(i64 %wide)
;   %small = trunc i32 %next to i8
;   %2 = zext i8 %small to i32
;   %3 = call i32 asm sideeffect "", "=v,0"(i32 %2)
;   %4 = trunc i32 %3 to i8
;   %four = insertelement <4 x i32> poison, i32 %next, i64 0
;   %5 = freeze <4 x i32> %four
;   %6 = bitcast <4 x i32> %5 to i128
;   %7 = bitcast i128 %6 to <4 x i32>
;   %8 = call <4 x i32> asm sideeffect "", "=v,0"(<4 x i32> %7)
;   %9 = bitcast <4 x i32> %8 to i128
;   %10 = bitcast i128 %9 to <4 x i32>
;   %again = icmp ne i32 %next, %mine
;   br i1 %again, label %loop, label %done
;
; done:                                             ; preds = %loop
;   %last = phi i32 [ %0, %loop ]
;   %one = zext i32 %last to i64
;   %two = zext i8 %4 to i64
;   %part = extractelement <4 x i32> %10, i64 0
;   %three = zext i32 %part to i64
;   %sum = add i64 %one, %two
;   %all = add i64 %sum, %three
;   %result = add i64 %all, %1
;   ret i64 %result
; }
;
; define i32 @g(i32 %mine) {
; entry:
;   br label %outer
;
; outer:                                            ; preds = %later, %entry
;   %round = phi i32 [ 0, %entry ], [ %next, %later ]
;   br label %inner
;
; inner:                                            ; preds = %inner, %outer
;   %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
;   %k.next = add i32 %k, 3
;   %own = mul i32 %k.next, %round
;   %0 = call i32 asm sideeffect "", "=v,0"(i32 %own)
;   %more = icmp ult i32 %k.next, 30
;   br i1 %more, label %inner, label %later
;
; later:                                            ; preds = %inner
;   %sum = add i32 %k.next, %round
;   %next = add i32 %sum, 1
;   %again = icmp ult i32 %next, %mine
;   br i1 %again, label %outer, label %done
;
; done:                                             ; preds = %later
;   ret i32 %0
; }
;
; define i64 @wide(i32 %mine, ptr %p) {
; entry:
;   br label %loop
;
; loop:                                             ; preds = %loop, %entry
;   %count = phi i32 [ 0, %entry ], [ %next, %loop ]
;   %next = add i32 %count, 1
;   %at = getelementptr i8, ptr %p, i32 %next
;   %0 = call ptr asm sideeffect "", "=v,0"(ptr %at)
;   %large = zext i32 %next to i416
;   %again = icmp ne i32 %next, %mine
;   br i1 %again, label %loop, label %done
;
; done:                                             ; preds = %loop
;   %first = load i64, ptr %0, align 4
;   %low = trunc i416 %large to i64
;   %sum = add i64 %first, %low
;   ret i64 %sum
; }
