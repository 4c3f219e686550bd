; Compilation can continue from the output of `flavor`, `optimize` or `codegen` for an arch, and gives the same code.
; RUN[nvptx]: for stage in flavor optimize codegen; do \
;   offloadc %s --offload-arch=sm_80 --emit=$stage=$stage.ll --emit=image=whole && \
;   offloadc $stage.ll --from=$stage --offload-arch=sm_80 --emit=image=rest && cmp whole rest || exit; done
; RUN[amdgpu]: for stage in flavor optimize codegen; do \
;   offloadc %s --offload-arch=gfx90a --emit=$stage=$stage.ll --emit=image=whole && \
;   offloadc $stage.ll --from=$stage --offload-arch=gfx90a --emit=image=rest && cmp whole rest || exit; done
; RUN[spirv]: for stage in flavor optimize codegen; do \
;   offloadc %s --offload-arch=spirv64 --emit=$stage=$stage.ll --emit=image=whole && \
;   offloadc $stage.ll --from=$stage --offload-arch=spirv64 --emit=image=rest && cmp whole rest || exit; done
; RUN[cpu]: for stage in flavor optimize codegen; do \
;   offloadc %s --offload-arch=cpu --emit=$stage=$stage.ll --emit=image=whole && test -s whole && \
;   offloadc $stage.ll --from=$stage --offload-arch=cpu --emit=image=rest && cmp whole rest || exit; done
; RUN[changed]: offloadc %s --offload-arch=sm_80 --emit=flavor=- | sed 's/fadd/fsub/' | \
;   offloadc - --from=flavor --offload-arch=sm_80 --emit=codegen=-
; CHECK[changed]: sub.rn.f32
; FAIL[other-arch]: offloadc %s --offload-arch=sm_80 --emit=flavor=- | \
;   offloadc - --from=flavor --offload-arch=gfx90a --emit=codegen=-
; FAIL=2[object]: offloadc %s --from=flavor --offload-arch=sm_80
; FAIL=2[backwards]: offloadc %s --from=optimize --offload-arch=sm_80 --emit=flavor
; FAIL=2[archs]: offloadc %s --from=flavor --offload-arch=sm_80,gfx90a --emit=codegen
; RUN[edited]: offloadc %s --offload-arch=sm_80 --emit=codegen=- | sed 's/add.rn.f32/sub.rn.f32/' | \
;   offloadc - --from=codegen --offload-arch=sm_80 --emit=image=-
; CHECK[edited]: sub.rn.f32
; FAIL[other-code]: for arch in sm_90 gfx90a cpu; do offloadc %s --offload-arch=sm_80 --emit=codegen=- | \
;   offloadc - --from=codegen --offload-arch=$arch --emit=image=out || echo failed $arch; done; test -e out
; FAIL[wrong-code]: offloadc %s --offload-arch=gfx90a --emit=codegen=- | sed 's/s_endpgm/s_no_such/' | \
;   offloadc - --from=codegen --offload-arch=gfx90a --emit=image=out
; FAIL=2[not-code]: offloadc %s --from=codegen --offload-arch=sm_80 --emit=codegen
; FAIL=2[stage]: offloadc %s --from=image --offload-arch=sm_80 --emit=image

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
;;; stderr[other-arch]
; error[OFC0022]: the input is a module for `nvptx64-nvidia-cuda`, but `gfx90a` needs one for `amdgcn-amd-amdhsa`
;   = help: `--from` takes the output of `--emit=flavor` or `--emit=optimize` for the same arch
;;; stderr[object]
; error: `--from=flavor` needs `--emit` with a later stage: optimize, codegen, image
;;; stderr[backwards]
; error: `--from=optimize` needs `--emit` with a later stage: codegen, image
;;; stderr[archs]
; error: `--from=flavor` needs one arch, the arch of the input: `--offload-arch=ARCH`
;;; stdout[other-code]
; failed sm_90
; failed gfx90a
; failed cpu
;;; stderr[other-code]
; error[OFC0022]: standard input cannot be assembled for `sm_90`: it is PTX for `sm_80`
;   = help: `--from=codegen` takes the output of `--emit=codegen` for the same arch
; error[OFC0022]: standard input cannot be assembled for `gfx90a`: line 5: expected string
;   = help: `--from=codegen` takes the output of `--emit=codegen` for the same arch
; error[OFC0022]: standard input cannot be assembled for `cpu`: line 5: expected string
;   = help: `--from=codegen` takes the output of `--emit=codegen` for the same arch
;;; stderr[wrong-code]
; error[OFC0022]: standard input cannot be assembled for `gfx90a`: line 21: invalid instruction
;   = help: `--from=codegen` takes the output of `--emit=codegen` for the same arch
;;; stderr[not-code]
; error: `--from=codegen` needs `--emit` with a later stage: image
;;; stderr[stage]
; error: invalid value 'image' for '--from <STAGE>': the stages are read, split, resolve, legalize, simplify, validate, slice, flavor, optimize, codegen
;
; For more information, try '--help'.
