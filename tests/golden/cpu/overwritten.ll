; Pairs of elements that a thread stores to two addresses, which may be neighbours. The stores of a pair do not move
; past one that may overwrite them, also in LLVM's vectoriser, whose loop may not execute the threads in any order. They
; also do not move past a byte of theirs. With nothing in between, each pair is one store.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | sed -n '/@pairs.*vector(.*{/,/^}/p'
; RUN[bytes]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | sed -n '/@bytes.*vector(.*{/,/^}/p'
; RUN[once]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep -c 'llvm.loop.parallel_accesses' || true
; RUN[beside]: sed 's,; else ,,; /; overlaps$/d' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu -
; CHECK: mul <8 x i32>
; CHECK-NOT: store <16 x i32>
; CHECK[bytes]: mul <8 x i32>
; CHECK-NOT[bytes]: store <16 x i32>
; CHECK[once]: 0
; CHECK[beside]: store <16 x i32>
; CHECK[beside]: store <16 x i32>
; CHECK[beside]: llvm.loop.parallel_accesses

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @pairs(i32 %rounds, ptr %a, ptr %b) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %twice = mul nuw i64 %wide, 2
  %next = add nuw i64 %twice, 1
  %to = getelementptr i32, ptr %a, i64 %twice
  %to.next = getelementptr i32, ptr %a, i64 %next
  %other = getelementptr i32, ptr %b, i64 %twice
  %other.next = getelementptr i32, ptr %b, i64 %next
  br label %loop

loop:
  %i = phi i32 [ 0, %start ], [ %more, %loop ]
  %value = phi i32 [ %x, %start ], [ %product, %loop ]
  %product = mul i32 %value, %value
  %more = add i32 %i, 1
  %again = icmp ult i32 %more, %rounds
  br i1 %again, label %loop, label %done

done:
  store i32 %value, ptr %to.next
  store i32 %i, ptr %other ; overlaps
  store i32 %product, ptr %to
  ; else store i32 %i, ptr %other
  store i32 %product, ptr %other.next
  ret void
}

define ptx_kernel void @bytes(i32 %rounds, ptr %a) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %twice = mul nuw i64 %wide, 2
  %next = add nuw i64 %twice, 1
  %to = getelementptr i32, ptr %a, i64 %twice
  %to.next = getelementptr i32, ptr %a, i64 %next
  %byte = getelementptr i8, ptr %to.next, i64 1
  br label %loop

loop:
  %i = phi i32 [ 0, %start ], [ %more, %loop ]
  %value = phi i32 [ %x, %start ], [ %product, %loop ]
  %product = mul i32 %value, %value
  %more = add i32 %i, 1
  %again = icmp ult i32 %more, %rounds
  br i1 %again, label %loop, label %done

done:
  store i32 %value, ptr %to.next
  store i8 7, ptr %byte ; overlaps
  store i32 %product, ptr %to
  ret void
}

define ptx_kernel void @once(i32 %n, ptr %a, ptr %b) {
  %x = call i32 @__offload_thread_id_x()
  %is.in = icmp ult i32 %x, %n
  br i1 %is.in, label %in, label %done

in:
  %wide = zext i32 %x to i64
  %twice = mul nuw i64 %wide, 2
  %next = add nuw i64 %twice, 1
  %to = getelementptr i32, ptr %a, i64 %twice
  %to.next = getelementptr i32, ptr %a, i64 %next
  %other = getelementptr i32, ptr %b, i64 %twice
  store i32 %x, ptr %to.next
  store i32 5, ptr %other ; overlaps
  store i32 %x, ptr %to
  br label %done

done:
  ret void
}
