; A function that the loader chooses has no device version.
; FAIL: offloadc %s --offload-arch=cpu --emit=object=-

target triple = "x86_64-unknown-linux-gnu"

@fast = internal ifunc i32 (), ptr @choose

define internal i32 @generic() {
  ret i32 1
}

define internal i32 @special() {
  ret i32 2
}

@has_feature = external global i1

define internal ptr @choose() {
  %yes = load i1, ptr @has_feature
  %f = select i1 %yes, ptr @special, ptr @generic
  ret ptr %f
}

define ptx_kernel void @fill(ptr %out) {
  %v = call i32 @fast()
  store i32 %v, ptr %out
  ret void
}
;;; stderr
; error[OFC0008]: kernel `fill` reaches `fast`, which is chosen when the host program starts
;   = note: reached through `fill` → `fast`
;   = note: for cpu
; error[OFC0034]: kernel `fill` reaches static `has_feature`, which is not defined in the input
;   = note: reached through `fill` → `choose` → `has_feature`
;   = note: for cpu
;   = help: also give offloadc the bitcode of the crate that defines it; a static of a `dylib` that can change belongs to the kernels of that library
