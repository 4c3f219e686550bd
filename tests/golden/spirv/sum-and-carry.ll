; A checked sum, and a counter that is compared with 0 before it is counted down, stay unchanged: LLVM would make
; OpIAddCarry of each, and Intel's OpenCL for processors loses threads' parts of its result at a barrier.
; RUN: offloadc -w -O1 %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -oE "OpIAddCarry|OpIAdd |OpULessThan|OpIEqual|OpINotEqual"

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %out, i32 %a, i32 %b, i64 %n) {
entry:
  %sum = add i32 %a, %b
  %round = icmp ult i32 %sum, %a
  br i1 %round, label %done, label %store

store:
  store i32 %sum, ptr %out
  br label %loop

loop:
  %left = phi i64 [ %n, %store ], [ %less, %step ]
  %none = icmp eq i64 %left, 0
  br i1 %none, label %done, label %step

step:
  %less = add i64 %left, -1
  %at = getelementptr i64, ptr %out, i64 %less
  store volatile i64 %less, ptr %at
  br label %loop

done:
  ret void
}
;;; stdout
; OpIAdd
; OpULessThan
; OpIEqual
; OpIAdd
; OpIEqual
