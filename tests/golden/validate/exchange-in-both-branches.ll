; Duplicates of a shuffle on two exclusive paths become one again. One that only some warps reach stays as it is, and
; two that no thread executes both are refused if they may be copies of one.
; RUN[one]: offloadc %s --kernel=both --kernel=warp --offload-arch=cpu,sm_80 --emit=validate=- \
;   | grep -c -e 'call i32 @__offload_shuffle_xor'
; FAIL[uneven]: offloadc %s --kernel=uneven --offload-arch=cpu,sm_80 --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_shuffle_xor(i32, i32)

define void @both(ptr %in, ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %a = load i32, ptr %in
  %low = icmp ult i32 %t, 16
  br i1 %low, label %then, label %else
then:
  store i32 1, ptr %out
  %v = call i32 @__offload_shuffle_xor(i32 %a, i32 1)
  store i32 %v, ptr %out
  br label %join
else:
  %w = call i32 @__offload_shuffle_xor(i32 %t, i32 1)
  %x = add i32 %w, 7
  store i32 %x, ptr %out
  br label %join
join:
  ret void
}

define void @warp(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %first = icmp ult i32 %t, 32
  br i1 %first, label %then, label %join
then:
  %v = call i32 @__offload_shuffle_xor(i32 %t, i32 1)
  %w = call i32 @__offload_shuffle_xor(i32 %v, i32 2)
  store i32 %w, ptr %out
  br label %join
join:
  ret void
}

define void @uneven(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %first = icmp ult i32 %t, 32
  br i1 %first, label %then, label %else
then:
  %v = call i32 @__offload_shuffle_xor(i32 %t, i32 1)
  %w = call i32 @__offload_shuffle_xor(i32 %v, i32 2)
  store i32 %w, ptr %out
  br label %join
else:
  %x = call i32 @__offload_shuffle_xor(i32 %t, i32 1)
  store i32 %x, ptr %out
  br label %join
join:
  ret void
}
;;; stdout[one]
; 3
;;; stderr[uneven]
; error[OFC0012]: kernel `uneven` has `__offload_shuffle_xor` on several paths of control flow that differs between threads
;   = note: the lanes of a warp must reach it together; the compiler that made this input may have duplicated it
;   = note: for cpu, sm_80
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: if the source has it on both sides of a condition, call it once, after the condition
