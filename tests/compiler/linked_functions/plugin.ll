; A plugin without kernels. `ADDED` and the line `STORE` are replaced.

target triple = "x86_64-unknown-linux-gnu"

declare i64 @__offload_function(ptr)

@calls = internal global i32 0, section ".offload.static"
@table = internal constant [4 x i32] [i32 ADDED, i32 1, i32 2, i32 3]

define internal i32 @f(i32 %x) noinline !dbg !4 {
  %place = and i32 %x, 3
  %at = getelementptr i32, ptr @table, i32 %place
  %added = load i32, ptr @table
  %more = load i32, ptr %at
  %y = add i32 %x, %added
  STORE
  %z = add i32 %y, %more
  ret i32 %z
}

; A good function in the same table as one that may be refused.
define internal i32 @second(i32 %x) noinline {
  %y = mul i32 %x, 7
  ret i32 %y
}

; KERNEL

define i64 @plugin_number() {
  %number = call i64 @__offload_function(ptr @f)
  ret i64 %number
}

define i64 @plugin_second() {
  %number = call i64 @__offload_function(ptr @second)
  ret i64 %number
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "plugin.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 5, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 7, column: 3, scope: !4)
