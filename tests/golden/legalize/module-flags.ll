; Of the module's flags and other named metadata, only those that debug information needs stay.
; RUN[debug]: offloadc %s --offload-arch=cpu --emit=legalize=- | grep '^!'
; RUN[none]: grep -v '^!llvm.dbg' %s | sed 's/, !1, !2}/}/' > x.ll && offloadc x.ll --offload-arch=cpu --emit=legalize=- | grep -c '^!' || true

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k() {
  ret void
}

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}
!llvm.linker.options = !{!4}
!llvm.dbg.cu = !{!5}
!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{!"rustc version 1.95.0"}
!4 = !{!"-lm"}
!5 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !6, emissionKind: FullDebug)
!6 = !DIFile(filename: "app.rs", directory: "")
;;; stdout[debug]
; !llvm.dbg.cu = !{!0}
; !llvm.module.flags = !{!2, !3}
; !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
; !1 = !DIFile(filename: "app.rs", directory: "")
; !2 = !{i32 2, !"Debug Info Version", i32 3}
; !3 = !{i32 2, !"Dwarf Version", i32 4}
;;; stdout[none]
; 0
