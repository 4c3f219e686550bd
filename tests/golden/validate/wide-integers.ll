; Integers that are wider than back ends translate in reasonable time are refused on every target, products and
; quotients earlier than sums.
; RUN: offloadc -w %s --offload-arch=cpu,gfx90a,sm_80,spirv64 --kernel=fits --emit=validate=- | grep -c "i4096"
; RUN[too-wide]: not offloadc -w %s --offload-arch=cpu,gfx90a,sm_80,spirv64 --kernel=sum --kernel=product --kernel=checked --kernel=quotient --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare { i2056, i1 } @llvm.umul.with.overflow.i2056(i2056, i2056)

define void @fits(ptr %p) {
  %a = load i4096, ptr %p
  %b = add i4096 %a, 5
  %c = trunc i4096 %b to i2048
  %d = mul i2048 %c, %c
  store i2048 %d, ptr %p
  ret void
}

define void @sum(ptr %p) {
  %a = load i4104, ptr %p
  %b = add i4104 %a, 5
  store i4104 %b, ptr %p
  ret void
}

define void @product(ptr %p) {
  %a = load i2056, ptr %p
  %b = mul i2056 %a, 5
  store i2056 %b, ptr %p
  ret void
}

define void @checked(ptr %p) {
  %a = load i2056, ptr %p
  %b = call { i2056, i1 } @llvm.umul.with.overflow.i2056(i2056 %a, i2056 %a)
  store { i2056, i1 } %b, ptr %p
  ret void
}

define void @quotient(ptr %p) {
  %a = load i4096, ptr %p
  %b = udiv i4096 %a, 7
  store i4096 %b, ptr %p
  ret void
}
;;; stdout
; 2
;;; stderr[too-wide]
; error[OFC0020]: kernel `sum` uses the type `i4104`, and no device has integers of more than 4096 bits
;   = note: for cpu, gfx90a, sm_80, spirv64
;   = help: use narrower integers in kernels
; error[OFC0020]: kernel `product` multiplies or divides the type `i2056`, and devices can do that with at most 2048 bits
;   = note: also in `checked`
;   = note: for cpu, gfx90a, sm_80, spirv64
;   = help: use narrower integers in kernels
; error[OFC0020]: kernel `quotient` multiplies or divides the type `i4096`, and devices can do that with at most 2048 bits
;   = note: for cpu, gfx90a, sm_80, spirv64
;   = help: use narrower integers in kernels
