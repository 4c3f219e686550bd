; A struct in a local has a field that differs between threads and one that does not. A loop that is bounded by the
; uniform field may have a barrier, although the address of the struct is in memory that a call reads later.
; RUN: offloadc %s --kernel=k --emit=validate=- --offload-arch=gfx90a | sed -n "/@k(/,/^}/p" | grep -c sync_threads
; In the others, a thread may read what it has written to the same bytes: at an index that is not known, in an earlier
; iteration, or through the pointer in memory.
; FAIL[refused]: offloadc %s --kernel=index --kernel=earlier --kernel=behind --emit=validate=- --offload-arch=gfx90a

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_dim_x()
declare void @__offload_sync_threads()

%two = type { i32, i32 }

define internal void @later(ptr %environment) noinline {
  %at = load ptr, ptr %environment
  %id = call i32 @__offload_thread_id_x()
  store volatile i32 %id, ptr %at
  ret void
}

define void @k(ptr %out) {
entry:
  %a = alloca %two
  %environment = alloca ptr
  %id = call i32 @__offload_thread_id_x()
  %count = call i32 @__offload_block_dim_x()
  %second = getelementptr %two, ptr %a, i32 0, i32 1
  store volatile i32 %count, ptr %a
  store volatile i32 %id, ptr %second
  store volatile ptr %a, ptr %environment
  %bound = load volatile i32, ptr %a
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @__offload_sync_threads()
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %bound
  br i1 %more, label %loop, label %end
end:
  call void @later(ptr %environment)
  %last = load volatile i32, ptr %a
  store i32 %last, ptr %out
  ret void
}

define void @index(ptr %out, i32 %n) {
entry:
  %a = alloca %two
  %id = call i32 @__offload_thread_id_x()
  store volatile i32 4, ptr %a
  %some = getelementptr i32, ptr %a, i32 %n
  store volatile i32 %id, ptr %some
  %bound = load volatile i32, ptr %a
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @__offload_sync_threads()
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %bound
  br i1 %more, label %loop, label %end
end:
  ret void
}

define void @earlier(ptr %out) {
entry:
  %a = alloca %two
  %id = call i32 @__offload_thread_id_x()
  store volatile i32 4, ptr %a
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %after ]
  call void @__offload_sync_threads()
  %bound = load volatile i32, ptr %a
  br label %after
after:
  store volatile i32 %id, ptr %a
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %bound
  br i1 %more, label %loop, label %end
end:
  ret void
}

define void @behind(ptr %out) {
entry:
  %a = alloca %two
  %environment = alloca ptr
  store volatile i32 4, ptr %a
  store volatile ptr %a, ptr %environment
  call void @later(ptr %environment)
  br label %test
test:
  %bound = load volatile i32, ptr %a
  %go = icmp eq i32 %bound, 4
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stdout
; 1
;;; stderr[refused]
; error[OFC0012]: kernel `index` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for gfx90a
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`, or with `-C opt-level=0` where rustc itself copied the barrier
;   = help: compile with debug information (`-g`) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `earlier` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for gfx90a
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`, or with `-C opt-level=0` where rustc itself copied the barrier
;   = help: compile with debug information (`-g`) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `behind` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for gfx90a
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`, or with `-C opt-level=0` where rustc itself copied the barrier
;   = help: compile with debug information (`-g`) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
