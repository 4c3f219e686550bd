; A pointer that a phi or select takes from another one is computed over bytes before, so its type is known: once for
; each block, also if a switch has two edges. Other values of phis, and phis of numbers, stay as they are.
; `spirv/joined-pointers` shows the code that LLVM makes of other pointers.
; RUN[without]: offloadc %s --run-pass=join_pointers_to_bytes --without-workaround=join_pointers_to_bytes \
;   --offload-arch=spirv64 | grep -c getelementptr
; RUN: offloadc %s --run-pass=join_pointers_to_bytes --offload-arch=spirv64 | grep -v "^target"

define ptr @f(ptr %p, ptr %q, i1 %c, i32 %n) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %first = phi ptr [ %p, %entry ], [ %q, %a ]
  %number = phi i64 [ 0, %entry ], [ 1, %a ]
  switch i32 %n, label %d [ i32 0, label %e  i32 1, label %e ]
d:
  %moved = getelementptr i8, ptr %first, i64 %number
  br label %e
e:
  %second = phi ptr [ %moved, %d ], [ %first, %b ], [ %first, %b ]
  %third = phi i64 [ %number, %d ], [ 2, %b ], [ 2, %b ]
  %end = getelementptr i8, ptr %p, i64 %third
  %chosen = select i1 %c, ptr %second, ptr %end
  ret ptr %chosen
}
;;; stdout[without]
; 2
;;; stdout
;
; define ptr @f(ptr %p, ptr %q, i1 %c, i32 %n) {
; entry:
;   br i1 %c, label %a, label %b
;
; a:                                                ; preds = %entry
;   br label %b
;
; b:                                                ; preds = %a, %entry
;   %first = phi ptr [ %p, %entry ], [ %q, %a ]
;   %number = phi i64 [ 0, %entry ], [ 1, %a ]
;   %0 = freeze i64 0
;   %1 = getelementptr inbounds i8, ptr %first, i64 %0
;   switch i32 %n, label %d [
;     i32 0, label %e
;     i32 1, label %e
;   ]
;
; d:                                                ; preds = %b
;   %moved = getelementptr i8, ptr %first, i64 %number
;   br label %e
;
; e:                                                ; preds = %d, %b, %b
;   %second = phi ptr [ %moved, %d ], [ %1, %b ], [ %1, %b ]
;   %third = phi i64 [ %number, %d ], [ 2, %b ], [ 2, %b ]
;   %end = getelementptr i8, ptr %p, i64 %third
;   %2 = freeze i64 0
;   %3 = getelementptr inbounds i8, ptr %second, i64 %2
;   %chosen = select i1 %c, ptr %3, ptr %end
;   ret ptr %chosen
; }
