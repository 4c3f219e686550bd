; A construct that only instruction selection finds to have no code is an error of the input, which names the kernel.
; FAIL@22: offloadc %s --offload-arch=spirv64 -o out.o 2>message; status=$?; sed 's/instruction: .*/instruction: …/' message >&2; exit $status

target triple = "x86_64-unknown-linux-gnu"

declare <4 x i32> @llvm.sshl.sat.v4i32(<4 x i32>, <4 x i32>)

define ptx_kernel void @k(ptr %p) {
  %x = load <4 x i32>, ptr %p
  %y = call <4 x i32> @llvm.sshl.sat.v4i32(<4 x i32> %x, <4 x i32> %x)
  store <4 x i32> %y, ptr %p
  ret void
}
;;; stderr
; error: LLVM has no code for the kernels while generating code for spirv64, kernel `k`: unable to legalize instruction: …
