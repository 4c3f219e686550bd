; Numbers of places in a library that the optimiser chooses from, or passes on, also get the user's lines. In `chosen`,
; each branch to the panic is at a line of the library, and has the user's line of its call. In `merged`, both are one
; panic without a line, and the lines that the function had before are named. The function `passed` gets the place from
; the library, which is called from two lines.
; RUN[numbers]: offloadc %s -O1 --offload-arch=cpu --emit=simplify=- | grep -oE "^define.*\) |phi i32 \[ [0-9]+, .*\]|void @__offload_panic\(i32 1, i32 [^,]*|@passed\(i64.*\)"
; RUN[texts]: offloadc %s -O1 --offload-arch=cpu -o %t/out.o && strings -n 8 %t/out.o | grep ", in "

target triple = "x86_64-unknown-linux-gnu"

@lib = private unnamed_addr constant [27 x i8] c"/deps/me/grid-1/src/grid.rs"
@first = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @lib, [16 x i8] c"\1B\00\00\00\00\00\00\00\1E\00\00\00\05\00\00\00" }>, align 8
@second = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @lib, [16 x i8] c"\1B\00\00\00\00\00\00\00\1F\00\00\00\05\00\00\00" }>, align 8
@third = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @lib, [16 x i8] c"\1B\00\00\00\00\00\00\00\20\00\00\00\05\00\00\00" }>, align 8

declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64, i64, ptr) noreturn

define ptx_kernel void @chosen(i64 %i, ptr %p) !dbg !10 {
  %large = icmp ugt i64 %i, 4, !dbg !30
  br i1 %large, label %panic, label %next, !dbg !30
next:
  store volatile i64 %i, ptr %p, !dbg !31
  %other = load volatile i64, ptr %p, !dbg !31
  %bad = icmp ugt i64 %other, 4, !dbg !31
  br i1 %bad, label %panic, label %good, !dbg !31
good:
  ret void, !dbg !22
panic:
  %place = phi ptr [ @first, %0 ], [ @second, %next ]
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr %place), !dbg !22
  unreachable
}

define internal void @get(i64 %i) alwaysinline !dbg !11 {
  %bad = icmp ugt i64 %i, 4, !dbg !20
  br i1 %bad, label %panic, label %good, !dbg !20
good:
  ret void, !dbg !20
panic:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @third), !dbg !20
  unreachable, !dbg !20
}

define ptx_kernel void @merged(i64 %i, i1 %c) !dbg !13 {
  br i1 %c, label %then, label %else, !dbg !23
then:
  call void @get(i64 %i), !dbg !24
  br label %end, !dbg !24
else:
  call void @get(i64 %i), !dbg !25
  br label %end, !dbg !25
end:
  ret void, !dbg !23
}

define internal void @passed(i64 %i, ptr %p, ptr %place) noinline !dbg !12 {
  store volatile i64 %i, ptr %p, !dbg !21
  %bad = icmp ugt i64 %i, 4, !dbg !21
  br i1 %bad, label %panic, label %good, !dbg !21
good:
  ret void, !dbg !21
panic:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr %place), !dbg !21
  unreachable, !dbg !21
}

define ptx_kernel void @passes(i64 %i, ptr %p) !dbg !14 {
  call void @passed(i64 %i, ptr %p, ptr @first), !dbg !32
  call void @passed(i64 %i, ptr %p, ptr @second), !dbg !33
  ret void, !dbg !26
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "src/main.rs", directory: "/app")
!3 = !DIFile(filename: "src/grid.rs", directory: "/deps/me/grid-1")
!5 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "chosen", file: !2, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "get", file: !3, line: 30, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "passed", file: !3, line: 40, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!13 = distinct !DISubprogram(name: "merged", file: !2, line: 5, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!14 = distinct !DISubprogram(name: "passes", file: !2, line: 9, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 32, column: 5, scope: !11)
!21 = !DILocation(line: 40, column: 5, scope: !12)
!22 = !DILocation(line: 0, scope: !10)
!23 = !DILocation(line: 6, column: 3, scope: !13)
!24 = !DILocation(line: 7, column: 3, scope: !13)
!25 = !DILocation(line: 8, column: 3, scope: !13)
!26 = !DILocation(line: 10, column: 3, scope: !14)
!30 = !DILocation(line: 30, column: 5, scope: !11, inlinedAt: !34)
!31 = !DILocation(line: 31, column: 5, scope: !11, inlinedAt: !35)
!32 = !DILocation(line: 30, column: 5, scope: !11, inlinedAt: !36)
!33 = !DILocation(line: 31, column: 5, scope: !11, inlinedAt: !37)
!34 = distinct !DILocation(line: 2, column: 3, scope: !10)
!35 = distinct !DILocation(line: 3, column: 3, scope: !10)
!36 = distinct !DILocation(line: 11, column: 3, scope: !14)
!37 = distinct !DILocation(line: 12, column: 3, scope: !14)
;;; stdout[numbers]
; define void @chosen(i64 %i, ptr %p)
; phi i32 [ 4, %0 ], [ 5, %next ]
; void @__offload_panic(i32 1, i32 %1
; define void @merged(i64 %i, i1 %c)
; void @__offload_panic(i32 1, i32 6
; define internal fastcc void @passed(i64 %i, ptr %p, ptr readonly captures(none) %place)
; void @__offload_panic(i32 1, i32 %2
; define void @passes(i64 %i, ptr %p)
; @passed(i64 %i, ptr %p, ptr nonnull @first.6)
; @passed(i64 %i, ptr %p, ptr nonnull @second.7)
;;; stdout[texts]
; src/main.rs:2:3, in /deps/me/grid-1/src/grid.rs
; src/main.rs:3:3, in /deps/me/grid-1/src/grid.rs
; src/main.rs:7:3 or src/main.rs:8:3, in /deps/me/grid-1/src/grid.rs
; src/main.rs:11:3, in /deps/me/grid-1/src/grid.rs
; src/main.rs:12:3, in /deps/me/grid-1/src/grid.rs
