; A shift of which a selection chooses, and whose amount has more than 32 bits, is frozen. A shift to the right with the sign,
; one by a narrow amount, and one that no selection uses stay.
; RUN: offloadc %s --run-pass=freeze_guarded_shifts --offload-arch=sm_80 --kernel=k | grep -v "^target"

define void @k(i64 %x, i64 %n, i32 %y, i32 %m, <2 x i64> %v, <2 x i64> %w, ptr %out) {
  %fits = icmp ult i64 %n, 64
  %left = shl i64 %x, %n
  %one = select i1 %fits, i64 %left, i64 0
  store volatile i64 %one, ptr %out
  %beyond = icmp ugt i64 %n, 31
  %amount = trunc i64 %n to i32
  %right = lshr i32 %y, %amount
  %two = select i1 %beyond, i32 0, i32 %right
  store volatile i32 %two, ptr %out
  %fit = icmp ult <2 x i64> %w, splat (i64 64)
  %lanes = shl <2 x i64> %v, %w
  %three = select <2 x i1> %fit, <2 x i64> %lanes, <2 x i64> zeroinitializer
  store volatile <2 x i64> %three, ptr %out
  %signed = ashr i64 %x, %n
  %four = select i1 %fits, i64 %signed, i64 0
  store volatile i64 %four, ptr %out
  %narrow.fits = icmp ult i32 %m, 64
  %wide = zext i32 %m to i64
  %narrow = shl i64 %x, %wide
  %five = select i1 %narrow.fits, i64 %narrow, i64 0
  store volatile i64 %five, ptr %out
  %constant = shl i64 %x, 3
  %six = select i1 %fits, i64 %constant, i64 0
  store volatile i64 %six, ptr %out
  %short = shl i32 %y, %m
  %seven = select i1 %narrow.fits, i32 %short, i32 0
  store volatile i32 %seven, ptr %out
  %unused = shl i64 %x, %n
  store volatile i64 %unused, ptr %out
  ret void
}
;;; stdout
;
; define void @k(i64 %x, i64 %n, i32 %y, i32 %m, <2 x i64> %v, <2 x i64> %w, ptr %out) {
;   %fits = icmp ult i64 %n, 64
;   %left = shl i64 %x, %n
;   %1 = freeze i64 %left
;   %one = select i1 %fits, i64 %1, i64 0
;   store volatile i64 %one, ptr %out, align 4
;   %beyond = icmp ugt i64 %n, 31
;   %amount = trunc i64 %n to i32
;   %right = lshr i32 %y, %amount
;   %2 = freeze i32 %right
;   %two = select i1 %beyond, i32 0, i32 %2
;   store volatile i32 %two, ptr %out, align 4
;   %fit = icmp ult <2 x i64> %w, splat (i64 64)
;   %lanes = shl <2 x i64> %v, %w
;   %3 = freeze <2 x i64> %lanes
;   %three = select <2 x i1> %fit, <2 x i64> %3, <2 x i64> zeroinitializer
;   store volatile <2 x i64> %three, ptr %out, align 16
;   %signed = ashr i64 %x, %n
;   %four = select i1 %fits, i64 %signed, i64 0
;   store volatile i64 %four, ptr %out, align 4
;   %narrow.fits = icmp ult i32 %m, 64
;   %wide = zext i32 %m to i64
;   %narrow = shl i64 %x, %wide
;   %five = select i1 %narrow.fits, i64 %narrow, i64 0
;   store volatile i64 %five, ptr %out, align 4
;   %constant = shl i64 %x, 3
;   %six = select i1 %fits, i64 %constant, i64 0
;   store volatile i64 %six, ptr %out, align 4
;   %short = shl i32 %y, %m
;   %seven = select i1 %narrow.fits, i32 %short, i32 0
;   store volatile i32 %seven, ptr %out, align 4
;   %unused = shl i64 %x, %n
;   store volatile i64 %unused, ptr %out, align 4
;   ret void
; }
