; A local with a large alignment becomes a part of a larger local.
; RUN: offloadc %s --run-pass=align_locals --offload-arch=spirv64 | grep -v "^target"

declare void @g(ptr)

define void @f() {
  %local = alloca [4 x i32], align 128
  call void @g(ptr %local)
  ret void
}
;;; stdout
;
; declare void @g(ptr)
;
; define void @f() {
;   %1 = alloca [80 x i8], align 64
;   %2 = ptrtoint ptr %1 to i64
;   %3 = sub i64 0, %2
;   %4 = and i64 %3, 127
;   %5 = getelementptr inbounds i8, ptr %1, i64 %4
;   call void @g(ptr %5)
;   ret void
; }
