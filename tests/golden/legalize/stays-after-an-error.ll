; The output of a stage is a whole file that stays when a later stage reports an error. The object is as it was.
; FAIL: echo before >out.o; offloadc %s --offload-arch=cpu,sm_80 --emit=legalize=legal.ll -o out.o; status=$?; \
;   tail -n 1 legal.ll | grep -c '}'; cat out.o; ls; exit $status

target triple = "x86_64-unknown-linux-gnu"

declare i32 @elsewhere()

define ptx_kernel void @k(ptr %p) {
  %x = call i32 @elsewhere()
  store i32 %x, ptr %p
  ret void
}
;;; stdout
; 1
; before
; legal.ll
; out.o
;;; stderr
; error[OFC0008]: kernel `k` reaches `elsewhere`, which has no device code
;   = note: called through `k` → `elsewhere`
;   = note: for cpu, sm_80
;   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
