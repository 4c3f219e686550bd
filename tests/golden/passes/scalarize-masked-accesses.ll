; A masked load is branches and loads of single elements.
; RUN: offloadc %s --run-pass=scalarize_masked_accesses --offload-arch=spirv64 | grep -v "^target"
; CHECK: define <2 x i32> @f
; CHECK-NOT: call <2 x i32> @llvm.masked.load
; CHECK: load i32
; CHECK: load i32
; CHECK: ret <2 x i32>

define <2 x i32> @f(ptr %p, <2 x i1> %mask) {
  %r = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr align 4 %p, <2 x i1> %mask, <2 x i32> zeroinitializer)
  ret <2 x i32> %r
}
