; An index that is the largest number in some threads is compared with a limit separately from their condition. If the
; condition is known, the index is the number that it was chosen from.
; RUN: offloadc %s --run-pass=compare_indices --offload-arch=sm_80 --kernel=k | grep -v "^target"

define void @k(ptr %x, i64 %n, i64 %i, i32 %row) {
entry:
  %is.first = icmp eq i32 %row, 0
  %index = select i1 %is.first, i64 %i, i64 -1
  %in = icmp ult i64 %index, %n
  br i1 %in, label %store, label %other
store:
  %at = getelementptr float, ptr %x, i64 %index
  store float 1.0, ptr %at
  br label %other
other:
  %seen = phi i64 [ %index, %store ], [ %index, %entry ]
  store i64 %seen, ptr %x
  %out = icmp uge i64 %index, 7
  br i1 %out, label %done, label %less
less:
  %again = icmp ugt i64 9, %index
  %signed = icmp slt i64 %index, 9
  %both = and i1 %again, %signed
  store i1 %both, ptr %x
  br label %done
done:
  ret void
}
;;; stdout
;
; define void @k(ptr %x, i64 %n, i64 %i, i32 %row) {
; entry:
;   %is.first = icmp eq i32 %row, 0
;   %index = select i1 %is.first, i64 %i, i64 -1
;   %0 = icmp ult i64 %i, %n
;   %1 = freeze i1 %0
;   %2 = and i1 %is.first, %1
;   br i1 %2, label %store, label %other
;
; store:                                            ; preds = %entry
;   %at = getelementptr float, ptr %x, i64 %i
;   store float 1.000000e+00, ptr %at, align 4
;   br label %other
;
; other:                                            ; preds = %store, %entry
;   %seen = phi i64 [ %i, %store ], [ %index, %entry ]
;   store i64 %seen, ptr %x, align 4
;   %3 = icmp ult i64 %i, 7
;   %4 = freeze i1 %3
;   %5 = and i1 %is.first, %4
;   %6 = xor i1 %5, true
;   br i1 %6, label %done, label %less
;
; less:                                             ; preds = %other
;   %7 = icmp ult i64 %i, 9
;   %8 = freeze i1 %7
;   %9 = and i1 %is.first, %8
;   %signed = icmp slt i64 %i, 9
;   %both = and i1 %9, %signed
;   store i1 %both, ptr %x, align 1
;   br label %done
;
; done:                                             ; preds = %less, %other
;   ret void
; }
