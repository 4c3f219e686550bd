; A kernel names its scalars, and those for which it wants code; the calls become attributes. It may name one twice.
; RUN: offloadc %s --kernel=k --run-pass=take_parameters --offload-arch=sm_80 | grep -v "^target"

target triple = "x86_64-unknown-linux-gnu"

declare void @__offload_parameter(i32, i32, i32)
declare void @__offload_specialize_block_dim()

define void @k(i32 %n, float %a, ptr %out, i32 %m) {
  call void @__offload_parameter(i32 4, i32 4, i32 0)
  call void @__offload_parameter(i32 0, i32 4, i32 1)
  call void @__offload_parameter(i32 0, i32 4, i32 1)
  call void @__offload_parameter(i32 16, i32 4, i32 0)
  call void @__offload_parameter(i32 8, i32 8, i32 0)
  call void @__offload_specialize_block_dim()
  ret void
}
;;; stdout
;
; declare void @__offload_parameter(i32, i32, i32)
;
; declare void @__offload_specialize_block_dim()
;
; define void @k(i32 %n, float %a, ptr %out, i32 %m) #0 {
;   ret void
; }
;
; attributes #0 = { "offload-scalars"="0:4:1,4:4:0,8:8:0,16:4:0" "offload-specializes-block-dim"="true" }
