; A field of a local differs between threads if a value that differs may overlap it, or was written to it in an earlier
; round of a loop or through its address.
; FAIL: offloadc -w %s --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define internal void @fill(ptr %holder) noinline {
  %t = call i32 @__offload_thread_id_x()
  %p = load volatile ptr, ptr %holder
  store volatile i32 %t, ptr %p
  ret void
}

define ptx_kernel void @divergent_overlap(i32 %n) {
  %a = alloca [4 x i32]
  %t = call i32 @__offload_thread_id_x()
  %wide = zext i32 %t to i64
  %bound = getelementptr i8, ptr %a, i64 8
  store volatile i32 %n, ptr %bound
  %middle = getelementptr i8, ptr %a, i64 4
  %shifted = shl i64 %wide, 32
  store volatile i64 %shifted, ptr %middle, align 4
  %v = load volatile i32, ptr %bound
  %go = icmp ult i32 %v, 16
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @divergent_index(i32 %n, i64 %at) {
  %a = alloca [4 x i32]
  %t = call i32 @__offload_thread_id_x()
  %bound = getelementptr i8, ptr %a, i64 8
  store volatile i32 %n, ptr %bound
  %any = getelementptr i8, ptr %a, i64 %at
  store volatile i32 %t, ptr %any
  %v = load volatile i32, ptr %bound
  %go = icmp ult i32 %v, 16
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @divergent_negative_index(i32 %n) {
  %a = alloca [4 x i32]
  %t = call i32 @__offload_thread_id_x()
  %bound = getelementptr i8, ptr %a, i64 8
  store volatile i32 %n, ptr %bound
  %last = getelementptr i8, ptr %a, i64 12
  %third = getelementptr i8, ptr %last, i32 -4
  store volatile i32 %t, ptr %third
  %v = load volatile i32, ptr %bound
  %go = icmp ult i32 %v, 16
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @divergent_in_next_round(i32 %n) {
entry:
  %a = alloca [2 x i32]
  %t = call i32 @__offload_thread_id_x()
  %bound = getelementptr i8, ptr %a, i64 4
  store volatile i32 %n, ptr %bound
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %last ]
  %v = load volatile i32, ptr %bound
  %go = icmp ult i32 %v, 16
  br i1 %go, label %wait, label %last
wait:
  call void @__offload_sync_threads()
  br label %last
last:
  store volatile i32 %t, ptr %bound
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

define ptx_kernel void @divergent_after_call(i32 %n) {
  %a = alloca [2 x i32]
  %holder = alloca ptr
  %bound = getelementptr i8, ptr %a, i64 4
  store volatile i32 %n, ptr %bound
  store volatile ptr %bound, ptr %holder
  call void @fill(ptr %holder)
  %v = load volatile i32, ptr %bound
  %go = icmp ult i32 %v, 16
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stderr
; error[OFC0012]: kernel `divergent_overlap` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `divergent_index` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `divergent_negative_index` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `divergent_in_next_round` has a barrier under control flow that differs between threads
;   = note: threads diverge before it
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `divergent_after_call` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
