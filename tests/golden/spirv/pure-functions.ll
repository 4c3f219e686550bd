; A function that reads its thread's position is not `Pure`: it has other results for the same arguments in other threads.
; RUN: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -o "OpFunction %uint.*"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()

define internal i32 @position(i32 %factor) noinline {
  %x = call i32 @__offload_thread_id_x()
  %b = call i32 @__offload_block_id_x()
  %product = mul i32 %b, %factor
  %sum = add i32 %product, %x
  ret i32 %sum
}

define ptx_kernel void @k(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %to = getelementptr i32, ptr %out, i32 %x
  %p = call i32 @position(i32 100)
  store i32 %p, ptr %to
  ret void
}
;;; stdout
; OpFunction %uint DontInline %3
