; A division of numbers of 23 and 24 bits, with and without a sign, is not a float division with a single correction,
; which rounds the quotient (`v_trunc_f32`, `s_trunc_f32`): the reciprocal may be off by one unit in the last place.
; With the correction, unsigned numbers of 22 bits and signed ones of 23 are exact.
; RUN[exact]: offloadc %s --kernel=exact --offload-arch=gfx90a,gfx942,gfx1100,gfx1201 --emit=codegen; \
;   for file in *.s; do echo ${file#*codegen.} $(grep -c _trunc_f32 $file || true); done
; RUN@22[without]: offloadc %s --kernel=exact --offload-arch=gfx90a,gfx942,gfx1100,gfx1201 --emit=codegen \
;   --without-workaround=divide_exactly; for file in *.s; do echo ${file#*codegen.} $(grep -c _trunc_f32 $file || true); done
; RUN@22[floats]: offloadc %s --kernel=floats --offload-arch=gfx90a,gfx942,gfx1100,gfx1201 --emit=codegen; \
;   for file in *.s; do echo ${file#*codegen.} $(grep -c _trunc_f32 $file); done
; RUN@23[floats-of-23]: offloadc %s --kernel=floats --offload-arch=gfx90a,gfx942,gfx1100,gfx1201 --emit=codegen; \
;   for file in *.s; do echo ${file#*codegen.} $(grep -c _trunc_f32 $file); done

define void @exact(ptr %in, ptr %out) {
  %a = load volatile i32, ptr %in
  %b = load volatile i32, ptr %in
  %a24 = and i32 %a, 16777215
  %b24 = and i32 %b, 16777215
  %u24 = udiv i32 %a24, %b24
  store volatile i32 %u24, ptr %out
  %a23 = and i32 %a, 8388607
  %b23 = and i32 %b, 8388607
  %r23 = urem i32 %a23, %b23
  store volatile i32 %r23, ptr %out
  %as = shl i32 %a, 8
  %a.signed = ashr i32 %as, 8
  %bs = shl i32 %b, 8
  %b.signed = ashr i32 %bs, 8
  %s24 = sdiv i32 %a.signed, %b.signed
  store volatile i32 %s24, ptr %out
  %w = zext i32 %a24 to i64
  %x = zext i32 %b24 to i64
  %w24 = udiv i64 %w, %x
  store volatile i64 %w24, ptr %out
  %w1000 = udiv i64 %w, 1001
  store volatile i64 %w1000, ptr %out
  ret void
}

define void @floats(ptr %in, ptr %out) {
  %a = load volatile i32, ptr %in
  %b = load volatile i32, ptr %in
  %a22 = and i32 %a, 4194303
  %b22 = and i32 %b, 4194303
  %u22 = udiv i32 %a22, %b22
  store volatile i32 %u22, ptr %out
  %as = shl i32 %a, 9
  %a.signed = ashr i32 %as, 9
  %bs = shl i32 %b, 9
  %b.signed = ashr i32 %bs, 9
  %s23 = srem i32 %a.signed, %b.signed
  store volatile i32 %s23, ptr %out
  ret void
}
;;; stdout[exact]
; gfx1100.s 0
; gfx1201.s 0
; gfx90a.s 0
; gfx942.s 0
;;; stdout[without]
; gfx1100.s 3
; gfx1201.s 3
; gfx90a.s 3
; gfx942.s 3
;;; stdout[floats]
; gfx1100.s 2
; gfx1201.s 2
; gfx90a.s 2
; gfx942.s 2
;;; stdout[floats-of-23]
; gfx1100.s 1
; gfx1201.s 1
; gfx90a.s 1
; gfx942.s 1
