; A struct that rustc passes as a wide number may have the address of a local in it, where a call has stored it: the
; callee may write through it. Other kernels would hide this, because calls are inlined for one that is refused.
; FAIL[simplified]: offloadc -w %s --offload-arch=cpu --emit=validate=- 2>&1 | grep ^error
; FAIL[plain]: offloadc -w %s -O0 --offload-arch=cpu --emit=validate=- 2>&1 | grep ^error

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define internal void @wait_if(i32 %v) alwaysinline {
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define internal void @fill_wide(i128 %s) noinline {
  %t = call i32 @__offload_thread_id_x()
  %w = alloca {ptr, i32, i16}
  store volatile i128 %s, ptr %w
  %p = load volatile ptr, ptr %w
  store volatile i32 %t, ptr %p
  ret void
}

define internal void @wrap_in(ptr %w, ptr %a) noinline {
  store volatile ptr %a, ptr %w
  ret void
}

define ptx_kernel void @wide_filled_by_call(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %w = alloca i128
  call void @wrap_in(ptr %w, ptr %a)
  %x = load i128, ptr %w
  call void @fill_wide(i128 %x)
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}
;;; stdout[simplified]
; error[OFC0012]: kernel `wide_filled_by_call` has a barrier under control flow that differs between threads
;;; stdout[plain]
; error[OFC0012]: kernel `wide_filled_by_call` has a barrier under control flow that differs between threads
