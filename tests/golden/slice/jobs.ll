; A slice has all that the job of an arch needs: its image is the image of a whole build. The object of a build whose
; jobs ran elsewhere is the same, too.
; RUN[images]: offloadc %s --emit=slice=s.bin -O3 --ftz --offload-arch=cpu,sm_80,gfx90a:xnack+,spirv64 && for arch in cpu sm_80 gfx90a:xnack+ spirv64; do \
;   for stage in flavor optimize codegen image; do offloadc %s --offload-arch=$arch -O3 --ftz --emit=$stage=whole && \
;   offloadc s.bin --from=slice --offload-arch=$arch --emit=$stage=rest && cmp whole rest || exit; done; done
; RUN[build]: options=(%s --offload-arch=cpu,sm_80,gfx90a:xnack+,spirv64 -Os --ptx-version=8.0); \
;   offloadc "${options[@]}" -o here.o && for isolated in "" --distributor-arg=--isolated; do \
;   offloadc "${options[@]}" -o there.o --distributor="$(dirname %s)"/../../../scripts/distributors/local.py $isolated && \
;   cmp here.o there.o || exit; done
; RUN[pipe]: offloadc %s --offload-arch=sm_80 --emit=slice=- | offloadc job - --offload-arch=sm_80 -o image && head -c 16 image
; RUN[canonical]: mkdir -p a b; for f in a b; do cp %s $f/in.ll; offloadc $f/in.ll --emit=slice=$f.bin --offload-arch=cpu,sm_80; done; cmp a.bin b.bin
; RUN[kept]: offloadc %s --offload-arch=cpu --save-temps=t -o out.o && ls t | grep slice
; FAIL=2[archs]: offloadc %s --offload-arch=cpu,sm_80 --emit=slice=s.bin && offloadc s.bin --from=slice --offload-arch=cpu,sm_80 --emit=image
; FAIL=2[no-arch]: offloadc job s.bin -o image
; FAIL=2[alone]: offloadc %s --distributor-arg=x

target triple = "x86_64-unknown-linux-gnu"

@shared = internal global [32 x float] undef, section ".offload.shared"
declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads() convergent

define ptx_kernel void @fill(ptr %out, float %v) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %s = getelementptr float, ptr @shared, i64 %i
  store float %v, ptr %s
  call void @__offload_sync_threads()
  %r = load float, ptr %s
  %d = fadd float %r, %v
  %to = getelementptr float, ptr %out, i64 %i
  store float %d, ptr %to
  ret void
}
;;; stdout[pipe]
; offloadc cache 1
;;; stdout[kept]
; jobs.slice.bin
;;; stderr[archs]
; error: `--from=slice` needs one arch, the arch of the input: `--offload-arch=ARCH`
;;; stderr[no-arch]
; error: the following required arguments were not provided:
;   --offload-arch <ARCH>
;
; Usage: offloadc job --offload-arch <ARCH> --output <FILE> <SLICE> [MATH_LIBRARY]
;
; For more information, try '--help'.
;;; stderr[alone]
; error: the following required arguments were not provided:
;   --distributor <PROGRAM>
;
; Usage: offloadc [OPTIONS] <INPUT>... -o <FILE>
;        offloadc inspect <FILE> [--json]
;        offloadc inspect --diff <OLD> <NEW>
;        offloadc cache <stats|clear>
;        offloadc finish <FILE> --offload-arch=<ARCH> -o <FILE>
;        offloadc add <FILE> --offload-arch=<LIST>
;        offloadc strip <FILE> --keep=<LIST>
;        offloadc job <SLICE> --offload-arch=<ARCH> -o <FILE>
;
; For more information, try '--help'.
