; The module's flags are those that debug information needs.
; RUN: offloadc %s --run-pass=reset_flags | grep -v "^target"

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}
!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{!"rustc"}
;;; stdout
;
; !llvm.module.flags = !{!0}
;
; !0 = !{i32 2, !"Debug Info Version", i32 3}
