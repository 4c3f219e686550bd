; Loops that begin with a release and end with accesses that it must wait for in the next turn. Each release is a store of
; 16 bits or an exchange of 64, and nothing else is. `amd_waits.rs` compiles this.
target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [256 x i32] undef, section ".offload.shared"

declare void @__offload_sync_threads()
declare void @__offload_fence_device()
declare i32 @__offload_thread_id_x()

define ptx_kernel void @store_of_the_system(i32 %n, ptr %p, ptr %flag) {
entry:
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %j, %turn ]
  %short = trunc i32 %i to i16
  store atomic i16 %short, ptr %flag release, align 2
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 %i, ptr %at
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %turn, label %done, !llvm.loop !0
done:
  ret void
}

define ptx_kernel void @store_of_the_device(i32 %n, ptr %p, ptr %flag) {
entry:
  %t = call i32 @__offload_thread_id_x()
  %own = getelementptr i32, ptr @tile, i32 %t
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %odd = and i32 %i, 1
  %skips = icmp eq i32 %odd, 0
  br i1 %skips, label %next, label %released
released:
  %short = trunc i32 %i to i16
  store atomic i16 %short, ptr %flag syncscope("device") release, align 2
  br label %next
next:
  store volatile i32 %i, ptr %own
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 %i, ptr %at
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %turn, label %done, !llvm.loop !0
done:
  ret void
}

define ptx_kernel void @exchange(i32 %n, ptr %p, ptr %lock) {
entry:
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %j, %turn ]
  %wide = zext i32 %i to i64
  %pair = cmpxchg ptr %lock, i64 %wide, i64 7 syncscope("device") release monotonic
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 %i, ptr %at
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %turn, label %done, !llvm.loop !0
done:
  ret void
}

define ptx_kernel void @fence(i32 %n, ptr %p, ptr %flag) {
entry:
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %j, %turn ]
  call void @__offload_fence_device()
  %short = trunc i32 %i to i16
  store atomic i16 %short, ptr %flag syncscope("device") monotonic, align 2
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 %i, ptr %at
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %turn, label %done, !llvm.loop !0
done:
  ret void
}

define internal void @step(ptr %p, i32 %i) noinline {
  call void @__offload_sync_threads()
  %v = load volatile i32, ptr %p
  call void @__offload_sync_threads()
  %w = add i32 %v, %i
  store volatile i32 %w, ptr %p
  ret void
}

define ptx_kernel void @called(i32 %n) {
entry:
  %t = call i32 @__offload_thread_id_x()
  %own = getelementptr i32, ptr @tile, i32 %t
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %j, %turn ]
  call void @step(ptr %own, i32 %i)
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %turn, label %done, !llvm.loop !0
done:
  ret void
}

; LLVM 23 would unroll the loops.
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
