; Intrinsics of the host's vectoriser that not every code generator has are plain instructions.
; RUN: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && offloadc %s --offload-arch=sm_80,gfx90a -o o
; RUN[plain]: offloadc %s --offload-arch=cpu --emit=legalize=-
; CHECK[plain]: bitcast <32 x i1> %mask to i32
; CHECK[plain]: call i32 @llvm.cttz.i32
; CHECK[plain]: extractelement <8 x i32> %parts, i32 4
; CHECK-NOT[plain]: partial.reduce
; CHECK[plain]: store

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, ptr %q) {
  %bytes = load <32 x i8>, ptr %p
  %mask = icmp eq <32 x i8> %bytes, zeroinitializer
  %first = call i64 @llvm.experimental.cttz.elts.i64.v32i1(<32 x i1> %mask, i1 false)
  store i64 %first, ptr %q
  %parts = load <8 x i32>, ptr %q
  %some = load <4 x i32>, ptr %p
  %sums = call <4 x i32> @llvm.vector.partial.reduce.add.v4i32.v8i32(<4 x i32> %some, <8 x i32> %parts)
  store <4 x i32> %sums, ptr %q
  %positive = icmp sgt <8 x i32> %parts, zeroinitializer
  call void @llvm.masked.compressstore.v8i32(<8 x i32> %parts, ptr %p, <8 x i1> %positive)
  ret void
}
