; Names that PTX cannot spell are changed, stay different, and never become another function's.
; RUN[kernels]: offloadc %s --offload-arch=cpu --kernel=* --emit=kernels=-
; RUN[split]: offloadc %s --offload-arch=cpu --kernel=a.b --kernel=a_b --kernel=1st --emit=split=-
; CHECK[split]: define void @a_b(
; CHECK[split]: store i32 1
; CHECK[split]: define void @a_b_2(
; CHECK[split]: store i32 2
; CHECK[split]: define internal void @"a$b"(
; CHECK[split]: define void @_1st(

target triple = "x86_64-unknown-linux-gnu"

define void @"a.b"(ptr %out) {
  store i32 1, ptr %out
  call void @"a$b"(ptr %out)
  ret void
}

define void @a_b(ptr %out) {
  store i32 2, ptr %out
  ret void
}

define internal void @"a$b"(ptr %out) {
  store i32 3, ptr %out
  ret void
}

define void @"1st"(ptr %out) {
  store i32 4, ptr %out
  ret void
}
;;; stdout[kernels]
; a_b (a.b): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8
; a_b_2 (a_b): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8
; _1st (1st): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8
