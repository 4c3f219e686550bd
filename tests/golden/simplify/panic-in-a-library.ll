; A panic in a library gets a number for the user's line of the call: a number for each line where the library is
; inlined, and one for both where its function is called. A panic whose place is the user's keeps its number, like one
; in the kernel `alone`, which has no lines. In the kernel `merged`, an instruction of the library has lost the line of
; its call, and the library is still no source of the user's. The texts are in the object.
; RUN[numbers]: offloadc %s -O1 --offload-arch=cpu --emit=simplify=- | grep -o "void @__offload_panic(i32 1, i32 [^,]*\|^define.*) "
; RUN[texts]: offloadc %s -O1 --offload-arch=cpu -o %t/out.o && strings -n 8 %t/out.o | grep "\.rs"

target triple = "x86_64-unknown-linux-gnu"

@main = private unnamed_addr constant [11 x i8] c"src/main.rs"
@lib = private unnamed_addr constant [27 x i8] c"/deps/me/grid-1/src/grid.rs"
@core = private unnamed_addr constant [30 x i8] c"/rustc/1/library/core/src/a.rs"
@own = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @main, [16 x i8] c"\0B\00\00\00\00\00\00\00\14\00\00\00\05\00\00\00" }>, align 8
@inside = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @lib, [16 x i8] c"\1B\00\00\00\00\00\00\00\1E\00\00\00\05\00\00\00" }>, align 8
@below = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @core, [16 x i8] c"\1E\00\00\00\00\00\00\00\28\00\00\00\05\00\00\00" }>, align 8

declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64, i64, ptr) noreturn

define internal void @get(i64 %i) alwaysinline !dbg !11 {
  %bad = icmp ugt i64 %i, 4, !dbg !20
  br i1 %bad, label %panic, label %good, !dbg !20
good:
  ret void, !dbg !20
panic:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @inside), !dbg !20
  unreachable, !dbg !20
}

define internal void @apart(i64 %i) noinline !dbg !12 {
  %bad = icmp ugt i64 %i, 4, !dbg !21
  br i1 %bad, label %panic, label %good, !dbg !21
good:
  store volatile i64 %i, ptr null, !dbg !21
  ret void, !dbg !21
panic:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @below), !dbg !21
  unreachable, !dbg !21
}

define ptx_kernel void @first(i64 %i) !dbg !10 {
  call void @get(i64 %i), !dbg !22
  ret void, !dbg !22
}

define ptx_kernel void @second(i64 %i) !dbg !13 {
  call void @get(i64 %i), !dbg !23
  ret void, !dbg !23
}

define ptx_kernel void @third(i64 %i) !dbg !14 {
  call void @apart(i64 %i), !dbg !24
  call void @apart(i64 7), !dbg !25
  ret void, !dbg !24
}

define ptx_kernel void @fourth(i64 %i) !dbg !15 {
  %bad = icmp ugt i64 %i, 4, !dbg !26
  br i1 %bad, label %panic, label %good, !dbg !26
good:
  ret void, !dbg !26
panic:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @own), !dbg !26
  unreachable, !dbg !26
}

define ptx_kernel void @alone(i64 %i) {
  %bad = icmp ugt i64 %i, 4
  br i1 %bad, label %panic, label %good
good:
  ret void
panic:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @inside)
  unreachable
}

define ptx_kernel void @merged(ptr %p) !dbg !16 {
  store i32 1, ptr %p, !dbg !27
  ret void, !dbg !28
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "src/main.rs", directory: "/app")
!3 = !DIFile(filename: "src/grid.rs", directory: "/deps/me/grid-1")
!4 = !DIFile(filename: "/rustc/1/library/core/src/a.rs", directory: "")
!5 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "first", file: !2, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "get", file: !3, line: 30, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "apart", file: !4, line: 40, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!13 = distinct !DISubprogram(name: "second", file: !2, line: 5, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!14 = distinct !DISubprogram(name: "third", file: !2, line: 9, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!15 = distinct !DISubprogram(name: "fourth", file: !2, line: 19, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!16 = distinct !DISubprogram(name: "merged", file: !2, line: 29, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 30, column: 5, scope: !11)
!21 = !DILocation(line: 40, column: 5, scope: !12)
!22 = !DILocation(line: 2, column: 3, scope: !10)
!23 = !DILocation(line: 6, column: 3, scope: !13)
!24 = !DILocation(line: 10, column: 3, scope: !14)
!25 = !DILocation(line: 11, column: 3, scope: !14)
!26 = !DILocation(line: 20, column: 5, scope: !15)
!27 = !DILocation(line: 31, column: 5, scope: !11, inlinedAt: !28)
!28 = distinct !DILocation(line: 0, scope: !16)
;;; stdout[numbers]
; define internal fastcc void @apart(i64 %i)
; void @__offload_panic(i32 1, i32 4
; define void @first(i64 %i)
; void @__offload_panic(i32 1, i32 6
; define void @second(i64 %i)
; void @__offload_panic(i32 1, i32 5
; define void @third(i64 %i)
; define void @fourth(i64 %i)
; void @__offload_panic(i32 1, i32 1
; define void @alone(i64 %i)
; void @__offload_panic(i32 1, i32 2
; define void @merged(ptr writeonly captures(none) initializes((0, 4)) %p)
;;; stdout[texts]
; src/main.rs
; /deps/me/grid-1/src/grid.rs
; /rustc/1/library/core/src/a.rs
; src/main.rs
; /deps/me/grid-1/src/grid.rs
; /rustc/1/library/core/src/a.rs
; src/main.rs:10:3 or src/main.rs:11:3, in /rustc/1/library/core/src/a.rs
; src/main.rs:6:3, in /deps/me/grid-1/src/grid.rs
; src/main.rs:2:3, in /deps/me/grid-1/src/grid.rs
; src/main.rs
; src/grid.rs
