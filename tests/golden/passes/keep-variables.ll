; In code that is not optimised, each variable is in memory for debuggers, unless one of its values is not known.
; Optimised code is left alone.
; RUN[kept]: offloadc %s --run-pass=keep_variables --offload-arch=cpu -O0 | grep -v "^[!]\|^target\|^source\|^$"
; FAIL[optimised]: offloadc %s --run-pass=keep_variables --offload-arch=cpu

; A parameter, of which a part has another value later, and the result of an expression.
define i64 @whole_and_parts(i64 %a, i32 %b) !dbg !10 {
    #dbg_value(i64 %a, !11, !DIExpression(), !20)
    #dbg_value(i32 %b, !11, !DIExpression(DW_OP_LLVM_fragment, 32, 32), !20)
    #dbg_value(!DIArgList(i64 %a, i32 %b), !12, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_LLVM_convert, 32, DW_ATE_signed, DW_OP_LLVM_convert, 64, DW_ATE_signed, DW_OP_plus, DW_OP_stack_value), !20)
  ret i64 %a, !dbg !20
}

; A condition has eight bits in memory. A value from before its instruction is not stored, nor is one that is unknown.
define i1 @unknown(i64 %a) !dbg !30 {
  %less = icmp ult i64 %a, 7
    #dbg_value(i1 %less, !31, !DIExpression(), !40)
    #dbg_value(i64 %a, !32, !DIExpression(), !40)
    #dbg_value(i64 poison, !32, !DIExpression(), !40)
  ret i1 %less, !dbg !40
}

; The address of an argument in memory is kept.
define void @in_memory(ptr %a) !dbg !50 {
  %own = alloca i64
    #dbg_declare(ptr %a, !51, !DIExpression(), !60)
    #dbg_declare(ptr %own, !52, !DIExpression(), !60)
  ret void, !dbg !60
}

; Debug information with lines alone.
define void @lines(i64 %a) !dbg !70 {
    #dbg_value(i64 %a, !71, !DIExpression(), !80)
  ret void, !dbg !80
}

!llvm.dbg.cu = !{!0, !1}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, emissionKind: FullDebug)
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, emissionKind: LineTablesOnly)
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIFile(filename: "a.rs", directory: "")
!4 = !DISubroutineType(types: !{})
!5 = !DIBasicType(name: "u64", size: 64, encoding: DW_ATE_unsigned)
!6 = !DIBasicType(name: "bool", size: 8, encoding: DW_ATE_boolean)
!10 = distinct !DISubprogram(name: "whole_and_parts", file: !3, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocalVariable(name: "pair", arg: 1, scope: !10, file: !3, line: 1, type: !5)
!12 = !DILocalVariable(name: "sum", scope: !10, file: !3, line: 2, type: !5)
!20 = !DILocation(line: 2, scope: !10)
!30 = distinct !DISubprogram(name: "unknown", file: !3, line: 3, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!31 = !DILocalVariable(name: "less", scope: !30, file: !3, line: 3, type: !6)
!32 = !DILocalVariable(name: "lost", scope: !30, file: !3, line: 3, type: !5)
!40 = !DILocation(line: 3, scope: !30)
!50 = distinct !DISubprogram(name: "in_memory", file: !3, line: 4, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!51 = !DILocalVariable(name: "given", arg: 1, scope: !50, file: !3, line: 4, type: !5)
!52 = !DILocalVariable(name: "own", scope: !50, file: !3, line: 4, type: !5)
!60 = !DILocation(line: 4, scope: !50)
!70 = distinct !DISubprogram(name: "lines", file: !3, line: 5, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!71 = !DILocalVariable(name: "a", arg: 1, scope: !70, file: !3, line: 5, type: !5)
!80 = !DILocation(line: 5, scope: !70)
;;; stdout[kept]
; define i64 @whole_and_parts(i64 %a, i32 %b) !dbg !4 {
;   %1 = alloca [8 x i8], align 16
;     #dbg_declare(ptr %1, !7, !DIExpression(), !9)
;   %2 = alloca [8 x i8], align 16
;     #dbg_declare(ptr %2, !10, !DIExpression(), !9)
;   %3 = getelementptr inbounds i8, ptr %2, i64 0, !dbg !11
;   store volatile i64 %a, ptr %3, align 1, !dbg !11
;   %4 = getelementptr inbounds i8, ptr %2, i64 4, !dbg !11
;   store volatile i32 %b, ptr %4, align 1, !dbg !11
;   %5 = sext i32 %b to i64, !dbg !11
;   %6 = add i64 %a, %5, !dbg !11
;   %7 = getelementptr inbounds i8, ptr %1, i64 0, !dbg !11
;   store volatile i64 %6, ptr %7, align 1, !dbg !11
;   ret i64 %a, !dbg !9
; }
; define i1 @unknown(i64 %a) !dbg !12 {
;   %1 = alloca [1 x i8], align 16
;     #dbg_declare(ptr %1, !13, !DIExpression(), !15)
;   %less = icmp ult i64 %a, 7
;     #dbg_value(i64 %a, !16, !DIExpression(), !15)
;     #dbg_value(i64 poison, !16, !DIExpression(), !15)
;   %2 = zext i1 %less to i8, !dbg !17
;   %3 = getelementptr inbounds i8, ptr %1, i64 0, !dbg !17
;   store volatile i8 %2, ptr %3, align 1, !dbg !17
;   ret i1 %less, !dbg !15
; }
; define void @in_memory(ptr %a) !dbg !18 {
;   %1 = alloca ptr, align 8
;     #dbg_declare(ptr %1, !19, !DIExpression(DW_OP_deref), !20)
;   store volatile ptr %a, ptr %1, align 8
;   %own = alloca i64, align 8
;     #dbg_declare(ptr %own, !21, !DIExpression(), !20)
;   ret void, !dbg !20
; }
; define void @lines(i64 %a) !dbg !22 {
;     #dbg_value(i64 %a, !23, !DIExpression(), !24)
;   ret void, !dbg !24
; }
;;; stderr[optimised]
; error: the pass `keep_variables` does not run for `cpu` on this module
