; A value in .offload.kernels that is no function is an error for each static that holds it; null and padding are not.
; FAIL: offloadc %s --offload-arch=cpu -o %t/o

target triple = "x86_64-unknown-linux-gnu"

@table = constant [2 x i64] [i64 1, i64 2], section ".offload.kernels"
@record = constant <{ ptr, i32, [4 x i8] }> <{ ptr @k, i32 7, [4 x i8] undef }>, section ".offload.kernels"
@text = private constant [2 x i8] c"k\00"
@pointer = constant ptr @text, section ".offload.kernels"
@empty = constant [3 x ptr] [ptr null, ptr undef, ptr @k], section ".offload.kernels"

define void @k(ptr %out) {
  ret void
}
;;; stderr
; error[OFC0005]: `table` in section `.offload.kernels` contains something that is not a function
;   = help: put pointers to functions there, such as `static K: unsafe extern "C" fn(*mut f32) = kernel;`
; error[OFC0005]: `record` in section `.offload.kernels` contains something that is not a function
;   = help: put pointers to functions there, such as `static K: unsafe extern "C" fn(*mut f32) = kernel;`
; error[OFC0005]: `pointer` in section `.offload.kernels` contains something that is not a function
;   = help: put pointers to functions there, such as `static K: unsafe extern "C" fn(*mut f32) = kernel;`
