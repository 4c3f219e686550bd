; On the CPU, a thread that enters a basic block raises its counter, and a table has the instructions, accesses and
; bytes of each line in the block. Functions without lines are not counted.
; RUN: offloadc %s --run-pass=count_lines --profile-lines --offload-arch=cpu --kernel=k | grep -v "^target\|^source\|^$\|^![0-9]\|^!llvm.dbg"

define void @k(ptr %p, i1 %c) !dbg !10 {
entry:
  %local = alloca i32
  br i1 %c, label %then, label %done, !dbg !20

then:
  %a = load i64, ptr %p, !dbg !21
  %b = add i64 %a, 1, !dbg !21
  store i64 %b, ptr %p, !dbg !22
  %old = atomicrmw add ptr %p, i32 1 monotonic, !dbg !22
  %pair = cmpxchg ptr %p, i16 0, i16 1 monotonic monotonic, !dbg !22
  call void @llvm.assume(i1 %c), !dbg !22
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %local, i64 4, i1 false), !dbg !21
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 3, i1 false), !dbg !23
  br label %done, !dbg !20

done:
  %r = phi i64 [ 0, %entry ], [ %b, %then ]
  %s = call i64 @helper(i64 %r), !dbg !20
  ret void, !dbg !20
}

define internal i64 @helper(i64 %x) noinline !dbg !11 {
  %y = mul i64 %x, %x, !dbg !24
  ret i64 %y, !dbg !24
}

define internal void @without_lines() {
  ret void
}

@kept = internal constant ptr @without_lines
@llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"

declare void @llvm.assume(i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1, !2}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{i32 1, !"offload.profile-lines", i32 1}
!3 = !DIFile(filename: "src/main.rs", directory: "/app")
!4 = !DIFile(filename: "/whole/path.rs", directory: "/app")
!5 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "k", file: !3, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "helper", linkageName: "_ZN3app6helper17h0123456789abcdefE", file: !4, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 2, scope: !10)
!21 = !DILocation(line: 3, scope: !10)
!22 = !DILocation(line: 4, scope: !10)
!23 = !DILocation(line: 0, scope: !10)
!24 = !DILocation(line: 9, scope: !11)
;;; stdout
; @kept = internal constant ptr @without_lines
; @llvm.used = appending global [1 x ptr] [ptr @kept], section "llvm.metadata"
; @offload.profile.counters = internal global [4 x i64] zeroinitializer
; @offload.profile.text = private constant [7 x i8] c"helper\00"
; @offload.profile.text.1 = private constant [15 x i8] c"/whole/path.rs\00"
; @offload.profile.text.2 = private constant [2 x i8] c"k\00"
; @offload.profile.text.3 = private constant [1 x i8] zeroinitializer
; @offload.profile.text.4 = private constant [17 x i8] c"/app/src/main.rs\00"
; @offload.profile.table = private constant { i32, i32, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32 } { i32 1, i32 7, ptr @offload.profile.counters, ptr @offload.profile.text, ptr @offload.profile.text, ptr @offload.profile.text.1, i32 9, i32 0, i32 3, i32 2, i32 0, i32 0, ptr @offload.profile.text.2, ptr @offload.profile.text.2, ptr @offload.profile.text.3, i32 0, i32 1, i32 1, i32 1, i32 1, i32 3, ptr @offload.profile.text.2, ptr @offload.profile.text.2, ptr @offload.profile.text.4, i32 2, i32 1, i32 0, i32 1, i32 0, i32 0, ptr @offload.profile.text.2, ptr @offload.profile.text.2, ptr @offload.profile.text.4, i32 2, i32 1, i32 1, i32 1, i32 0, i32 0, ptr @offload.profile.text.2, ptr @offload.profile.text.2, ptr @offload.profile.text.4, i32 2, i32 1, i32 2, i32 2, i32 0, i32 0, ptr @offload.profile.text.2, ptr @offload.profile.text.2, ptr @offload.profile.text.4, i32 3, i32 1, i32 1, i32 3, i32 2, i32 16, ptr @offload.profile.text.2, ptr @offload.profile.text.2, ptr @offload.profile.text.4, i32 4, i32 1, i32 1, i32 3, i32 3, i32 14 }
; @offload.check.constructor = private constant ptr @offload.profile.write, section ".fini_array"
; @llvm.compiler.used = appending global [1 x ptr] [ptr @offload.check.constructor], section "llvm.metadata"
; define void @k(ptr %p, i1 %c) !dbg !4 {
; entry:
;   %local = alloca i32, align 4
;   %0 = atomicrmw add ptr @offload.profile.counters, i64 1 monotonic, align 8, !dbg !7
;   br i1 %c, label %then, label %done, !dbg !7
; then:                                             ; preds = %entry
;   %1 = atomicrmw add ptr getelementptr (i64, ptr @offload.profile.counters, i64 1), i64 1 monotonic, align 8, !dbg !8
;   %a = load i64, ptr %p, align 4, !dbg !8
;   %b = add i64 %a, 1, !dbg !8
;   store i64 %b, ptr %p, align 4, !dbg !9
;   %old = atomicrmw add ptr %p, i32 1 monotonic, align 4, !dbg !9
;   %pair = cmpxchg ptr %p, i16 0, i16 1 monotonic monotonic, align 2, !dbg !9
;   call void @llvm.assume(i1 %c), !dbg !9
;   call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %local, i64 4, i1 false), !dbg !8
;   call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 3, i1 false), !dbg !10
;   br label %done, !dbg !7
; done:                                             ; preds = %then, %entry
;   %r = phi i64 [ 0, %entry ], [ %b, %then ]
;   %2 = atomicrmw add ptr getelementptr (i64, ptr @offload.profile.counters, i64 2), i64 1 monotonic, align 8, !dbg !7
;   %s = call i64 @helper(i64 %r), !dbg !7
;   ret void, !dbg !7
; }
; ; Function Attrs: noinline
; define internal i64 @helper(i64 %x) #0 !dbg !11 {
;   %1 = atomicrmw add ptr getelementptr (i64, ptr @offload.profile.counters, i64 3), i64 1 monotonic, align 8, !dbg !13
;   %y = mul i64 %x, %x, !dbg !13
;   ret i64 %y, !dbg !13
; }
; define internal void @without_lines() {
;   ret void
; }
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
; declare void @llvm.assume(i1 noundef) #1
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #2
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
; declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #3
; define internal void @offload.profile.write() {
; entry:
;   call void @offloadrt_profile_write(ptr @offload.profile.table)
;   ret void
; }
; declare void @offloadrt_profile_write(ptr)
; attributes #0 = { noinline }
; attributes #1 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
; attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
; attributes #3 = { nocallback nofree nounwind willreturn memory(argmem: write) }
; !llvm.module.flags = !{!2, !3}
