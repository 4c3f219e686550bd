; Files of `--device-bitcode` that cannot be used, and calls that still have no body: each names the file or the call path.
; FAIL[arch]: sed -n 's/^; sm| //p' %s | llvm-as -o sm.bc && offloadc %s --offload-arch=cpu,sm_80 --device-bitcode=sm.bc -o x.o
; FAIL[layout]: sed -n 's/^; big| //p' %s > big.ll && offloadc %s --offload-arch=cpu --device-bitcode=big.ll -o x.o
; FAIL[type]: sed -n 's/^; type| //p' %s > type.ll && offloadc %s --offload-arch=cpu,sm_80 --device-bitcode=type.ll -o x.o
; FAIL[kernel]: sed -n 's/^; kernel| //p' %s > kernel.ll && offloadc %s --offload-arch=cpu --device-bitcode=kernel.ll -o x.o
; FAIL[builtin]: sed -n 's/^; barrier| //p' %s > barrier.ll && offloadc %s --offload-arch=cpu --device-bitcode=barrier.ll -o x.o
; FAIL[missing]: sed -n 's/^; sm| //p' %s > sm.ll && offloadc %s --offload-arch=cpu,sm_80 --device-bitcode=sm_80=sm.ll -o x.o
; FAIL[deeper]: sed -n 's/^; deeper| //p' %s > deeper.ll && offloadc %s --offload-arch=sm_80,gfx90a --device-bitcode=deeper.ll -o x.o
; FAIL[text]: echo 'not IR' > text.ll && offloadc %s --offload-arch=cpu --device-bitcode=text.ll -o x.o
; FAIL[damaged]: echo 'define void @f(' > damaged.ll && offloadc %s --offload-arch=cpu --device-bitcode=damaged.ll -o x.o
; FAIL[assembly]: echo 'module asm ".globl x"' > assembly.ll && offloadc %s --offload-arch=cpu --device-bitcode=assembly.ll -o x.o
; FAIL[absent]: offloadc %s --offload-arch=cpu --device-bitcode=absent.bc -o x.o
; FAIL@22[newer]: cp $(dirname %s)/../../newer_llvm/kernel.bc newer.bc && offloadc %s --offload-arch=cpu --device-bitcode=newer.bc --rustc-llvm=absent.so -o x.o 2>&1 | head -1
; FAIL=2[unknown]: offloadc %s --offload-arch=cpu --device-bitcode=sm_8=f.bc -o x.o
; FAIL=2[from]: offloadc %s --from=flavor --offload-arch=cpu --device-bitcode=f.bc --emit=image=x

target triple = "x86_64-unknown-linux-gnu"

declare float @scale(float)

define ptx_kernel void @k(ptr %p) {
  %x = load float, ptr %p
  %y = call float @scale(float %x)
  store float %y, ptr %p
  ret void
}

; sm| target triple = "nvptx64-nvidia-cuda"
; sm| define float @scale(float %x) {
; sm|   ret float %x
; sm| }

; big| target datalayout = "E-i64:32"
; big| define float @scale(float %x) {
; big|   ret float %x
; big| }

; type| define double @scale(double %x) {
; type|   ret double %x
; type| }

; kernel| define float @scale(float %x) {
; kernel|   ret float %x
; kernel| }
; kernel| define void @k() {
; kernel|   ret void
; kernel| }

; barrier| declare void @__offload_sync_threads()
; barrier| define float @scale(float %x) {
; barrier|   call void @__offload_sync_threads()
; barrier|   ret float %x
; barrier| }

; deeper| declare float @nowhere(float)
; deeper| define float @scale(float %x) {
; deeper|   %y = call float @nowhere(float %x)
; deeper|   ret float %y
; deeper| }
;;; stderr[arch]
; error[OFC0050]: `sm.bc` is compiled for `nvptx64-nvidia-cuda`, and `cpu` needs `x86_64-unknown-linux-gnu`
;   = note: for cpu
;   = help: compile it for this arch, and name the arch: `--device-bitcode=ARCH=FILE`
;;; stderr[layout]
; error[OFC0050]: `big.ll` has the data layout `E-i64:32`, and `cpu` needs `e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128`
;   = note: for cpu
;   = help: compile it for this arch, and name the arch: `--device-bitcode=ARCH=FILE`
;;; stderr[type]
; error[OFC0050]: `type.ll` defines `scale` as `double (double)`, and the program calls it as `float (float)`
;   = note: for cpu, sm_80
;   = help: declare it in the program as the file defines it: pass a struct by a pointer, and no pointer with an address space
;;; stderr[kernel]
; error[OFC0050]: `kernel.ll` defines `k`, the name of a kernel
;   = note: for cpu
;   = help: rename one of the two
;;; stderr[builtin]
; error[OFC0050]: `scale` of `barrier.ll` calls `__offload_sync_threads`, which only the program may call
;   = note: for cpu
;   = help: call it in the kernel, before or after the function; files may ask for the position of the thread
;;; stderr[missing]
; error[OFC0008]: kernel `k` reaches `scale`, which has no device code
;   = note: called through `k` → `scale`
;   = note: for cpu
;   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
;;; stderr[deeper]
; error[OFC0008]: kernel `k` reaches `nowhere`, which has no device code
;   = note: called through `k` → `scale` → `nowhere`
;   = note: for sm_80, gfx90a
;   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
;;; stderr[text]
; error[OFC0022]: `text.ll` is text but not LLVM IR; expected LLVM bitcode or IR text, or an object with bitcode in it
;;; stderr[damaged]
; error[OFC0022]: `damaged.ll` is not valid LLVM IR: `damaged.ll`:2:1: error: expected type
;   = note: it goes on:
;
;           ^
;;; stderr[assembly]
; error[OFC0050]: `assembly.ll` has assembly outside of functions
;   = help: only functions become part of device code: write the assembly within one
;;; stderr[absent]
; error: cannot read `absent.bc`: no such file or directory
;;; stdout[newer]
; error[OFC0021]: `newer.bc` was written by LLVM 23.1.1 (rustc 1.99.1-stable), which is newer than offloadc's LLVM 22
;;; stderr[unknown]
; error: the LLVM in use cannot compile for `sm_8`
;   = help: the nearest are `sm_80`, `sm_86`, `sm_87`
;   = help: `offloadc --print-targets` lists all
;   = help: a file whose name contains `=` is `./NAME`
;;; stderr[from]
; error: `--device-bitcode` has no effect with `--from=flavor`
;   = help: name the file where the input is made, which contains what it adds
