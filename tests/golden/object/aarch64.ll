; The object of an aarch64 program: its machine, the relocations of handles, and the constructor. GPUs get the same images
; as from x86-64, because the layouts of memory are equal.
; CHECK[header]: Class: 64-bit
; CHECK[header]: Machine: EM_AARCH64
; RUN[header]: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o; llvm-readobj --file-headers out.o
; CHECK[code]: <__offload_register
; CHECK[code]: bti c
; CHECK[code]: stp x29, x30, [sp, #-0x10]!
; CHECK[code]: mov x29, sp
; CHECK[code]: adrp x0,
; CHECK[code]: R_AARCH64_ADR_PREL_PG_HI21 __offload_descriptor.
; CHECK[code]: add x0, x0, #
; CHECK[code]: R_AARCH64_ADD_ABS_LO12_NC __offload_descriptor.
; CHECK[code]: bl
; CHECK[code]: R_AARCH64_CALL26 offloadrt_register
; CHECK[code]: ldp x29, x30, [sp], #0x10
; CHECK[code]: ret
; RUN[code]: offloadc %s --offload-arch=cpu -o out.o; llvm-objdump -dr out.o
; CHECK[data]: R_AARCH64_ABS64 __offload_cpu.
; RUN[data]: offloadc %s --offload-arch=cpu -o out.o; llvm-readobj -r out.o
; RUN[images]: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 -o arm.o; offloadc inspect arm.o | sed -n '/^images/,/^$/p'
; RUN[same]: sed 's/aarch64/x86_64/' %s > x86.ll; for arch in sm_80 gfx90a spirv64; do \
;   offloadc %s --offload-arch=$arch --emit=image=arm.bin; offloadc x86.ll --offload-arch=$arch --emit=image=x86.bin; \
;   cmp arm.bin x86.bin && echo $arch; done
; FAIL[level]: offloadc %s --offload-arch=cpu:x86-64-v3 -o out.o
; FAIL[omptarget]: offloadc %s --offload-arch=cpu --runtime=omptarget -o out.o
; RUN[job]: offloadc %s --offload-arch=cpu --emit=slice=s; offloadc job s --offload-arch=cpu -o image; \
;   offloadc %s --offload-arch=cpu --emit=optimize=o.ll; offloadc o.ll --from=optimize --offload-arch=cpu --emit=codegen=- \
;   | grep -c 'ret$'

target triple = "aarch64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare ptr @__offload_kernel(ptr)

define void @k(ptr %p, i32 %v) {
  %i = call i32 @__offload_thread_id_x()
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %v, ptr %a
  ret void
}

define ptr @handle() {
  %h = call ptr @__offload_kernel(ptr @k)
  ret ptr %h
}
;;; stdout[images]
; images
;   arch     triple                     kind    bytes  notes
;   cpu      aarch64-unknown-linux-gnu  none    0      warps of 32 lanes
;   gfx90a   amdgcn-amd-amdhsa          object  2672
;   sm_80    nvptx64-nvidia-cuda        ptx     419    driver 450.36, PTX 7.0
;   spirv64  spirv64-unknown-unknown    spirv   708
;
;;; stdout[same]
; sm_80
; gfx90a
; spirv64
;;; stderr[level]
; error: `cpu:x86-64-v3` is a processor of x86-64, and the program is for aarch64 Linux: name `cpu`
;;; stderr[omptarget]
; error: the image for libomptarget is for x86-64 Linux, and the program is for aarch64 Linux: omit `--runtime=omptarget`
;;; stdout[job]
; 1
