; The address of a local is compared as the generic address that the program sees, and null is no address in private
; memory: LLVM would convert the number to the address space of the local.
; RUN[nvptx]: offloadc -w %s --offload-arch=sm_80 --emit=codegen=- | grep -oE "(setp|cvta.to)[.a-z0-9]*.*"
; RUN[nvptx-numbers]: offloadc -w %s --offload-arch=sm_80 --without-workaround=compare_as_numbers --emit=codegen=- | \
;   grep -oE "(setp|cvta.to)[.a-z0-9]*.*"
; RUN[nvptx-null]: offloadc -w %s --offload-arch=sm_80 --without-workaround=keep_null --emit=codegen=- | \
;   grep -oE "(setp|cvta.to)[.a-z0-9]*.*"
; RUN[amdgpu]: offloadc -w %s --offload-arch=gfx90a --emit=codegen=- | grep -oE "(s_cmp|src_private).*"
; RUN[amdgpu-numbers]: offloadc -w %s --offload-arch=gfx90a --without-workaround=compare_as_numbers --emit=codegen=- | \
;   grep -oE "(s_cmp|src_private).*" | sed 's/ s[0-9]*/ s/'

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, i64 %i) {
  %t = alloca [64 x i8], align 8
  %e = getelementptr i8, ptr %t, i64 %i
  %c = icmp eq ptr %e, inttoptr (i64 8 to ptr)
  %number = zext i1 %c to i32
  store volatile i32 %number, ptr %p
  %n = icmp eq ptr %e, null
  %null = zext i1 %n to i32
  store volatile i32 %null, ptr %p
  store volatile i8 3, ptr %e
  ret void
}
;;; stdout[nvptx]
; setp.eq.b64 	%p1, %rd5, 8;
; setp.eq.b64 	%p2, %rd4, -1;
;;; stdout[nvptx-numbers]
; cvta.to.local.u64 	%rd6, %rd5;
; setp.eq.b64 	%p1, %rd4, %rd6;
; setp.eq.b64 	%p2, %rd4, -1;
;;; stdout[nvptx-null]
; setp.eq.b64 	%p1, %rd5, 8;
; cvta.to.local.u64 	%rd7, %rd6;
; setp.eq.b64 	%p2, %rd4, %rd7;
;;; stdout[amdgpu]
; src_private_base
; s_cmp_eq_u64 s[8:9], 8
; s_cmp_eq_u32 s8, -1
;;; stdout[amdgpu-numbers]
; s_cmp_eq_u32 s, 8
; s_cmp_eq_u32 s, -1
