; A function that is called with pointers into several address spaces is copied for each; its parameters have their types.
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=flavor=-
; CHECK[gfx90a]: define internal {{.*}} @last(ptr{{.*}} %p
; CHECK[gfx90a]: call {{.*}} @last.4(ptr addrspace(3)
; CHECK[gfx90a]: call {{.*}} @last.2(ptr addrspace(1)
; CHECK[gfx90a]: call {{.*}} @last(ptr %somewhere
; CHECK[gfx90a]: define internal {{.*}} @last.2(ptr addrspace(1){{.*}} %p
; CHECK[gfx90a]: load volatile i32, ptr addrspace(1)
; CHECK[gfx90a]: define internal {{.*}} @last.4(ptr addrspace(3){{.*}} %p
; CHECK[gfx90a]: load volatile i32, ptr addrspace(3)
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=codegen=-
; CHECK[sm_80]: .entry sum(
; CHECK-NOT[sm_80]: ld.volatile.b32
; CHECK[sm_80]: .func{{.*}}last
; CHECK[sm_80]: ld.volatile.global.b32
; CHECK[sm_80]: .func{{.*}}last
; CHECK[sm_80]: ld.volatile.shared.b32

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x i32] zeroinitializer, section ".offload.shared"

define internal i32 @last(ptr %p, i32 %n) noinline {
  %v = load volatile i32, ptr %p
  %end = icmp eq i32 %n, 0
  br i1 %end, label %done, label %more
more:
  %next = getelementptr i32, ptr %p, i32 %v
  %less = sub i32 %n, 1
  %r = call i32 @last(ptr %next, i32 %less)
  %sum = add i32 %r, %v
  ret i32 %sum
done:
  ret i32 %v
}

define ptx_kernel void @sum(ptr %in, ptr %out, i32 %n) {
  %slot = getelementptr i32, ptr @tile, i32 %n
  %a = call i32 @last(ptr %slot, i32 %n)
  %b = call i32 @last(ptr %in, i32 %n)
  %somewhere = load ptr, ptr %out
  %c = call i32 @last(ptr %somewhere, i32 %n)
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  store i32 %abc, ptr %out
  ret void
}
