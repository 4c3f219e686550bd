; Names that are none in C, a name of two kernels, two names of a kernel, and something that is no function.
; FAIL: offloadc %s --offload-arch=cpu -o %t/o

target triple = "x86_64-unknown-linux-gnu"

@good = constant <{ ptr, [4 x i8] }> <{ ptr @a, [4 x i8] c"good" }>, section ".offload.exports"
@minus = constant <{ ptr, [3 x i8] }> <{ ptr @b, [3 x i8] c"a-b" }>, section ".offload.exports"
@digit = constant <{ ptr, [2 x i8] }> <{ ptr @b, [2 x i8] c"1a" }>, section ".offload.exports"
@none = constant <{ ptr, [0 x i8] }> <{ ptr @b, [0 x i8] zeroinitializer }>, section ".offload.exports"
@taken = constant <{ ptr, [4 x i8] }> <{ ptr @b, [4 x i8] c"good" }>, section ".offload.exports"
@again = constant <{ ptr, [5 x i8] }> <{ ptr @a, [5 x i8] c"other" }>, section ".offload.exports"
@text = constant <{ [4 x i8], ptr }> <{ [4 x i8] c"text", ptr @a }>, section ".offload.exports"
@table = constant <{ ptr, [1 x i8] }> <{ ptr @good, [1 x i8] c"t" }>, section ".offload.exports"

define void @a(ptr %out) {
  ret void
}

define void @b(ptr %out) {
  ret void
}
;;; stderr
; error[OFC0063]: kernel `b` cannot be exported as `a-b`: a name in C has letters, digits and `_`, and does not begin with a digit
; error[OFC0063]: kernel `b` cannot be exported as `1a`: a name in C has letters, digits and `_`, and does not begin with a digit
; error[OFC0063]: kernel `b` cannot be exported as ``: a name in C has letters, digits and `_`, and does not begin with a digit
; error[OFC0063]: kernel `b` cannot be exported as `good`: `a` has this name
; error[OFC0063]: kernel `a` cannot be exported as `other`: it is already exported as `good`
; error[OFC0005]: `text` in section `.offload.exports` contains something that is not a function
;   = help: put structs of a pointer to a function and the bytes of its name there
; error[OFC0005]: `table` in section `.offload.exports` contains something that is not a function
;   = help: put structs of a pointer to a function and the bytes of its name there
