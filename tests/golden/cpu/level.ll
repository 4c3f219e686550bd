; `cpu` alone is baseline x86-64, on every build machine; a level of the psABI is asked for by name.
; RUN[baseline]: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu
; CHECK[baseline]: fadd <4 x float>
; CHECK-NOT[baseline]: fadd <8 x float>
; RUN[v3]: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu:x86-64-v3
; CHECK[v3]: fadd <8 x float>
; RUN[native]: offloadc %s --offload-arch=cpu:native --emit=flavor=- | grep -c 'define hidden void @__offload_cpu'
; FAIL=1[omptarget]: offloadc %s --offload-arch=cpu:all --runtime=omptarget --emit=bundle=-
; FAIL=2[unknown]: offloadc %s --offload-arch=cpu:haswell

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @add(ptr %x, i32 %n) {
  %t = call i32 @__offload_thread_id_x()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %write, label %leave

write:
  %wide = zext i32 %t to i64
  %place = getelementptr float, ptr %x, i64 %wide
  %value = load float, ptr %place
  %sum = fadd float %value, 1.0
  store float %sum, ptr %place
  br label %leave

leave:
  ret void
}
;;; stdout[native]
; 1
;;; stderr[omptarget]
; error: libomptarget loads one image for the host, and `cpu:x86-64-v3` is a second one: name one of them, or use `--runtime=offloadrt`
;;; stderr[unknown]
; error: unknown arch `cpu:haswell`
;   = help: the nearest is `cpu`
;   = help: `offloadc --print-targets` lists all
