; An index that is a disjoint `or` becomes a sum. An `or` with overlapping operands stays, like one that is no index.
; RUN: offloadc %s --run-pass=add_disjoint --offload-arch=sm_80 | grep -v "^target"

define void @k(i64 %first, i64 %thread, ptr %x) {
  %i = or disjoint i64 %first, %thread
  %to = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %to
  %overlaps = or i64 %first, %thread
  %other = getelementptr float, ptr %x, i64 %overlaps
  store float 2.0, ptr %other
  %packed = or disjoint i64 %first, %thread
  store i64 %packed, ptr %x
  ret void
}
;;; stdout
;
; define void @k(i64 %first, i64 %thread, ptr %x) {
;   %1 = add nuw i64 %first, %thread
;   %to = getelementptr float, ptr %x, i64 %1
;   store float 1.000000e+00, ptr %to, align 4
;   %overlaps = or i64 %first, %thread
;   %other = getelementptr float, ptr %x, i64 %overlaps
;   store float 2.000000e+00, ptr %other, align 4
;   %packed = or disjoint i64 %first, %thread
;   store i64 %packed, ptr %x, align 4
;   ret void
; }
