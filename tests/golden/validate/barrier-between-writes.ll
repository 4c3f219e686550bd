; A local has two divergent writes, one before the barrier and one after it. The one after it does not hide the other,
; whichever the analysis finds first, and whether the local is written and read by its name or through its address.
; FAIL: offloadc -w %s --offload-arch=cpu --emit=validate=- 2>&1 | grep ^error

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @by_name(i32 %n) {
entry:
  %a = alloca i32
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  br label %look
look:
  %v = load volatile i32, ptr %a
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  store volatile i32 %t, ptr %a
  ret void
}

define ptx_kernel void @read_by_address(i32 %n) {
entry:
  %a = alloca i32
  %holder = alloca ptr
  store volatile ptr %a, ptr %holder
  %p = load volatile ptr, ptr %holder
  %q = load volatile ptr, ptr %holder
  %t = call i32 @__offload_thread_id_x()
  br label %early
early:
  store volatile i32 %t, ptr %a
  br label %look
look:
  %v = load i32, ptr %q
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  store volatile i32 %t, ptr %a
  ret void
}

define ptx_kernel void @read_by_address_last_first(i32 %n) {
entry:
  %a = alloca i32
  %holder = alloca ptr
  store volatile ptr %a, ptr %holder
  %p = load volatile ptr, ptr %holder
  %q = load volatile ptr, ptr %holder
  %t = call i32 @__offload_thread_id_x()
  br label %early
end:
  store volatile i32 %t, ptr %a
  ret void
look:
  %v = load i32, ptr %q
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
early:
  store volatile i32 %t, ptr %a
  br label %look
}

define ptx_kernel void @written_by_address(i32 %n) {
entry:
  %a = alloca i32
  %holder = alloca ptr
  store volatile ptr %a, ptr %holder
  %p = load volatile ptr, ptr %holder
  %q = load volatile ptr, ptr %holder
  %t = call i32 @__offload_thread_id_x()
  br label %early
early:
  store volatile i32 %t, ptr %p
  br label %look
look:
  %v = load i32, ptr %q
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  store volatile i32 %t, ptr %p
  ret void
}

define ptx_kernel void @written_by_address_last_first(i32 %n) {
entry:
  %a = alloca i32
  %holder = alloca ptr
  store volatile ptr %a, ptr %holder
  %p = load volatile ptr, ptr %holder
  %q = load volatile ptr, ptr %holder
  %t = call i32 @__offload_thread_id_x()
  br label %early
end:
  store volatile i32 %t, ptr %p
  ret void
look:
  %v = load i32, ptr %q
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
early:
  store volatile i32 %t, ptr %p
  br label %look
}

define ptx_kernel void @by_name_last_first(i32 %n) {
entry:
  %a = alloca i32
  %t = call i32 @__offload_thread_id_x()
  br label %early
end:
  store volatile i32 %t, ptr %a
  ret void
look:
  %v = load volatile i32, ptr %a
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
early:
  store volatile i32 %t, ptr %a
  br label %look
}
;;; stdout
; error[OFC0012]: kernel `by_name` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `read_by_address` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `read_by_address_last_first` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `written_by_address` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `written_by_address_last_first` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `by_name_last_first` has a barrier under control flow that differs between threads
