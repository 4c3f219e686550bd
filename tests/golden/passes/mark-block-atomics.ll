; Only the threads of the block, which one thread of the host runs, see an update of its shared memory. Its scope is the
; block's until the vectoriser has recognised an update. Other memory and accesses stay as they are.
; RUN: offloadc %s --run-pass=mark_block_atomics --offload-arch=cpu | grep -v "^target"

@bins = internal global [4 x i32] undef, section ".offload.shared"
@other = internal global i32 0

declare ptr @__offload_dynamic_shared()

define void @f(ptr %p, i64 %i) {
  %bin = getelementptr [4 x i32], ptr @bins, i64 0, i64 %i
  %a = atomicrmw add ptr %bin, i32 1 monotonic
  %b = cmpxchg ptr getelementptr (i8, ptr @bins, i64 8), i32 %a, i32 9 seq_cst seq_cst
  %more = call ptr @__offload_dynamic_shared()
  %place = getelementptr i32, ptr %more, i64 %i
  %c = atomicrmw umax ptr %place, i32 7 acq_rel
  %d = atomicrmw volatile add ptr %place, i32 7 monotonic
  %e = atomicrmw add ptr %p, i32 1 monotonic
  %g = atomicrmw add ptr @other, i32 1 monotonic
  store atomic i32 %e, ptr %bin release, align 4
  ret void
}
;;; stdout
;
; @bins = internal global [4 x i32] undef, section ".offload.shared"
; @other = internal global i32 0
;
; declare ptr @__offload_dynamic_shared()
;
; define void @f(ptr %p, i64 %i) {
;   %bin = getelementptr [4 x i32], ptr @bins, i64 0, i64 %i
;   %a = atomicrmw add ptr %bin, i32 1 syncscope("singlethread") monotonic, align 4
;   %b = cmpxchg ptr getelementptr (i8, ptr @bins, i64 8), i32 %a, i32 9 syncscope("singlethread") seq_cst seq_cst, align 4
;   %more = call ptr @__offload_dynamic_shared()
;   %place = getelementptr i32, ptr %more, i64 %i
;   %c = atomicrmw umax ptr %place, i32 7 syncscope("singlethread") acq_rel, align 4
;   %d = atomicrmw volatile add ptr %place, i32 7 monotonic, align 4
;   %e = atomicrmw add ptr %p, i32 1 monotonic, align 4
;   %g = atomicrmw add ptr @other, i32 1 monotonic, align 4
;   store atomic i32 %e, ptr %bin release, align 4
;   ret void
; }
