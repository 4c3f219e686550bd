; A widened shift into the sign is no product, and the comparison of an amount of 64 bits stays. Without the
; work-arounds, the first one is a product of the wrong sign, and the second one is lost.
; RUN[right]: offloadc %s --kernel=k --offload-arch=sm_80 --emit=codegen=- | grep -oE '(mul|setp|selp)[.][a-z0-9.]+' | sort
; RUN@22[signs]: offloadc %s --kernel=k --offload-arch=sm_80 --without-workaround=drop_shift_flags --emit=codegen=- | \
;   grep -oE '(mul|setp|selp)[.][a-z0-9.]+' | sort
; RUN@22[guards]: offloadc %s --kernel=k --offload-arch=sm_80 --without-workaround=freeze_guarded_shifts --emit=codegen=- | \
;   grep -oE '(mul|setp|selp)[.][a-z0-9.]+' | sort || true

define void @k(i64 %x, i64 %n, i32 %y, i16 %z, ptr %out) {
  %fits = icmp ult i64 %n, 64
  %left = shl i64 %x, %n
  %one = select i1 %fits, i64 %left, i64 0
  store volatile i64 %one, ptr %out
  %beyond = icmp ugt i64 %n, 31
  %amount = trunc i64 %n to i32
  %right = shl i32 %y, %amount
  %two = select i1 %beyond, i32 0, i32 %right
  store volatile i32 %two, ptr %out
  %sign = shl nsw i32 %y, 31
  %wide = sext i32 %sign to i64
  store volatile i64 %wide, ptr %out
  %narrow.sign = shl nsw i16 %z, 15
  %more = sext i16 %narrow.sign to i32
  store volatile i32 %more, ptr %out
  ret void
}
;;; stdout[right]
; selp.b32
; selp.b64
; setp.gt.u64
; setp.lt.u64
;;; stdout[signs]
; mul.wide.s16
; mul.wide.s32
; selp.b32
; selp.b64
; setp.gt.u64
; setp.lt.u64
