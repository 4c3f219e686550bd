; A function that reaches nothing convergent once dead code is gone is no longer convergent; one that still does is.
; Both are recursive, so that they are not inlined.
; RUN: offloadc %s -O0 --offload-arch=cpu --cpu-warp-size=1 --emit=simplify=- | grep -c 'call void @\(near\|far\)(i32 %n.*) #'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_shuffle_xor(i32, i32)

define internal void @near(i32 %x, ptr %out) noinline {
  %v = call i32 @__offload_shuffle_xor(i32 %x, i32 1)
  store i32 %v, ptr %out
  %more = icmp ugt i32 %x, 9
  br i1 %more, label %again, label %end
again:
  call void @near(i32 0, ptr %out)
  br label %end
end:
  ret void
}

define internal void @far(i32 %x, ptr %out) noinline {
  br i1 false, label %dead, label %end
dead:
  %v = call i32 @__offload_shuffle_xor(i32 %x, i32 1)
  store i32 %v, ptr %out
  call void @far(i32 0, ptr %out)
  br label %end
end:
  ret void
}

define ptx_kernel void @k(i32 %n, ptr %out) {
  call void @near(i32 %n, ptr %out)
  call void @far(i32 %n, ptr %out)
  ret void
}
;;; stdout
; 1
