; A static of 128 bits keeps its bytes as two words, also in an array of such numbers. A static without them stays, and
; one with a struct is refused, whose fields would move.
; RUN: offloadc %s --run-pass=split_statics --offload-arch=spirv64 | grep -v "^target"
; FAIL[struct]: echo '@pair = internal constant { i64, i128 } { i64 1, i128 2 }' >pair.ll && \
;   offloadc pair.ll --run-pass=split_statics --offload-arch=spirv64

@wide = internal constant i128 18446744073709551617

define i128 @f() {
  %r = load i128, ptr @wide
  ret i128 %r
}

@numbers = internal constant [3 x i128] [i128 -2, i128 poison, i128 0]
@zero = internal global [2 x i128] zeroinitializer
@odd = internal constant i72 -1
@words = internal constant { i64, i32 } { i64 1, i32 2 }

define i64 @g(i64 %i) {
  %at = getelementptr i128, ptr @numbers, i64 %i
  %number = load i128, ptr %at
  store i128 %number, ptr @zero
  %odd = load i72, ptr @odd
  %cut = trunc i72 %odd to i64
  %word = load i64, ptr @words
  %r = add i64 %word, %cut
  ret i64 %r
}
;;; stdout
;
; @words = internal constant { i64, i32 } { i64 1, i32 2 }
; @wide = internal constant [16 x i8] c"\01\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00", align 8
; @numbers = internal constant [3 x [16 x i8]] [[16 x i8] c"\FE\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF\FF", [16 x i8] poison, [16 x i8] zeroinitializer], align 8
; @zero = internal global [2 x [16 x i8]] zeroinitializer, align 8
; @odd = internal constant [16 x i8] c"\FF\FF\FF\FF\FF\FF\FF\FF\FF\00\00\00\00\00\00\00", align 8
;
; define i128 @f() {
;   %r = load i128, ptr @wide, align 4
;   ret i128 %r
; }
;
; define i64 @g(i64 %i) {
;   %at = getelementptr i128, ptr @numbers, i64 %i
;   %number = load i128, ptr %at, align 4
;   store i128 %number, ptr @zero, align 4
;   %odd = load i72, ptr @odd, align 4
;   %cut = trunc i72 %odd to i64
;   %word = load i64, ptr @words, align 4
;   %r = add i64 %word, %cut
;   ret i64 %r
; }
;;; stderr[struct]
; error: static `pair` has integers of an uncommon width in a struct
