; In code for a debugger, a kernel has two more arguments: the numbers of the block and of the thread, in memory.
; RUN: offloadc %s --offload-arch=cpu -O0 -g --print-after=show_position --emit=flavor=module.ll 2>&1 | \
;   sed -n '/^define.*@k/,/^}/p;/DILocalVariable/p'
; RUN[optimised]: offloadc %s --offload-arch=cpu -O1 -g --emit=flavor=- | grep -c DILocalVariable || true

define ptx_kernel void @k(ptr %p) !dbg !10 {
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
!5 = !DISubroutineType(types: !{null})
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
; define void @k(ptr %p, ptr %0, i32 %1, i32 %2, i32 %3) #0 !dbg !3 {
;   %5 = alloca [3 x i32], align 4
;   %6 = getelementptr inbounds i32, ptr %5, i64 0
;   store i32 %1, ptr %6, align 4
;   %7 = getelementptr inbounds i32, ptr %5, i64 1
;   store i32 %2, ptr %7, align 4
;   %8 = getelementptr inbounds i32, ptr %5, i64 2
;   store i32 %3, ptr %8, align 4
;     #dbg_declare(ptr %5, !7, !DIExpression(), !14)
;   %9 = alloca [3 x i32], align 4
;   %10 = getelementptr inbounds i8, ptr %0, i64 24
;   %11 = load i32, ptr %10, align 4, !invariant.load !15
;   %12 = getelementptr inbounds i8, ptr %0, i64 28
;   %13 = load i32, ptr %12, align 4, !invariant.load !15
;   %14 = getelementptr inbounds i8, ptr %0, i64 32
;   %15 = load i32, ptr %14, align 4, !invariant.load !15
;   %16 = getelementptr inbounds i32, ptr %9, i64 0
;   store i32 %11, ptr %16, align 4
;   %17 = getelementptr inbounds i32, ptr %9, i64 1
;   store i32 %13, ptr %17, align 4
;   %18 = getelementptr inbounds i32, ptr %9, i64 2
;   store i32 %15, ptr %18, align 4
;     #dbg_declare(ptr %9, !16, !DIExpression(), !14)
;   %inlined = load i32, ptr %p, align 4, !dbg !17
;   %own = add i32 %inlined, 1, !dbg !25
;   %of_library = mul i32 %own, 2, !dbg !26
;   %of_crate = sub i32 %of_library, 3, !dbg !26
;   %none = xor i32 %of_crate, 4
;   store i32 %none, ptr %p, align 4, !dbg !26
;   ret void, !dbg !26
; }
; !7 = !DILocalVariable(name: "thread_id", arg: 2, scope: !3, file: !4, line: 1, type: !8, flags: DIFlagArtificial)
; !16 = !DILocalVariable(name: "block_id", arg: 1, scope: !3, file: !4, line: 1, type: !8, flags: DIFlagArtificial)
;;; stdout[optimised]
; 0
