; The result of a vote is the same in all lanes if all take part. Lanes with different masks have different results, and
; the lanes that are executed together must agree on a branch about it.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | sed -n '/^define.*thread.1.vector(/,/^}/p' | grep '^define\|icmp\|br ' | sed 's/(.*//'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i64 @__offload_ballot_sync(i64, i1)

define ptx_kernel void @own(ptr %masks, ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %at = getelementptr i64, ptr %masks, i64 %i
  %mask = load i64, ptr %at
  %odd = trunc i32 %x to i1
  %votes = call i64 @__offload_ballot_sync(i64 %mask, i1 %odd)
  %to = getelementptr i64, ptr %out, i64 %i
  %many = icmp ugt i64 %votes, 99
  br i1 %many, label %store, label %end

store:
  store i64 %votes, ptr %to
  br label %end

end:
  ret void
}
;;; stdout
; define internal <8 x i32> @own.thread.1.vector
;   %18 = icmp ugt <8 x i64> %17, splat
;   %21 = icmp ne i8 %20, 0
;   br i1 %21, label %some.vector, label %all.vector
;   br label %all.vector
