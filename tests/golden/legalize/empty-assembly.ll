; Assembly without an instruction, from `black_box` or with a comment only, is dropped, whatever its clobbers are; its
; results are its operands.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-
; CHECK: define void @k
; CHECK-NOT: asm
; CHECK: insertvalue { i64, i64 } poison, i64 %x, 0
; CHECK: insertvalue { i64, i64 } %{{.*}}, i64 %y, 1
; CHECK: %sum = add i64 %a, %b
; CHECK: store i64 %sum, ptr %wide
; CHECK: store i32 %n, ptr %out
; CHECK: ret void

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %out, i32 %n, i64 %x, i64 %y, ptr %wide) {
  %slot = alloca i32
  store i32 %n, ptr %slot
  call void asm sideeffect "", "r,~{memory}"(ptr %slot)
  call void asm sideeffect alignstack "", "~{dirflag},~{fpsr},~{flags},~{memory}"()
  call void asm sideeffect inteldialect "/* ${0:q} */", "r,~{memory}"(ptr %wide)
  %one = call i64 asm inteldialect "/*${0:q}*/", "=r,0"(i64 %x)
  %two = call { i64, i64 } asm sideeffect alignstack inteldialect "# ${0:q} ${1:q}", "=&r,=&r,0,1,~{dirflag},~{fpsr},~{flags},~{memory}"(i64 %one, i64 %y)
  %a = extractvalue { i64, i64 } %two, 0
  %b = extractvalue { i64, i64 } %two, 1
  %c = call i64 asm sideeffect "", "=r,0,r,~{memory}"(i64 %b, i64 %a)
  %sum = add i64 %a, %c
  store i64 %sum, ptr %wide
  store i32 %n, ptr %out
  ret void
}
