; `--device-bitcode` links the needed functions of a file for one arch: they become internal, optimised with the kernel.
; RUN: sed -n 's/^; sm| //p' %s > sm.ll && offloadc %s --offload-arch=sm_80 --device-bitcode=sm_80=sm.ll --emit=flavor=- | grep -o '^define [^(]*(\|call float [^(]*'
; RUN[bitcode]: sed -n 's/^; sm| //p' %s | llvm-as -o sm.bc && \
;   offloadc %s --offload-arch=cpu,sm_80,spirv64 --device-bitcode=sm_80=sm.bc --device-bitcode=gfx90a=absent.bc \
;   --device-bitcode=cpu=<(sed -n 's/^; all| //p' %s) --device-bitcode=spirv64=<(sed -n 's/^; all| //p' %s) -o x.o && echo compiled
; CHECK[inlined]: define{{.*}} void @k(
; CHECK[inlined]: fmul float {{.*}}, 3.000000e+00
; CHECK[inlined]: fadd float
; CHECK-NOT[inlined]: call float
; RUN[inlined]: sed -n 's/^; all| //p' %s > all.ll && offloadc %s --offload-arch=gfx90a --device-bitcode=all.ll --emit=optimize=-
; RUN[first]: sed -n 's/^; all| //p' %s > all.ll && sed 's/3\.0/5.0/' all.ll > other.ll && \
;   offloadc %s --offload-arch=cpu --device-bitcode=all.ll --device-bitcode=other.ll --emit=flavor=- | grep -c 'fmul float %x, 3'
; RUN[after]: sed -n 's/^; first| //p' %s > first.ll && sed -n 's/^; all| //p' %s | sed 's/scale/inner/' > second.ll && \
;   offloadc %s --offload-arch=sm_80 --device-bitcode=first.ll --device-bitcode=second.ll --emit=flavor=- | grep -c 'call float @inner'
; RUN[own]: sed -n 's/^; all| //p' %s > all.ll && cat %s | sed 's/^declare float @scale.*/define float @scale(float %v) { ret float %v }/' > own.ll && \
;   offloadc own.ll --offload-arch=cpu --device-bitcode=all.ll --emit=flavor=- | grep -c fmul || true
; RUN[position]: sed -n 's/^; where| //p' %s > where.ll && \
;   offloadc %s --offload-arch=sm_80 --device-bitcode=where.ll --emit=optimize=- | grep -o 'llvm.nvvm.read.ptx.sreg.tid.x()'
; RUN[slice]: sed -n 's/^; all| //p' %s > all.ll && offloadc %s --offload-arch=sm_80 --device-bitcode=all.ll --emit=slice=s && rm all.ll && \
;   offloadc s --from=slice --offload-arch=sm_80 --emit=flavor=- | grep -c 'fmul float %x, 3'
; RUN[cache]: for n in 3 5 3; do sed -n 's/^; all| //p' %s | sed "s/3\.0/$n.0/" > all.ll; offloadc %s --offload-arch=cpu,sm_80 --device-bitcode=all.ll \
;   --cache-dir=c -o $n.o && cp $n.o last.o; cmp -s last.o 3.o && echo $n; done || true
; RUN[depfile]: sed -n 's/^; all| //p' %s > all.ll && offloadc %s --offload-arch=cpu --device-bitcode=all.ll -o x.o -MD && grep -o 'all.ll' x.d
; RUN[math]: sed -n 's/^; math| //p' %s > math.ll && offloadc %s --offload-arch=sm_80 --device-bitcode=math.ll --emit=optimize=- | grep -c 'call.*@sinf' || true

target triple = "x86_64-unknown-linux-gnu"

declare float @scale(float)

define ptx_kernel void @k(ptr %p) {
  %x = load float, ptr %p
  %y = call float @scale(float %x)
  store float %y, ptr %p
  ret void
}

; The output of a compiler for sm_80: a triple, attributes, and functions that nothing needs.
; sm| target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
; sm| target triple = "nvptx64-nvidia-cuda"
; sm| @calls = internal addrspace(1) global i32 0
; sm| define float @scale(float %x) #0 {
; sm|   %n = atomicrmw add ptr addrspace(1) @calls, i32 1 monotonic
; sm|   %y = call float @twice(float %x)
; sm|   ret float %y
; sm| }
; sm| define linkonce_odr float @twice(float %x) #0 {
; sm|   %y = call float @llvm.fmuladd.f32(float %x, float 2.0, float 1.0)
; sm|   ret float %y
; sm| }
; sm| define float @unused(float %x) {
; sm|   %y = call float @nowhere(float %x)
; sm|   ret float %y
; sm| }
; sm| declare float @nowhere(float)
; sm| attributes #0 = { noinline "target-cpu"="sm_52" "target-features"="+ptx42" }
; sm| !llvm.module.flags = !{!0}
; sm| !0 = !{i32 1, !"wchar_size", i32 4}

; all| define float @scale(float %x) {
; all|   %y = fmul float %x, 3.0
; all|   %z = fadd float %y, 1.0
; all|   ret float %z
; all| }

; first| declare float @inner(float)
; first| define float @scale(float %x) noinline {
; first|   %y = call float @inner(float %x)
; first|   ret float %y
; first| }

; where| declare i32 @__offload_thread_id_x()
; where| define float @scale(float %x) {
; where|   %t = call i32 @__offload_thread_id_x()
; where|   %y = uitofp i32 %t to float
; where|   ret float %y
; where| }

; math| declare float @sinf(float)
; math| define float @scale(float %x) {
; math|   %y = call float @sinf(float %x)
; math|   ret float %y
; math| }
;;; stdout
; define internal float @scale(
; call float @twice
; define internal float @twice(
; define ptx_kernel void @k(
; call float @scale
;;; stdout[bitcode]
; compiled
;;; stdout[first]
; 1
;;; stdout[after]
; 1
;;; stdout[own]
; 0
;;; stdout[position]
; llvm.nvvm.read.ptx.sreg.tid.x()
; llvm.nvvm.read.ptx.sreg.tid.x()
;;; stdout[slice]
; 1
;;; stdout[cache]
; 3
; 3
;;; stdout[depfile]
; all.ll
;;; stdout[math]
; 0
