; A function that the loader chooses has no device version.
; FAIL: offloadc %s --offload-arch=cpu --emit=object=-

target triple = "x86_64-unknown-linux-gnu"

@fast = internal ifunc i32 (), ptr @choose

define internal i32 @generic() {
  ret i32 1
}

define internal ptr @choose() {
  ret ptr @generic
}

define ptx_kernel void @fill(ptr %out) {
  %v = call i32 @fast()
  store i32 %v, ptr %out
  ret void
}
;;; stderr
; error[OFC0008]: kernel `fill` reaches `fast`, which is chosen when the host program starts
;   = note: called through `fill` → `fast`
