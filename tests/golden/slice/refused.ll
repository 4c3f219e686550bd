; A file that is not a slice of this offloadc is refused, and so is an image that a distributor should not have returned.
; FAIL[other-file]: offloadc job %s --offload-arch=sm_80 -o image
; FAIL[missing]: offloadc job none --offload-arch=sm_80 -o image
; FAIL[damaged]: offloadc %s --offload-arch=sm_80 --emit=slice=whole && head -c 300 whole > s.bin && offloadc job s.bin --offload-arch=sm_80 -o image
; FAIL[not-checked]: offloadc %s --offload-arch=cpu,gfx90a --emit=slice=s.bin && offloadc job s.bin --offload-arch=sm_80 -o image
; FAIL[option]: offloadc %s --offload-arch=cpu --emit=slice=s.bin && offloadc s.bin --from=slice --offload-arch=cpu --cpu-vectorize=auto \
;   --emit=codegen=- >code && offloadc s.bin --from=slice --offload-arch=cpu --cpu-vectorize=never --emit=codegen=-
; FAIL[from]: offloadc %s --from=slice --offload-arch=sm_80 --emit=codegen=-
; FAIL[job-fails]: offloadc %s --offload-arch=gfx90a --emit=slice=s.bin && offloadc job s.bin --offload-arch=gfx90a --lld=no-such-lld -o image
; FAIL[no-program]: offloadc %s --distributor=./none --offload-arch=sm_80 -o out.o
; FAIL[fails]: printf '#!/bin/sh\necho starting; exit 3\n' > d; chmod +x d; \
;   offloadc %s --distributor=./d --offload-arch=sm_80,gfx90a -o out.o
; FAIL[a-job-fails]: offloadc %s --distributor="$(dirname %s)"/../../../scripts/distributors/local.py --lld=none \
;   --offload-arch=sm_80,gfx90a --offload-arch-optional=spirv64 -o out.o 2>&1 | sed 's,`/.*/,`,'
; FAIL[does-nothing]: offloadc %s --distributor=true --offload-arch=sm_80 -o out.o
; FAIL[writes-half]: printf '#!/usr/bin/env python3\nimport json, sys\nfor job in json.load(open(sys.argv[-1]))["jobs"]:\n  open(job["outputs"][0], "w").write("half")\n' > d; \
;   chmod +x d; offloadc %s --distributor=./d --offload-arch=sm_80 -o out.o
; FAIL[another]: printf '#!/usr/bin/env python3\nimport json, subprocess, sys\nlist = json.load(open(sys.argv[-1]))\nfor job in list["jobs"]:\n  subprocess.check_call(list["common"]["args"] + job["args"] + ["--lld=/bin/sh"])\n' > d; \
;   chmod +x d; offloadc %s --distributor=./d --offload-arch=sm_80 -o out.o
; RUN[nothing-left]: ls -A; offloadc %s --distributor=true --offload-arch=sm_80 -o out.o 2>out; ls -A

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @first(ptr %p) {
  store i32 1, ptr %p
  ret void
}

define ptx_kernel void @second(ptr %p) {
  store i32 2, ptr %p
  ret void
}
;;; stderr[other-file]
; error[OFC0045]: `%s` is not a slice
;   = help: `offloadc --emit=slice` writes slices
;;; stderr[missing]
; error: cannot read `none`: no such file or directory
;;; stderr[damaged]
; error[OFC0045]: `s.bin` is a damaged slice
;   = help: write it again with `offloadc --emit=slice`
;;; stderr[not-checked]
; error[OFC0045]: the slice `s.bin` was not checked for `sm_80`
;   = note: it was checked for `cpu`, `gfx90a`
;   = help: name the arch in `--offload-arch` where the slice is written
;;; stderr[option]
; error[OFC0045]: the slice `s.bin` was written without `--cpu-vectorize=never`
;   = help: name the option where the slice is written
;;; stderr[from]
; error[OFC0045]: `%s` is not a slice
;   = help: `offloadc --emit=slice` writes slices
;;; stderr[job-fails]
; error: cannot make the image for gfx90a: cannot link the code object for `gfx90a`: cannot run `no-such-lld`: no such file or directory
;   = note: this is the job of kernel `first` and 1 more
;   = note: for gfx90a
;;; stderr[no-program]
; error[OFC0046]: cannot run `./none`: no such file or directory
;   = note: there is no image of kernel `first` and 1 more
;   = help: name the program by its path, or put its folder into `PATH`
;   = help: without `--distributor`, images are compiled on this machine
;;; stderr[fails]
; starting
; error[OFC0046]: `./d` failed: exit status: 3
;   = note: there is no image of kernel `first` and 1 more
;   = note: for sm_80, gfx90a
;   = help: the messages of the program and its jobs are above
;   = help: without `--distributor`, images are compiled on this machine
;;; stdout[a-job-fails]
; error: cannot make the image for gfx90a: cannot link the code object for `gfx90a`: cannot run `none`: no such file or directory
;   = note: this is the job of kernel `first` and 1 more
;   = note: for gfx90a
; error[OFC0046]: `local.py` failed: exit status: 1
;   = note: there is no image of kernel `first` and 1 more
;   = note: for gfx90a
;   = help: the messages of the program and its jobs are above
;   = help: without `--distributor`, images are compiled on this machine
;;; stderr[does-nothing]
; error[OFC0047]: the image that `true` returned cannot be used
;   = note: it is the image of kernel `first` and 1 more; it cannot be read: no such file or directory
;   = note: for sm_80
;   = help: each job must run with the same offloadc, LLVM and tools as this build, and its output must be copied back
;;; stderr[writes-half]
; error[OFC0047]: the image that `./d` returned cannot be used
;   = note: it is the image of kernel `first` and 1 more; it is damaged
;   = note: for sm_80
;   = help: each job must run with the same offloadc, LLVM and tools as this build, and its output must be copied back
;;; stderr[another]
; error[OFC0047]: the image that `./d` returned cannot be used
;   = note: it is the image of kernel `first` and 1 more; it was compiled with another: linker
;   = note: for sm_80
;   = help: each job must run with the same offloadc, LLVM and tools as this build, and its output must be copied back
;;; stdout[nothing-left]
; out
