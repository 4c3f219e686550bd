; A choice between structs with a struct inside, with fields replaced deep in it: no part of it reaches the back end.
; RUN[plain]: offloadc -w -O0 %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv
; RUN[optimised]: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv

target triple = "x86_64-unknown-linux-gnu"
define internal void @use(ptr %p, {i32, [2 x float]} %v) noinline {
  store {i32, [2 x float]} %v, ptr %p
  ret void
}
define ptx_kernel void @k(ptr %p, ptr %q, i32 %n) {
entry:
  %a = load {i32, [2 x float]}, ptr %q
  br label %loop
loop:
  %v = phi {i32, [2 x float]} [ %a, %entry ], [ %w, %more ]
  %i = phi i32 [ 0, %entry ], [ %j, %more ]
  %d = icmp eq i32 %i, %n
  br i1 %d, label %end, label %more
more:
  %x = extractvalue {i32, [2 x float]} %v, 0
  %y = add i32 %x, 3
  %b = insertvalue {i32, [2 x float]} %v, i32 %y, 0
  %f = extractvalue {i32, [2 x float]} %v, 1, 0
  %g = fadd float %f, 1.0
  %w = insertvalue {i32, [2 x float]} %b, float %g, 1, 1
  %j = add i32 %i, 1
  br label %loop
end:
  store {i32, [2 x float]} %v, ptr %p
  ret void
}
