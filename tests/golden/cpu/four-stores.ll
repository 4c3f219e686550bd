; Four elements that each thread stores: eight threads store all of them at once, in the order of their places.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | sed -n '/@four.*vector(.*{/,/^}/p'
; CHECK: = shufflevector <8 x i32> %31, <8 x i32> %33, <16 x i32>
; CHECK: = shufflevector <8 x i32> %36, <8 x i32> %32, <16 x i32>
; CHECK: <32 x i32> <i32 8, i32 24, i32 0, i32 16, i32 9, i32 25, i32 1, i32 17,

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @four(i32 %rounds, ptr %a) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %to = getelementptr [4 x i32], ptr %a, i64 %wide
  %second = getelementptr i32, ptr %to, i64 1
  %third = getelementptr i32, ptr %to, i64 2
  %fourth = getelementptr i32, ptr %to, i64 3
  br label %loop

loop:
  %i = phi i32 [ 0, %start ], [ %more, %loop ]
  %value = phi i32 [ %x, %start ], [ %product, %loop ]
  %product = mul i32 %value, %value
  %more = add i32 %i, 1
  %again = icmp ult i32 %more, %rounds
  br i1 %again, label %loop, label %done

done:
  %other = xor i32 %product, 5
  store i32 %value, ptr %third
  store i32 %other, ptr %to
  store i32 %x, ptr %fourth
  store i32 %product, ptr %second
  ret void
}
