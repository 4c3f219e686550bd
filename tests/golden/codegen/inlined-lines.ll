; The line directives of inlined code name its function and the place of the call, from PTX 7.2 on. A call whose file has
; no instruction gets a number for it. A version that the user has chosen stays, and lines are innermost ones. The columns
; of both are those of the source.
; RUN@22[calls]: offloadc -w %s -g --offload-arch=sm_80 --emit=codegen=- | grep -E "^.version|loc|file|ld.|debug_str|inlined|b8"
; RUN[old]: offloadc -w %s -g --offload-arch=sm_80 --ptx-version=7.0 --emit=codegen=- | grep -E "^.version|loc|file|inlined"
; RUN[none]: offloadc -w %s --offload-arch=sm_80 --emit=codegen=- | grep -E "^.version|loc|file|inlined"

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) !dbg !10 {
  %a = load volatile i32, ptr %p, !dbg !20
  %b = load volatile i32, ptr %p, !dbg !21
  %c = load volatile i32, ptr %p, !dbg !22
  %d = load volatile i32, ptr %p, !dbg !23
  ret void, !dbg !24
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "src/main.rs", directory: "/app")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIFile(filename: "/rustc/library/core/src/ptr.rs", directory: "")
!4 = !DIFile(filename: "src/half.rs", directory: "/app")
!5 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "k", linkageName: "k", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "half", linkageName: "_RNvCs_3app4half", file: !4, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "read", file: !3, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
; `read` in `half` in `k`, at two places of `k` and once more at the first one; the kernel's own code; no line.
!20 = !DILocation(line: 5, column: 3, scope: !12, inlinedAt: !30)
!21 = !DILocation(line: 5, column: 3, scope: !12, inlinedAt: !31)
!22 = !DILocation(line: 6, column: 3, scope: !12, inlinedAt: !30)
!23 = !DILocation(line: 20, column: 9, scope: !10)
!24 = !DILocation(line: 0, scope: !12, inlinedAt: !30)
!30 = distinct !DILocation(line: 40, column: 7, scope: !11, inlinedAt: !32)
!31 = distinct !DILocation(line: 40, column: 7, scope: !11, inlinedAt: !33)
!32 = distinct !DILocation(line: 10, column: 1, scope: !10)
!33 = distinct !DILocation(line: 11, column: 1, scope: !10)
;;; stdout[calls]
; .version 7.2
; 	.loc	1 0 0
; 	ld.param.b64 	%rd1, [k_param_0];
; 	.loc	1 10 1
; 	.loc	3 40 7, function_name $L__inlined0, inlined_at 1 10 1
; 	.loc	2 5 3, function_name $L__inlined1, inlined_at 3 40 7
; 	ld.volatile.global.b32 	%r1, [%rd1];
; 	.loc	1 11 1
; 	.loc	3 40 7, function_name $L__inlined0, inlined_at 1 11 1
; 	.loc	2 5 3, function_name $L__inlined1, inlined_at 3 40 7
; 	ld.volatile.global.b32 	%r2, [%rd1];
; 	.loc	3 40 7, function_name $L__inlined0, inlined_at 1 10 1
; 	.loc	2 6 3, function_name $L__inlined1, inlined_at 3 40 7
; 	ld.volatile.global.b32 	%r3, [%rd1];
; 	.loc	1 20 9
; 	ld.volatile.global.b32 	%r4, [%rd1];
; 	.loc	2 0 0
; 	.file	1 "/app/src/main.rs"
; 	.file	2 "/rustc/library/core/src/ptr.rs"
; 	.file	3 "/app/src/half.rs"
; 	.section	.debug_str
; $L__inlined0:
; .b8 95,82,78,118,67,115,95,51,97,112,112,52,104,97,108,102,0
; $L__inlined1:
; .b8 114,101,97,100,0
;;; stdout[old]
; .version 7.0
; 	.loc	1 0 0
; 	.loc	2 5 3
; 	.loc	2 5 3
; 	.loc	2 6 3
; 	.loc	1 20 9
; 	.loc	2 0 0
; 	.file	1 "/app/src/main.rs"
; 	.file	2 "/rustc/library/core/src/ptr.rs"
;;; stdout[none]
; .version 7.0
