; Loads through pointers that a kernel promises not to write are marked, and so are loads through addresses that certainly
; come from such pointers. A choice between such an address and another one is not.
; RUN: offloadc %s --run-pass=mark_read_only_loads --kernel=k | grep -v "^target"

declare void @__offload_read_only(ptr)

define void @k(ptr %x, ptr %y, i1 %c, i64 %n) {
entry:
  call void @__offload_read_only(ptr %x)
  %second = getelementptr float, ptr %x, i64 1
  %plain = load float, ptr %second
  %other = load float, ptr %y
  %volatile = load volatile float, ptr %second
  %atomic = load atomic float, ptr %second monotonic, align 4
  %either = select i1 %c, ptr %x, ptr %y
  %chosen = load float, ptr %either
  %both = select i1 %c, ptr %x, ptr %second
  %read = load float, ptr %both
  br label %loop
loop:
  %moved = phi ptr [ %x, %entry ], [ %next, %loop ]
  %changed = phi ptr [ %x, %entry ], [ %changed.next, %loop ]
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %element = load float, ptr %moved
  %unknown = load float, ptr %changed
  %next = getelementptr float, ptr %moved, i64 1
  %changed.next = getelementptr float, ptr %either, i64 %i
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
;;; stdout
;
; declare void @__offload_read_only(ptr)
;
; define void @k(ptr %x, ptr %y, i1 %c, i64 %n) {
; entry:
;   %second = getelementptr float, ptr %x, i64 1
;   %plain = load float, ptr %second, align 4, !invariant.load !0
;   %other = load float, ptr %y, align 4
;   %volatile = load volatile float, ptr %second, align 4
;   %atomic = load atomic float, ptr %second monotonic, align 4
;   %either = select i1 %c, ptr %x, ptr %y
;   %chosen = load float, ptr %either, align 4
;   %both = select i1 %c, ptr %x, ptr %second
;   %read = load float, ptr %both, align 4, !invariant.load !0
;   br label %loop
;
; loop:                                             ; preds = %loop, %entry
;   %moved = phi ptr [ %x, %entry ], [ %next, %loop ]
;   %changed = phi ptr [ %x, %entry ], [ %changed.next, %loop ]
;   %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
;   %element = load float, ptr %moved, align 4, !invariant.load !0
;   %unknown = load float, ptr %changed, align 4
;   %next = getelementptr float, ptr %moved, i64 1
;   %changed.next = getelementptr float, ptr %either, i64 %i
;   %i.next = add i64 %i, 1
;   %more = icmp ult i64 %i.next, %n
;   br i1 %more, label %loop, label %done
;
; done:                                             ; preds = %loop
;   ret void
; }
;
; !0 = !{}
