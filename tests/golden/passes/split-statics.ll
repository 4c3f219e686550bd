; A static of 128 bits keeps its bytes as two words.
; RUN: offloadc %s --run-pass=split_statics --offload-arch=spirv64 | grep -v "^target"

@wide = internal constant i128 18446744073709551617

define i128 @f() {
  %r = load i128, ptr @wide
  ret i128 %r
}
;;; stdout
;
; @wide = internal constant [16 x i8] c"\01\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00", align 8
;
; define i128 @f() {
;   %r = load i128, ptr @wide, align 4
;   ret i128 %r
; }
