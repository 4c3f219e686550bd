; A function that reads the position of its thread in the block is inlined: Intel's OpenCL gives it an arbitrary position if
; all its arguments are constants.
; RUN: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -cE "OpFunction |OpFunctionCall"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define internal i32 @position(i32 %factor) noinline {
  %x = call i32 @__offload_thread_id_x()
  %product = mul i32 %x, %factor
  ret i32 %product
}

define internal i32 @caller() noinline {
  %x = call i32 @position(i32 3)
  ret i32 %x
}

define ptx_kernel void @k(ptr %out) {
  %p = call i32 @caller()
  store i32 %p, ptr %out
  ret void
}
;;; stdout
; 1
