; LLVM 23 rounds decimals in their own type, and has words for infinities and NaNs; our LLVM reads the same bits.
;
; RUN@22: offloadc %s --emit=read=- --offload-arch=cpu | grep -E '^@|phi|fadd'

target triple = "x86_64-unknown-linux-gnu"

@half = global [3 x half] [half 1.000170e-04, half f0x3C01, half -inf]
@bfloat = global bfloat 1.000000e-01
@float = global [5 x float] [float 1.000000e-01, float 5.000000e-01, float f0x38D1B717, float +qnan, float -snan(0x1)]
@double = global [4 x double] [double 1.000000e-01, double f0x400921FB54442D18, double +inf, double +nan(0x21)]
@fp128 = global [2 x fp128] [fp128 1.000000e-01, fp128 1.000000e+4000]
@text = constant [9 x i8] c"half +inf"

define half @merged(i1 %c, half %f0x1) {
  br i1 %c, label %a, label %b

a:
  br label %b

b:
  %x = phi half [ +qnan, %0 ], [ -inf, %a ]
  %y = fadd half %x, 1.000170e-04
  ret half %y
}
;;; stdout
; @half = global [3 x half] [half 0xH068E, half 0xH3C01, half 0xHFC00]
; @bfloat = global bfloat 0xR3DCD
; @float = global [5 x float] [float 0x3FB99999A0000000, float 5.000000e-01, float 0x3F1A36E2E0000000, float 0x7FF8000000000000, float 0xFFF0000020000000]
; @double = global [4 x double] [double 1.000000e-01, double 0x400921FB54442D18, double 0x7FF0000000000000, double 0x7FF8000000000021]
; @fp128 = global [2 x fp128] [fp128 0xL999999999999999A3FFB999999999999, fp128 0xL18C21AB905450CC373E6A3750647FCAB]
; @text = constant [9 x i8] c"half +inf"
;   %x = phi half [ 0xH7E00, %0 ], [ 0xHFC00, %a ]
;   %y = fadd half %x, 0xH068E
