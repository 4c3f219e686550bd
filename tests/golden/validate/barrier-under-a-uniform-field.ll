; A field of a local is uniform if only uniform values are written to it before, although other fields differ between
; threads, although a function writes through its address later, and although one reads through it before.
; RUN: offloadc -w %s --offload-arch=cpu --emit=validate=- | grep -c "call void @__offload_sync_threads()"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define internal void @fill(ptr %holder) noinline {
  %t = call i32 @__offload_thread_id_x()
  %p = load volatile ptr, ptr %holder
  store volatile i32 %t, ptr %p
  ret void
}

define internal i32 @look(ptr %holder) noinline memory(read, inaccessiblemem: readwrite) {
  %p = load ptr, ptr %holder
  %v = load i32, ptr %p
  ret i32 %v
}

define ptx_kernel void @uniform_field(i32 %n) {
  %a = alloca [2 x i32]
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  %bound = getelementptr i8, ptr %a, i64 4
  store volatile i32 %n, ptr %bound
  %v = load volatile i32, ptr %bound
  %go = icmp ult i32 %v, 16
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @uniform_before(i32 %n) {
  %a = alloca [2 x i32]
  %holder = alloca ptr
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  %bound = getelementptr i8, ptr %a, i64 4
  store volatile i32 %n, ptr %bound
  %v = load volatile i32, ptr %bound
  %go = icmp ult i32 %v, 16
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  store volatile ptr %bound, ptr %holder
  call void @fill(ptr %holder)
  ret void
}

define ptx_kernel void @uniform_after_reader(ptr %out, i32 %n) {
  %a = alloca [2 x i32]
  %holder = alloca ptr
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  %bound = getelementptr i8, ptr %a, i64 4
  store volatile i32 %n, ptr %bound
  store volatile ptr %a, ptr %holder
  %seen = call i32 @look(ptr %holder)
  store i32 %seen, ptr %out
  %v = load volatile i32, ptr %bound
  %go = icmp ult i32 %v, 16
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stdout
; 3
