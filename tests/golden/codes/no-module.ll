; Files without a module, and text that LLVM's parser or verifier refuses, are errors.
; FAIL[words]: echo 'dear reader,' > in.txt; offloadc in.txt --offload-arch=cpu -o out.o
; FAIL[syntax]: offloadc %s --offload-arch=cpu -o out.o
; FAIL[invalid]: sed 's/i33/i32/; s/%b/%a/' %s > in.ll; offloadc in.ll --offload-arch=cpu -o out.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  %a = add i32 %b, 1
  store i33 %a, ptr %p
  ret void
}
;;; stderr[words]
; error[OFC0022]: `in.txt` is text but not LLVM IR; expected LLVM bitcode or IR text, or an object with bitcode in it
;;; stderr[syntax]
; error[OFC0022]: `%s` is not valid LLVM IR: `%s`:10:13: error: '%a' defined with type 'i32' but expected 'i33'
;   = note: it goes on:
;             store i33 %a, ptr %p
;                       ^
;;; stderr[invalid]
; error[OFC0023]: `in.ll` contains an invalid module: Only PHI nodes may reference their own value!
;   = note: it goes on:
;             %a = add i32 %a, 1
