; Functions that other modules may define as well (generic instances, inline functions) come along under any linkage.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-
; CHECK: define available_externally void @available
; CHECK: define linkonce_odr void @once
; CHECK: define weak_odr void @any
; CHECK: define void @fill

target triple = "x86_64-unknown-linux-gnu"

define available_externally void @available(ptr %out) {
  store i32 1, ptr %out
  ret void
}

define linkonce_odr void @once(ptr %out) {
  store i32 2, ptr %out
  ret void
}

define weak_odr void @any(ptr %out) {
  store i32 3, ptr %out
  ret void
}

define linkonce_odr void @unused(ptr %out) {
  ret void
}

define ptx_kernel void @fill(ptr %out) {
  call void @available(ptr %out)
  call void @once(ptr %out)
  call void @any(ptr %out)
  ret void
}
; CHECK-NOT: @unused
