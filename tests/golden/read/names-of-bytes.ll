; Everything is found by its name, so a symbol that is not UTF-8 or holds a NUL is refused by name, of a kernel, a callee or a
; variable: two of them could read as one. LLVM's own parser takes no NUL, but bitcode can hold one.
; FAIL[kernels]: offloadc %s --offload-arch=cpu,sm_80 -o out.o
; FAIL[callee]: echo 'define void @"f\FF"() { ret void } define ptx_kernel void @k() { call void @"f\FF"() ret void }' >in.ll; \
;   offloadc in.ll --offload-arch=cpu -o out.o
; FAIL[variable]: echo '@"a\E9b" = global i32 0' >in.ll; offloadc in.ll --offload-arch=cpu -o out.o
; FAIL[nul]: echo 'define void @aZb() { ret void }' | llvm-as | LC_ALL=C sed 's/aZb/a\x00b/' >in.bc; \
;   offloadc in.bc --offload-arch=cpu -o out.o
; RUN[text]: echo 'define ptx_kernel void @"köln"() { ret void }' | offloadc - --offload-arch=cpu,sm_80,spirv64 -o out.o

target triple = "x86_64-unknown-linux-gnu"

@k = constant ptr @"\FFkernel", section ".offload.kernels"
@"k2" = constant ptr @"\FEkernel", section ".offload.kernels"

define void @"\FFkernel"(ptr %p) {
  store i32 1, ptr %p
  ret void
}

define void @"\FEkernel"(ptr %p) {
  store i32 2, ptr %p
  ret void
}
;;; stderr[kernels]
; error[OFC0022]: `%s` names something `\FFkernel`, which is not UTF-8 or holds a NUL
;   = help: give it another symbol
;;; stderr[callee]
; error[OFC0022]: `in.ll` names something `f\FF`, which is not UTF-8 or holds a NUL
;   = help: give it another symbol
;;; stderr[variable]
; error[OFC0022]: `in.ll` names something `a\E9b`, which is not UTF-8 or holds a NUL
;   = help: give it another symbol
;;; stderr[nul]
; error[OFC0022]: `in.bc` names something `a\00b`, which is not UTF-8 or holds a NUL
;   = help: give it another symbol
