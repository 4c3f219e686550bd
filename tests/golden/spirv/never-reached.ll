; A loop that LLVM proves to be never entered has values that depend on themselves: splitting its integers does not loop
; on them. (`u128::pow` asks whether its base is a constant, and has another loop for that.)
; RUN: offloadc -w -O0 %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -c OpLabel

target triple = "x86_64-unknown-linux-gnu"
declare i1 @llvm.is.constant.i32(i32)

define ptx_kernel void @k(ptr %out, i32 %n, i64 %seed) {
entry:
  %x = zext i64 %seed to i128
  %known = call i1 @llvm.is.constant.i32(i32 %n)
  br i1 %known, label %loop, label %done

loop:
  %power = phi i128 [ %x, %entry ], [ %square, %loop ]
  %left = phi i32 [ %n, %entry ], [ %less, %loop ]
  %square = mul i128 %power, %power
  %less = lshr i32 %left, 1
  %last = icmp eq i32 %less, 0
  br i1 %last, label %done, label %loop

done:
  %r = phi i128 [ 1, %entry ], [ %square, %loop ]
  %t = trunc i128 %r to i64
  store i64 %t, ptr %out
  ret void
}
;;; stdout
; 2
