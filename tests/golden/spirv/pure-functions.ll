; No function is `Pure`: one that reads its thread's position, through memory or calls, has other results in other threads.
; RUN: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -o "OpFunction %uint.*"
; RUN[without]: offloadc -w %s --offload-arch=spirv64 --without-workaround=drop_memory_effects --emit=image=k.spv; spirv-dis k.spv | grep -o "OpFunction %uint.*"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define internal i32 @square(i32 %factor) noinline {
  %product = mul i32 %factor, %factor
  ret i32 %product
}

define ptx_kernel void @k(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %to = getelementptr i32, ptr %out, i32 %x
  %p = call i32 @square(i32 %x)
  store i32 %p, ptr %to
  ret void
}
;;; stdout
; OpFunction %uint DontInline %3
;;; stdout[without]
; OpFunction %uint DontInline|Pure %3
