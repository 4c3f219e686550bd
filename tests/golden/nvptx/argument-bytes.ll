; Arguments of more than 4,352 bytes need `sm_70` and PTX 8.1, and more than 32,764 no NVIDIA GPU takes.
; RUN[most]: for kernel in few many; do offloadc %s --kernel=$kernel --offload-arch=sm_80 --emit=codegen=$kernel.s; \
;   ptxas -arch sm_80 $kernel.s -o $kernel.cubin; echo $kernel $(grep ^.version $kernel.s); done
; FAIL[more]: offloadc %s --kernel=few --kernel='m*' --offload-arch=sm_60,sm_80,gfx90a -o out.o
; FAIL[pinned]: offloadc %s --kernel=many --offload-arch=sm_80 --ptx-version=7.8 -o out.o
; FAIL[state]: offloadc %s --kernel=state --offload-arch=sm_80 -o out.o
; RUN[elsewhere]: offloadc %s --kernel=more --offload-arch=sm_80 --runtime=omptarget -o out.o
; REQUIRES: ptxas

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__rust_alloc(i64, i64)

define void @few(ptr %out, ptr byval([4344 x i8]) align 4 %s) {
  %at = getelementptr i8, ptr %s, i64 4340
  %v = load i32, ptr %at
  store i32 %v, ptr %out
  ret void
}

define void @many(ptr %out, ptr byval([32756 x i8]) align 4 %s) {
  %at = getelementptr i8, ptr %s, i64 32752
  %v = load i32, ptr %at
  store i32 %v, ptr %out
  ret void
}

define void @more(ptr %out, ptr byval([32760 x i8]) align 4 %s) {
  %at = getelementptr i8, ptr %s, i64 32756
  %v = load i32, ptr %at
  store i32 %v, ptr %out
  ret void
}

define void @state(ptr %out, ptr byval([32756 x i8]) align 4 %s) {
  %v = load i32, ptr %s
  %new = call ptr @__rust_alloc(i64 4, i64 4)
  store volatile i32 %v, ptr %new
  ret void
}
;;; stdout[most]
; few .version 7.0
; many .version 8.1
;;; stderr[more]
; error[OFC0026]: kernel `many` takes 32764 bytes of arguments, and the limit is 4352
;   = note: for sm_60
;   = help: put them into device memory, and pass a pointer to it
; error[OFC0026]: kernel `more` takes 32768 bytes of arguments, and the limit is 4352
;   = note: for sm_60
;   = help: put them into device memory, and pass a pointer to it
; error[OFC0026]: kernel `more` takes 32768 bytes of arguments, and the limit is 32764
;   = note: for sm_80
;   = help: put them into device memory, and pass a pointer to it
;;; stderr[pinned]
; error[OFC0026]: kernel `many` takes 32764 bytes of arguments, and the limit is 4352
;   = note: for sm_80
;   = help: put them into device memory, and pass a pointer to it
;;; stderr[state]
; error: kernel `state` takes 32776 bytes of arguments, with the launch's state, and the limit is 32764
;   = note: for sm_80
;;; stderr[elsewhere]
; warning[OFC0039]: the images for `sm_80` are not registered with libomptarget
;   = note: it loads machine code only, and these images are PTX or SPIR-V
;   = help: name NVIDIA's assembler with `--ptxas`, leave the archs out, or use `--runtime=offloadrt`
