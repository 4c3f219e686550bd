; With debug information, a divergent barrier is shown at its place in the user's function, even if code of the crate
; was inlined there, and so is the divergent branch. An early return counts; a barrier that is there once is no copy.
; FAIL: offloadc %s --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @early(i32 %n, ptr %out) !dbg !10 {
  %t = call i32 @__offload_thread_id_x(), !dbg !20
  %outside = icmp eq i32 %t, %n, !dbg !21
  br i1 %outside, label %leave, label %work, !dbg !21
leave:
  ret void, !dbg !23
work:
  store volatile i32 1, ptr %out, !dbg !22
  call void @__offload_sync_threads(), !dbg !24
  store volatile i32 2, ptr %out, !dbg !22
  ret void, !dbg !23
}

define ptx_kernel void @twice(i32 %n, ptr %out) !dbg !11 {
  %t = call i32 @__offload_thread_id_x(), !dbg !30
  %outside = icmp uge i32 %t, %n, !dbg !31
  br i1 %outside, label %one, label %other, !dbg !31
one:
  store volatile i32 1, ptr %out, !dbg !32
  call void @__offload_sync_threads(), !dbg !33
  store volatile i32 3, ptr %out, !dbg !32
  call void @__offload_sync_threads(), !dbg !33
  br label %rest, !dbg !32
other:
  store volatile i32 2, ptr %out, !dbg !32
  br label %rest, !dbg !32
rest:
  store volatile i32 4, ptr %out, !dbg !32
  ret void, !dbg !32
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "src/main.rs", directory: "/user")
!2 = !DIFile(filename: "src/thread.rs", directory: "/crate")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "early", linkageName: "early", scope: !1, file: !1, line: 3, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "twice", linkageName: "twice", scope: !1, file: !1, line: 30, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "sync_threads", linkageName: "_ZN7offload6thread12sync_threads17h0123456789abcdefE", scope: !2, file: !2, line: 300, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!13 = distinct !DISubprogram(name: "call", linkageName: "_ZN54_$LT$F$u20$as$u20$offload..launch..Kernel$LT$A$GT$$GT$4call17h0123456789abcdefE", scope: !2, file: !2, line: 310, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 4, column: 13, scope: !10)
!21 = !DILocation(line: 5, column: 8, scope: !10)
!22 = !DILocation(line: 8, column: 9, scope: !10)
!23 = !DILocation(line: 12, column: 2, scope: !10)
!24 = !DILocation(line: 301, column: 5, scope: !12, inlinedAt: !25)
!25 = !DILocation(line: 9, column: 5, scope: !10)
!30 = !DILocation(line: 31, column: 13, scope: !11)
!31 = !DILocation(line: 32, column: 8, scope: !11)
!32 = !DILocation(line: 35, column: 9, scope: !11)
!33 = !DILocation(line: 311, column: 5, scope: !13, inlinedAt: !34)
!34 = !DILocation(line: 33, column: 5, scope: !11)
;;; stderr
; error[OFC0012]: kernel `early` has a barrier under control flow that differs between threads
;   --> src/main.rs:9:5
;   = note: threads diverge at src/main.rs:5:8, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: for cpu
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `twice` has a barrier under control flow that differs between threads
;   --> src/main.rs:33:5
;   = note: threads diverge at src/main.rs:32:8
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
