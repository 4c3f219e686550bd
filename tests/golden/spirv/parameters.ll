; A function of SPIR-V has 255 parameters at most, of which a kernel keeps two for the launch's state and for launch-sized
; shared memory. Kernels with more are refused, and functions with more are inlined.
; RUN[most]: sed "s/, MANY/$(seq 252 | sed 's/.*/, i32/' | tr -d '\n')/; s/, ARGUMENTS/$(seq 252 | sed 's/.*/, i32 7/' | tr -d '\n')/" %s | \
;   offloadc -w - --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv
; FAIL[more]: sed "s/, MANY/$(seq 253 | sed 's/.*/, i32/' | tr -d '\n')/; s/, ARGUMENTS/$(seq 253 | sed 's/.*/, i32 7/' | tr -d '\n')/" %s | \
;   offloadc -w - --offload-arch=spirv64 --emit=image=k.spv

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_dynamic_shared()

define internal void @f(ptr %0, MANY) noinline {
  %shared = call ptr @__offload_dynamic_shared()
  store volatile ptr %shared, ptr %0
  ret void
}

define void @k(ptr %0, MANY) {
  call void @f(ptr %0, ARGUMENTS)
  call void @f(ptr %0, ARGUMENTS)
  ret void
}

@.kernels = internal constant ptr @k, section ".offload.kernels"
;;; stderr[more]
; error[OFC0026]: kernel `k` takes 254 arguments, and the limit is 253
;   = note: for spirv64
;   = help: put them into a struct, or into device memory with a pointer to it
