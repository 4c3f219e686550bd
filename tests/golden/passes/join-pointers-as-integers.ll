; Pointers into private memory meet as integers, and pointers into other memory stay.
; RUN: offloadc %s --run-pass=join_pointers_as_integers --offload-arch=spirv64 | grep -v "^target"

define ptr @private(i1 %c, ptr %a, ptr %b) {
entry:
  br i1 %c, label %one, label %end
one:
  br label %end
end:
  %r = phi ptr [ %a, %entry ], [ %b, %one ]
  ret ptr %r
}

define ptr addrspace(1) @global(i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %r = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b
  ret ptr addrspace(1) %r
}
;;; stdout
;
; define ptr @private(i1 %c, ptr %a, ptr %b) {
; entry:
;   %0 = ptrtoint ptr %a to i64
;   br i1 %c, label %one, label %end
;
; one:                                              ; preds = %entry
;   %1 = ptrtoint ptr %b to i64
;   br label %end
;
; end:                                              ; preds = %one, %entry
;   %2 = phi i64 [ %0, %entry ], [ %1, %one ]
;   %3 = inttoptr i64 %2 to ptr
;   ret ptr %3
; }
;
; define ptr addrspace(1) @global(i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b) {
;   %r = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b
;   ret ptr addrspace(1) %r
; }
