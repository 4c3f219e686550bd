; Elements whose 32-bit numbers may wrap around between them are not known to be side by side: no thread loads them as one.
; RUN: for change in '' 's/= add i32 %first/= add nuw i32 %first/'; do sed "$change" %s > input.ll; \
;   offloadc input.ll -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | \
;     sed -n '/@four.thread.vector(.*{/,/^}/p' | grep -c 'load <4 x float>'; done || true

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @four(i32 %off, ptr noalias readonly %from, ptr noalias %to) {
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = shl i32 %x, 4
  %first = add i32 %own, %off
  %second = add i32 %first, 1
  %third = add i32 %first, 2
  %fourth = add i32 %first, 3
  %i0 = zext i32 %first to i64
  %i1 = zext i32 %second to i64
  %i2 = zext i32 %third to i64
  %i3 = zext i32 %fourth to i64
  %a0 = getelementptr float, ptr %from, i64 %i0
  %a1 = getelementptr float, ptr %from, i64 %i1
  %a2 = getelementptr float, ptr %from, i64 %i2
  %a3 = getelementptr float, ptr %from, i64 %i3
  %v0 = load float, ptr %a0, align 4
  %v1 = load float, ptr %a1, align 4
  %v2 = load float, ptr %a2, align 4
  %v3 = load float, ptr %a3, align 4
  %s1 = fadd float %v0, %v1
  %s2 = fmul float %s1, %v2
  %s3 = fadd float %s2, %v3
  %out = getelementptr float, ptr %to, i64 %wide
  store float %s3, ptr %out, align 4
  ret void
}
;;; stdout
; 0
; 8
