; With `--skip-refused-archs` an arch whose code is refused is left out with a warning, and the others are built. It is
; refused when the module is looked at (`wide` on GPUs), or when its code is made (`active` in a PTX version too old).
;
; RUN[skipped]: offloadc %s --skip-refused-archs --offload-arch=cpu,sm_80,spirv64 -o out.o; offloadc inspect out.o | \
;   grep -E '^  (cpu|sm_80|spirv64)'
; FAIL[none-left]: offloadc %s --skip-refused-archs --offload-arch=sm_80,gfx90a -o out.o
; FAIL[not-asked-for]: offloadc %s --offload-arch=cpu,sm_80 -o out.o
; RUN[json]: offloadc %s --skip-refused-archs --offload-arch=cpu,sm_80 --message-format=json -o out.o 2>&1 | \
;   grep -oE '"(code|level)":"[A-Za-z0-9]*"'
; RUN[hushed]: offloadc %s --skip-refused-archs --offload-arch=cpu,sm_80 -w -o out.o
; FAIL[error-again]: offloadc %s --skip-refused-archs --offload-arch=cpu,sm_80 -Werror=skipped-arch -o out.o
; RUN[meant]: offloadc %s --skip-refused-archs --offload-arch=cpu,sm_80 -Werror -Wno-error=skipped-arch -o out.o 2>&1 | \
;   grep -c ^warning
; With `--offload-arch-optional` only these archs may be left out. It adds archs to those of `--offload-arch`, or to `cpu`.
; RUN[optional]: offloadc %s --offload-arch=cpu --offload-arch-optional=sm_80,spirv64 -o out.o; offloadc inspect out.o | \
;   grep -E '^  (cpu|sm_80|spirv64)'
; RUN[added]: offloadc %s --offload-arch-optional=sm_80 -w -o out.o; offloadc inspect out.o | grep -E '^  (cpu|sm_80)'
; RUN[in-both]: offloadc %s --offload-arch=cpu,sm_80 --offload-arch-optional=sm_80 -w -o out.o
; FAIL[needed]: offloadc %s --offload-arch=cpu,sm_80 --offload-arch-optional=spirv64 -o out.o
; FAIL[no-optional-left]: offloadc %s --offload-arch=sm_80 --offload-arch-optional=sm_80,spirv64 -o out.o 2>&1 | head -1
; FAIL=2[unknown]: offloadc %s --offload-arch-optional=sm_8 -o out.o 2>&1 | head -1
;
; FAIL[of-all]: echo 'declare void @puts(ptr)  define void @host(ptr %p) { call void @puts(ptr %p) ret void }' >in.ll; \
;   offloadc in.ll --kernel=host --skip-refused-archs --offload-arch=cpu,sm_80 -o out.o 2>&1 | head -1
;
; An earlier build's image does not count as this one's, unless this one fails. Dependencies are the same.
; RUN[images]: touch a.image.cpu.img skipped-arch.image.sm_80.img; offloadc %s -w --skip-refused-archs \
;   --offload-arch=cpu,sm_80 --emit=object=out.o --emit=image -MD; ls; cat out.d | tr -d '\n'
; RUN[kept]: touch skipped-arch.image.sm_80.img; ! offloadc %s --skip-refused-archs \
;   --offload-arch=gfx90a,sm_80 --emit=image 2>/dev/null; ls
; RUN[tools]: offloadc %s -### --skip-refused-archs --offload-arch=cpu,gfx90a 2>&1 | grep -c ^warning

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @wide(ptr %p) {
  %x = atomicrmw add ptr %p, i128 1 seq_cst
  ret void
}

define ptx_kernel void @through(ptr %p, ptr %f) {
  call void %f(ptr %p)
  ret void
}
;;; stdout[skipped]
;   cpu   x86_64-unknown-linux-gnu  none  0      warps of 32 lanes
;;; stderr[skipped]
; warning[OFC0035]: kernel `wide` accesses 16 bytes atomically, and the limit is 8
;   = note: for sm_80, spirv64
;   = help: use narrower atomics in kernels
; warning[OFC0016]: kernel `through` calls a function through a pointer, which this device does not support
;   = note: for spirv64
;   = help: call the function by name, or use generics
; warning[OFC0040]: `sm_80` is left out: the output has no code for it
;   = note: kernel `wide` accesses 16 bytes atomically, and the limit is 8 (OFC0035)
; warning[OFC0040]: `spirv64` is left out: the output has no code for it
;   = note: kernel `wide` accesses 16 bytes atomically, and the limit is 8 (OFC0035); and one more fault
;;; stderr[none-left]
; error[OFC0035]: kernel `wide` accesses 16 bytes atomically, and the limit is 8
;   = note: for sm_80, gfx90a
;   = help: use narrower atomics in kernels
;;; stderr[not-asked-for]
; error[OFC0035]: kernel `wide` accesses 16 bytes atomically, and the limit is 8
;   = note: for sm_80
;   = help: use narrower atomics in kernels
;;; stdout[json]
; "code":"OFC0035"
; "level":"warning"
; "level":"note"
; "level":"help"
; "code":"OFC0040"
; "level":"warning"
; "level":"note"
;;; stderr[error-again]
; warning[OFC0035]: kernel `wide` accesses 16 bytes atomically, and the limit is 8
;   = note: for sm_80
;   = help: use narrower atomics in kernels
; error[OFC0040]: `sm_80` is left out: the output has no code for it
;   = note: kernel `wide` accesses 16 bytes atomically, and the limit is 8 (OFC0035)
;;; stdout[meant]
; 2
;;; stdout[optional]
;   cpu   x86_64-unknown-linux-gnu  none  0      warps of 32 lanes
;;; stderr[optional]
; warning[OFC0035]: kernel `wide` accesses 16 bytes atomically, and the limit is 8
;   = note: for sm_80, spirv64
;   = help: use narrower atomics in kernels
; warning[OFC0016]: kernel `through` calls a function through a pointer, which this device does not support
;   = note: for spirv64
;   = help: call the function by name, or use generics
; warning[OFC0040]: `sm_80` is left out: the output has no code for it
;   = note: kernel `wide` accesses 16 bytes atomically, and the limit is 8 (OFC0035)
; warning[OFC0040]: `spirv64` is left out: the output has no code for it
;   = note: kernel `wide` accesses 16 bytes atomically, and the limit is 8 (OFC0035); and one more fault
;;; stdout[added]
;   cpu   x86_64-unknown-linux-gnu  none  0      warps of 32 lanes
;;; stderr[needed]
; error[OFC0035]: kernel `wide` accesses 16 bytes atomically, and the limit is 8
;   = note: for sm_80, spirv64
;   = help: use narrower atomics in kernels
; error[OFC0016]: kernel `through` calls a function through a pointer, which this device does not support
;   = note: for spirv64
;   = help: call the function by name, or use generics
;;; stdout[no-optional-left]
; error[OFC0035]: kernel `wide` accesses 16 bytes atomically, and the limit is 8
;;; stdout[unknown]
; error: the LLVM in use cannot compile for `sm_8`
;;; stdout[of-all]
; error[OFC0007]: kernel `host` reaches `puts`, which needs an operating system
;;; stdout[images]
; a.image.cpu.img
; out.d
; out.o
; skipped-arch.image.cpu.img
; out.o: \  %s
;;; stdout[kept]
; skipped-arch.image.sm_80.img
;;; stdout[tools]
; 2
