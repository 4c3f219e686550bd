; In code for a debugger, the code around the user's function has the line where this function begins. Code that was
; inlined from the function keeps its places, and code without a place has none.
; RUN: offloadc %s --run-pass=locate_glue --offload-arch=cpu -O0 --kernel=k | grep -v "^target\|^source\|^$"
; FAIL[optimised]: offloadc %s --run-pass=locate_glue --offload-arch=cpu --kernel=k

define void @k(ptr %p) !dbg !10 {
  %inlined = load i32, ptr %p, !dbg !20
  %own = add i32 %inlined, 1, !dbg !23
  %of_library = mul i32 %own, 2, !dbg !24
  %of_crate = sub i32 %of_library, 3, !dbg !25
  %none = xor i32 %of_crate, 4
  store i32 %none, ptr %p, !dbg !26
  ret void, !dbg !26
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "src/main.rs", directory: "/app")
!3 = !DIFile(filename: "/rustc/1/library/core/src/slice/index.rs", directory: "")
!4 = !DIFile(filename: "src/launch.rs", directory: "/offload")
!5 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "entry", linkageName: "_ZN7offload6launch5entry17h0123456789abcdefE", file: !4, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "body", linkageName: "_ZN3app4body17h0123456789abcdefE", file: !2, line: 5, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "index", linkageName: "_ZN4core5slice5index17h0123456789abcdefE", file: !3, line: 9, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!13 = distinct !DISubprogram(name: "get", linkageName: "_ZN7offload5slice3get17h0123456789abcdefE", file: !4, line: 30, type: !5, unit: !0, spFlags: DISPFlagDefinition)
; In `core`, which the crate calls, which the user calls.
!20 = !DILocation(line: 10, column: 3, scope: !12, inlinedAt: !21)
!21 = distinct !DILocation(line: 31, column: 3, scope: !13, inlinedAt: !22)
!22 = distinct !DILocation(line: 7, column: 9, scope: !11, inlinedAt: !27)
!23 = !DILocation(line: 8, column: 9, scope: !11, inlinedAt: !27)
; In `core`, which the crate calls; and in the crate: both surround the function `body`.
!24 = !DILocation(line: 10, column: 3, scope: !12, inlinedAt: !28)
!25 = !DILocation(line: 2, column: 3, scope: !10)
!26 = !DILocation(line: 0, scope: !10)
!27 = distinct !DILocation(line: 3, column: 3, scope: !10)
!28 = distinct !DILocation(line: 4, column: 3, scope: !10)
;;; stdout
; define void @k(ptr %p) !dbg !3 {
;   %inlined = load i32, ptr %p, align 4, !dbg !7
;   %own = add i32 %inlined, 1, !dbg !15
;   %of_library = mul i32 %own, 2, !dbg !16
;   %of_crate = sub i32 %of_library, 3, !dbg !16
;   %none = xor i32 %of_crate, 4
;   store i32 %none, ptr %p, align 4, !dbg !16
;   ret void, !dbg !16
; }
; !llvm.dbg.cu = !{!0}
; !llvm.module.flags = !{!2}
; !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
; !1 = !DIFile(filename: "src/main.rs", directory: "/app")
; !2 = !{i32 2, !"Debug Info Version", i32 3}
; !3 = distinct !DISubprogram(name: "entry", linkageName: "_ZN7offload6launch5entry17h0123456789abcdefE", scope: null, file: !4, line: 1, type: !5, spFlags: DISPFlagDefinition, unit: !0)
; !4 = !DIFile(filename: "src/launch.rs", directory: "/offload")
; !5 = !DISubroutineType(types: !6)
; !6 = !{}
; !7 = !DILocation(line: 10, column: 3, scope: !8, inlinedAt: !10)
; !8 = distinct !DISubprogram(name: "index", linkageName: "_ZN4core5slice5index17h0123456789abcdefE", scope: null, file: !9, line: 9, type: !5, spFlags: DISPFlagDefinition, unit: !0)
; !9 = !DIFile(filename: "/rustc/1/library/core/src/slice/index.rs", directory: "")
; !10 = distinct !DILocation(line: 31, column: 3, scope: !11, inlinedAt: !12)
; !11 = distinct !DISubprogram(name: "get", linkageName: "_ZN7offload5slice3get17h0123456789abcdefE", scope: null, file: !4, line: 30, type: !5, spFlags: DISPFlagDefinition, unit: !0)
; !12 = distinct !DILocation(line: 7, column: 9, scope: !13, inlinedAt: !14)
; !13 = distinct !DISubprogram(name: "body", linkageName: "_ZN3app4body17h0123456789abcdefE", scope: null, file: !1, line: 5, type: !5, spFlags: DISPFlagDefinition, unit: !0)
; !14 = distinct !DILocation(line: 3, column: 3, scope: !3)
; !15 = !DILocation(line: 8, column: 9, scope: !13, inlinedAt: !14)
; !16 = !DILocation(line: 5, scope: !17)
; !17 = !DILexicalBlockFile(scope: !3, file: !1, discriminator: 0)
;;; stderr[optimised]
; error: the pass `locate_glue` does not run for `cpu` on this module
