; Loads through pointers that a kernel promises not to write are marked, and so are loads through addresses that certainly
; come from such pointers. A choice between such an address and another one is not. A small copy from such memory becomes
; loads; a large one, a volatile one, and one to such memory, do not.
; RUN: offloadc %s --run-pass=mark_read_only_loads --kernel=k | grep -v "^target"

declare void @__offload_read_only(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

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
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %y, ptr align 8 %second, i64 10, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %y, ptr align 8 %second, i64 100, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %second, ptr align 8 %y, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %y, ptr align 8 %second, i64 16, i1 true)
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
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #0
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
;   %0 = getelementptr inbounds i8, ptr %second, i64 0
;   %1 = load i32, ptr %0, align 4, !invariant.load !0
;   %2 = getelementptr inbounds i8, ptr %second, i64 4
;   %3 = load i32, ptr %2, align 4, !invariant.load !0
;   %4 = getelementptr inbounds i8, ptr %second, i64 8
;   %5 = load i16, ptr %4, align 2, !invariant.load !0
;   %6 = getelementptr inbounds i8, ptr %y, i64 0
;   store i32 %1, ptr %6, align 4
;   %7 = getelementptr inbounds i8, ptr %y, i64 4
;   store i32 %3, ptr %7, align 4
;   %8 = getelementptr inbounds i8, ptr %y, i64 8
;   store i16 %5, ptr %8, align 2
;   call void @llvm.memcpy.p0.p0.i64(ptr align 8 %y, ptr align 8 %second, i64 100, i1 false)
;   call void @llvm.memcpy.p0.p0.i64(ptr align 8 %second, ptr align 8 %y, i64 16, i1 false)
;   call void @llvm.memcpy.p0.p0.i64(ptr align 8 %y, ptr align 8 %second, i64 16, i1 true)
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
; attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
;
; !0 = !{}
