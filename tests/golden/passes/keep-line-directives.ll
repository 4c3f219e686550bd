; Of debug information the line directives stay: the assembler refuses more with optimised code.
; RUN: offloadc %s --run-pass=keep_line_directives --offload-arch=sm_80 | grep -v "^target"

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
; define void @f() !dbg !3 {
;   ret void, !dbg !6
; }
;
; !llvm.dbg.cu = !{!0}
; !llvm.module.flags = !{!2}
;
; !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, nameTableKind: None)
; !1 = !DIFile(filename: "a.rs", directory: "")
; !2 = !{i32 2, !"Debug Info Version", i32 3}
; !3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !0)
; !4 = !DISubroutineType(types: !5)
; !5 = !{}
; !6 = !DILocation(line: 2, scope: !3)
