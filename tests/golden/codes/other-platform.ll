; Every input's platform is looked at, all inputs are for one platform, and IR that names none is the host's.
; RUN[none]: grep -v '^target' %s > plain.ll; offloadc plain.ll --offload-arch=cpu,sm_80 -o out.o
; FAIL[other]: grep -v '^target' %s | sed 's/@k/@other/' > plain.ll; offloadc plain.ll %s --offload-arch=cpu,sm_80 -o out.o
; FAIL[system]: sed 's/riscv64-unknown-linux-gnu/aarch64-apple-darwin/' %s > mac.ll; offloadc mac.ll -o out.o 2>&1 | sed 's/`[^ ]*mac.ll`/`mac.ll`/'
; FAIL[two]: grep -v '^target' %s | sed 's/@k/@other/' > plain.ll; sed 's/riscv64/aarch64/' %s > arm.ll; \
;   offloadc plain.ll arm.ll --offload-arch=cpu -o out.o
; RUN[runtimes]: sed 's/riscv64/aarch64/' %s > arm.ll; for r in cuda hip liboffload mgpu omptarget none; do \
;   offloadc arm.ll --offload-arch=sm_80 --runtime=$r -o out.o 2>&1 || true; done

target triple = "riscv64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %out) {
  store i32 1, ptr %out
  ret void
}
;;; stderr[other]
; error: cannot read the input: `%s` was compiled for `riscv64-unknown-linux-gnu`, and host objects can be made for x86-64 Linux and aarch64 Linux only
;;; stdout[system]
; note[OFC0002]: no `--offload-arch` is given, so kernels run on the `cpu` only
;   = help: name the GPUs as well: `--offload-arch=cpu,sm_80,gfx90a`
; error: cannot read the input: `mac.ll` was compiled for `aarch64-apple-darwin`, and host objects can be made for x86-64 Linux and aarch64 Linux only
;;; stderr[two]
; error: cannot read the input: `plain.ll` was compiled for `x86_64-unknown-linux-gnu`, and `arm.ll` for `aarch64-unknown-linux-gnu`
;;; stdout[runtimes]
; error: `--runtime=cuda` is for programs for x86-64 Linux, and the program is for aarch64 Linux: omit `--runtime`, or register the images yourself with `--runtime=none`
; error: `--runtime=hip` is for programs for x86-64 Linux, and the program is for aarch64 Linux: omit `--runtime`, or register the images yourself with `--runtime=none`
; error: `--runtime=liboffload` is for programs for x86-64 Linux, and the program is for aarch64 Linux: omit `--runtime`, or register the images yourself with `--runtime=none`
; error: `--runtime=mgpu` is for programs for x86-64 Linux, and the program is for aarch64 Linux: omit `--runtime`, or register the images yourself with `--runtime=none`
; error: `--runtime=omptarget` is for programs for x86-64 Linux, and the program is for aarch64 Linux: omit `--runtime`, or register the images yourself with `--runtime=none`
