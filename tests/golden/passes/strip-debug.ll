; SPIR-V has no line tables for kernels.
; RUN: offloadc %s --run-pass=strip_debug --offload-arch=spirv64 | grep -v "^target"

define void @f() !dbg !3 {
  ret void, !dbg !4
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.rs", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DILocation(line: 2, scope: !3)
!5 = !DISubroutineType(types: !{})
;;; stdout
;
; define void @f() {
;   ret void
; }
;
; !llvm.module.flags = !{!0}
;
; !0 = !{i32 2, !"Debug Info Version", i32 3}
