; A barrier at the start of a loop waits for the writes to the block's memory at the end of the previous iteration, and
; a release for the writes to global memory. On the first visit of the block, LLVM has not seen these writes, and erases
; the waits. In `nested`, the writes are in an inner loop, which contains no barrier; the order of the blocks after it
; differs.
; RUN[gfx90a]: offloadc -w %s --offload-arch=gfx90a --emit=codegen=- | \
;   grep -oE "^[a-z]+:|s_barrier|s_wait.*|(ds|global|flat)_(read|write|store)|s_cbranch[a-z0-9_]*" | \
;   awk '/^nested:/ { n = 1 } n < 2; n && /s_barrier/ { n = 2 }'
; RUN[gfx1100]: offloadc -w %s --offload-arch=gfx1100 --emit=codegen=- | \
;   grep -oE "^[a-z]+:|s_barrier|s_wait.*|(ds|global|flat)_(load|store)|s_cbranch[a-z0-9_]*" | \
;   awk '/^nested:/ { n = 1 } n < 2; n && /s_barrier/ { n = 2 }'
; RUN@22[gfx1201]: offloadc -w %s --offload-arch=gfx1201 --emit=codegen=- | \
;   grep -oE "^[a-z]+:|s_barrier_[a-z]*|s_wait_[a-z]*cnt.*|(ds|global|flat)_(load|store)|s_cbranch[a-z0-9_]*" | \
;   awk '/^nested:/ { n = 1 } n < 2; n && /s_barrier/ { n = 2 }'
; RUN@23[gfx1201-of-23]: offloadc -w %s --offload-arch=gfx1201 --emit=codegen=- | \
;   grep -oE "^[a-z]+:|s_barrier_[a-z]*|s_wait_[a-z]*cnt.*|(ds|global|flat)_(load|store)|s_cbranch[a-z0-9_]*" | \
;   awk '/^nested:/ { n = 1 } n < 2; n && /s_barrier/ { n = 2 }'
; RUN[without]: offloadc -w %s --offload-arch=gfx90a --without-workaround=keep_loop_waits --emit=codegen=- | \
;   grep -oE "^[a-z]+:|s_barrier|s_wait.*|(ds|global|flat)_(read|write|store)|s_cbranch[a-z0-9_]*" | \
;   awk '/^nested:/ { n = 1 } n < 2; n && /s_barrier/ { n = 2 }'

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [256 x i32] undef, section ".offload.shared"

declare void @__offload_sync_threads()
declare i32 @__offload_thread_id_x()

define ptx_kernel void @smooth(i32 %n, ptr %out) {
entry:
  %t = call i32 @__offload_thread_id_x()
  %own = getelementptr i32, ptr @tile, i32 %t
  %next = getelementptr i32, ptr %own, i32 1
  store i32 %t, ptr %own
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %j, %turn ]
  call void @__offload_sync_threads()
  %v = load i32, ptr %next
  %w = mul i32 %v, 3
  call void @__offload_sync_threads()
  store i32 %w, ptr %own
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %turn, label %done, !llvm.loop !0
done:
  ret void
}

define ptx_kernel void @release(i32 %n, ptr %p, ptr %flag) {
entry:
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %j, %turn ]
  store atomic i32 %i, ptr %flag syncscope("device") release, align 4
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 %i, ptr %at
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %turn, label %done, !llvm.loop !0
done:
  ret void
}

define ptx_kernel void @nested(i32 %n, ptr %p) {
entry:
  %t = call i32 @__offload_thread_id_x()
  %own = getelementptr i32, ptr @tile, i32 %t
  br label %turn
turn:
  %i = phi i32 [ 0, %entry ], [ %j, %latch ]
  call void @__offload_sync_threads()
  br label %inner
inner:
  %x = load volatile i32, ptr %p
  %stop = icmp ugt i32 %x, %n
  br i1 %stop, label %latch, label %write
write:
  store i32 %x, ptr %own
  br label %inner, !llvm.loop !2
latch:
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %turn, label %done, !llvm.loop !0
done:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !1}
;;; stdout[gfx90a]
; smooth:
; ds_write
; s_waitcnt lgkmcnt(0)
; s_waitcnt lgkmcnt(0)
; s_barrier
; ds_read
; s_waitcnt lgkmcnt(0)
; s_barrier
; ds_write
; s_cbranch_scc1
; release:
; s_waitcnt lgkmcnt(0)
; s_waitcnt vmcnt(0) lgkmcnt(0)
; global_store
; global_store
; s_cbranch_scc1
; nested:
; s_waitcnt lgkmcnt(0)
; s_cbranch_scc0
; s_waitcnt lgkmcnt(0)
; s_barrier
;;; stdout[gfx1100]
; smooth:
; ds_store
; s_waitcnt lgkmcnt(0)
; s_waitcnt vmcnt(0) lgkmcnt(0)
; s_barrier
; ds_load
; s_waitcnt lgkmcnt(0)
; s_barrier
; ds_store
; s_cbranch_scc1
; release:
; s_waitcnt lgkmcnt(0)
; s_waitcnt vmcnt(0) lgkmcnt(0)
; s_waitcnt_vscnt null, 0x0
; global_store
; global_store
; s_cbranch_scc1
; nested:
; s_waitcnt lgkmcnt(0)
; s_cbranch_scc0
; s_waitcnt vmcnt(0) lgkmcnt(0)
; s_waitcnt_vscnt null, 0x0
; s_barrier
;;; stdout[gfx1201]
; smooth:
; ds_store
; s_wait_kmcnt 0x0
; s_wait_dscnt 0x0
; s_barrier_signal
; s_barrier_wait
; ds_load
; s_wait_dscnt 0x0
; s_wait_loadcnt 0x0
; s_barrier_signal
; s_barrier_wait
; ds_store
; s_cbranch_scc1
; release:
; s_wait_kmcnt 0x0
; s_wait_loadcnt 0x0
; s_wait_storecnt 0x0
; global_store
; global_store
; s_cbranch_scc1
; nested:
; s_wait_kmcnt 0x0
; s_cbranch_scc0
; s_wait_storecnt_dscnt 0x0
; s_barrier_signal
;;; stdout[without]
; smooth:
; ds_write
; s_waitcnt lgkmcnt(0)
; s_barrier
; ds_read
; s_waitcnt lgkmcnt(0)
; s_barrier
; ds_write
; s_cbranch_scc1
; release:
; s_waitcnt lgkmcnt(0)
; global_store
; global_store
; s_cbranch_scc1
; nested:
; s_waitcnt lgkmcnt(0)
; s_cbranch_scc0
; s_barrier
;;; stdout[gfx1201-of-23]
; smooth:
; ds_store
; s_wait_kmcnt 0x0
; s_wait_dscnt 0x0
; s_barrier_signal
; s_barrier_wait
; ds_load
; s_wait_loadcnt_dscnt 0x0
; s_barrier_signal
; s_barrier_wait
; ds_store
; s_cbranch_scc1
; release:
; s_wait_kmcnt 0x0
; s_wait_loadcnt 0x0
; s_wait_storecnt 0x0
; global_store
; global_store
; s_cbranch_scc1
; nested:
; s_wait_kmcnt 0x0
; s_cbranch_scc0
; s_wait_storecnt_dscnt 0x0
; s_barrier_signal
