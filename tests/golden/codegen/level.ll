; Without optimisation, code is generated at level 1: at level 0, LLVM 22's back end cannot select this division, and
; LLVM 23's cannot select this comparison.
; RUN: for arch in sm_80 gfx90a gfx1100; do offloadc -w -O0 %s --offload-arch=$arch --emit=codegen=code; done
; FAIL@22[without]: offloadc -w -O0 %s --offload-arch=gfx90a --without-workaround=codegen_level --emit=codegen=- 2>&1 | \
;   grep -o "Cannot select: .* = udivrem" | sed 's/0x[0-9a-f]*/ADDRESS/'
; FAIL@23[without-in-23]: offloadc -w -O0 %s --offload-arch=gfx90a --without-workaround=codegen_level --emit=codegen=- 2>&1 | \
;   grep -o "Cannot select: .* = AMDGPUISD::SETCC" | sed 's/0x[0-9a-f]*/ADDRESS/'

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, i16 %a, i16 %b) {
  %q = udiv i16 %a, %b
  %r = urem i16 %a, %b
  %s = add i16 %q, %r
  store i16 %s, ptr %p
  ret void
}

declare i64 @__offload_ballot(i1)

define ptx_kernel void @l(ptr %p) {
  %c = load volatile i8, ptr %p
  %is = trunc i8 %c to i1
  %not = icmp eq i1 %is, false
  %lanes = call i64 @__offload_ballot(i1 %not)
  store i64 %lanes, ptr %p
  ret void
}
;;; stdout[without]
; Cannot select: ADDRESS: i16,i16 = udivrem
;;; stdout[without-in-23]
; Cannot select: ADDRESS: i64 = AMDGPUISD::SETCC
