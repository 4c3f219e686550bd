; The distance of two addresses in one object is the same for all threads, and so are an argument, a plain load and
; memory that only the thread itself has written.
; RUN: offloadc -w %s --offload-arch=cpu,gfx90a --emit=validate=- -O0 | grep -c __offload_sync_threads

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define internal void @use(ptr %a, ptr %b) noinline {
  store volatile ptr %a, ptr %b
  ret void
}

define ptx_kernel void @length(ptr %p, i32 %n) {
  %r = alloca [4 x i32]
  %e = getelementptr i32, ptr %r, i32 %n
  %a = ptrtoint ptr %r to i64
  %b = ptrtoint ptr %e to i64
  %v = sub i64 %b, %a
  %go = icmp ult i64 %v, 7
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @iterator(ptr %p, i32 %n) {
  %r = alloca [4 x i32]
  %e = getelementptr i32, ptr %r, i32 %n
  call void @use(ptr %r, ptr %e)
  %go = icmp eq ptr %r, %e
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @own_volatile(ptr %p, i32 %n) {
  %r = alloca i32
  store volatile i32 %n, ptr %r
  %v = load volatile i32, ptr %r
  %go = icmp ult i32 %v, 7
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @argument(ptr %p, i32 %n) {
  %v = ptrtoint ptr %p to i64
  %go = icmp ult i64 %v, 7
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @plain_load(ptr %p, i32 %n) {
  %v = load i32, ptr %p
  %go = icmp ult i32 %v, 7
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stdout
; 6
