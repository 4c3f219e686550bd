; A number that is compared with several limits of 64 bits for one condition is compared with each of them. A comparison
; for a separate branch, one with a constant and one of 32 bits stay as they are.
; RUN: offloadc %s --run-pass=keep_limits_apart --offload-arch=sm_80 | grep -v "^target"

define void @k(i64 %i, i64 %n, i64 %m, i64 %k, i32 %j, i32 %p, i32 %q, ptr %out) {
  %first = icmp ult i64 %i, %n
  %second = icmp ugt i64 %m, %i
  %third = icmp uge i64 %i, %k
  %small = icmp ult i64 %i, 7
  %one = select i1 %first, i1 %second, i1 false
  %two = or i1 %one, %third
  %both = and i1 %two, %small
  %narrow = icmp ult i32 %j, %p
  %other = icmp ult i32 %j, %q
  %all = and i1 %narrow, %other
  %every = and i1 %both, %all
  store i1 %every, ptr %out
  %alone = icmp ule i64 %i, %m
  br i1 %alone, label %yes, label %no
yes:
  store i64 %i, ptr %out
  br label %no
no:
  ret void
}
;;; stdout
;
; define void @k(i64 %i, i64 %n, i64 %m, i64 %k, i32 %j, i32 %p, i32 %q, ptr %out) {
;   %first = icmp ult i64 %i, %n
;   %1 = call i1 asm "setp.gt.u64 $0, $1, $2;", "=b,l,l"(i64 %m, i64 %i) #0
;   %2 = call i1 asm "setp.ge.u64 $0, $1, $2;", "=b,l,l"(i64 %i, i64 %k) #0
;   %small = icmp ult i64 %i, 7
;   %one = select i1 %first, i1 %1, i1 false
;   %two = or i1 %one, %2
;   %both = and i1 %two, %small
;   %narrow = icmp ult i32 %j, %p
;   %other = icmp ult i32 %j, %q
;   %all = and i1 %narrow, %other
;   %every = and i1 %both, %all
;   store i1 %every, ptr %out, align 1
;   %alone = icmp ule i64 %i, %m
;   br i1 %alone, label %yes, label %no
;
; yes:                                              ; preds = %0
;   store i64 %i, ptr %out, align 4
;   br label %no
;
; no:                                               ; preds = %yes, %0
;   ret void
; }
;
; attributes #0 = { nounwind willreturn memory(none) }
