; A shared array that is too large is accessed in a method of the crate `offload`, which is inlined: the place of the error
; is the line of the kernel that calls it, and the note names the largest array.
; FAIL: offloadc %s --offload-arch=sm_80 -o out.o

target triple = "x86_64-unknown-linux-gnu"

@small = internal global [16 x i64] undef, section ".offload.shared"
@tile = internal global [30000 x i64] undef, section ".offload.shared"
declare i32 @__offload_thread_id_x()

define ptx_kernel void @fills(ptr %p) !dbg !4 {
  %t = call i32 @__offload_thread_id_x(), !dbg !8
  %first = getelementptr i64, ptr @small, i32 %t, !dbg !9
  store volatile i64 1, ptr %first, !dbg !9
  %place = getelementptr i64, ptr @tile, i32 %t, !dbg !9
  store volatile i64 1, ptr %place, !dbg !9
  ret void, !dbg !8
}

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "src/main.rs", directory: "/app")
!3 = !DIFile(filename: "src/slice.rs", directory: "/crate")
!4 = distinct !DISubprogram(name: "fills", linkageName: "fills", file: !2, line: 5, type: !5, unit: !1, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = distinct !DISubprogram(name: "set", linkageName: "_ZN7offload5slice3set17h0123456789abcdefE", file: !3, line: 160, type: !5, unit: !1, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 6, column: 5, scope: !4)
!9 = !DILocation(line: 163, column: 31, scope: !6, inlinedAt: !10)
!10 = distinct !DILocation(line: 7, column: 9, scope: !4)
;;; stderr
; error[OFC0026]: kernel `fills` has 240128 bytes of shared statics, and the limit is 49152
;   --> src/main.rs:7:9
;   = note: the largest is `tile` with 240000 bytes
;   = note: for sm_80
;   = help: use dynamic shared memory, whose size the launch chooses, for more
