; A shift or a product that may move the first bit into the sign promises nothing about the sign. Other shifts, and other operations, keep
; their flags.
; RUN: offloadc %s --run-pass=drop_shift_flags --offload-arch=sm_80 --kernel=k | grep -v "^target"

define void @k(i32 %a, i32 %n, <2 x i32> %v, ptr %out) {
  %sign = shl nsw i32 %a, 31
  store volatile i32 %sign, ptr %out
  %both = shl nuw nsw i32 %a, 31
  store volatile i32 %both, ptr %out
  %unknown = shl nsw i32 %a, %n
  store volatile i32 %unknown, ptr %out
  %lanes = shl nsw <2 x i32> %v, <i32 3, i32 31>
  store volatile <2 x i32> %lanes, ptr %out
  %unknown.lanes = shl nsw <2 x i32> %v, %v
  store volatile <2 x i32> %unknown.lanes, ptr %out
  %product = mul nsw <2 x i32> %v, <i32 -2147483648, i32 3>
  store volatile <2 x i32> %product, ptr %out
  %other.product = mul nsw i32 %a, 1073741824
  store volatile i32 %other.product, ptr %out
  %wide = zext i32 %a to i128
  %wide.product = mul nsw i128 %wide, 3
  store volatile i128 %wide.product, ptr %out
  %unknown.product = mul nsw i32 %a, %n
  store volatile i32 %unknown.product, ptr %out
  %below = shl nsw i32 %a, 30
  store volatile i32 %below, ptr %out
  %lanes.below = shl nsw <2 x i32> %v, <i32 3, i32 30>
  store volatile <2 x i32> %lanes.below, ptr %out
  %unsigned = shl nuw i32 %a, 31
  store volatile i32 %unsigned, ptr %out
  %sum = add nsw i32 %a, 31
  store volatile i32 %sum, ptr %out
  ret void
}
;;; stdout
;
; define void @k(i32 %a, i32 %n, <2 x i32> %v, ptr %out) {
;   %sign = shl i32 %a, 31
;   store volatile i32 %sign, ptr %out, align 4
;   %both = shl nuw i32 %a, 31
;   store volatile i32 %both, ptr %out, align 4
;   %unknown = shl i32 %a, %n
;   store volatile i32 %unknown, ptr %out, align 4
;   %lanes = shl <2 x i32> %v, <i32 3, i32 31>
;   store volatile <2 x i32> %lanes, ptr %out, align 8
;   %unknown.lanes = shl <2 x i32> %v, %v
;   store volatile <2 x i32> %unknown.lanes, ptr %out, align 8
;   %product = mul <2 x i32> %v, <i32 -2147483648, i32 3>
;   store volatile <2 x i32> %product, ptr %out, align 8
;   %other.product = mul nsw i32 %a, 1073741824
;   store volatile i32 %other.product, ptr %out, align 4
;   %wide = zext i32 %a to i128
;   %wide.product = mul nsw i128 %wide, 3
;   store volatile i128 %wide.product, ptr %out, align 4
;   %unknown.product = mul nsw i32 %a, %n
;   store volatile i32 %unknown.product, ptr %out, align 4
;   %below = shl nsw i32 %a, 30
;   store volatile i32 %below, ptr %out, align 4
;   %lanes.below = shl nsw <2 x i32> %v, <i32 3, i32 30>
;   store volatile <2 x i32> %lanes.below, ptr %out, align 8
;   %unsigned = shl nuw i32 %a, 31
;   store volatile i32 %unsigned, ptr %out, align 4
;   %sum = add nsw i32 %a, 31
;   store volatile i32 %sum, ptr %out, align 4
;   ret void
; }
