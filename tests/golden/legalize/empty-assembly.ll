; `black_box`, which is assembly without an instruction, is dropped, whatever it is said to touch.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-
; CHECK: define void @k
; CHECK-NOT: asm
; CHECK: store i32 %n, ptr %out
; CHECK: ret void

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %out, i32 %n) {
  %slot = alloca i32
  store i32 %n, ptr %slot
  call void asm sideeffect "", "r,~{memory}"(ptr %slot)
  call void asm sideeffect alignstack "", "~{dirflag},~{fpsr},~{flags},~{memory}"()
  store i32 %n, ptr %out
  ret void
}
