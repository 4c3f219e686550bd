; Modules before and after a pass are printed in the order of the archs, and those of the host after them.
; RUN: offloadc %s --kernel=k --offload-arch=gfx90a,sm_80,cpu -o o --print-before=lower_recursion,define_host_builtins \
;   --print-after=place_globals,lower_panics,expand_bitcasts 2>&1 | grep -e '^; [*]' -e '^define.* @k'
; RUN[trace]: offloadc %s --kernel=k --offload-arch=sm_80 -o o --time-trace=t.json; grep -o '"name":"place_globals","cat":"pass"' t.json
; RUN[part]: offloadc %s --kernel=k --offload-arch=spirv64 -o o --print-after=expand_bitcasts 2>&1 | grep -e '^; [*]'

target triple = "x86_64-unknown-linux-gnu"

define void @k(ptr %out) {
  store i32 1, ptr %out
  ret void
}
;;; stdout
; ; *** IR Dump After lower_panics ***
; define void @k(ptr %out) {
; ; *** IR Dump Before lower_recursion for gfx90a ***
; define void @k(ptr writeonly captures(none) initializes((0, 4)) %out) local_unnamed_addr #0 {
; ; *** IR Dump After place_globals for gfx90a ***
; define protected amdgpu_kernel void @k(ptr addrspace(1) writeonly %out) #0 {
; ; *** IR Dump Before lower_recursion for sm_80 ***
; define void @k(ptr writeonly captures(none) initializes((0, 4)) %out) local_unnamed_addr #0 {
; ; *** IR Dump After place_globals for sm_80 ***
; define ptx_kernel void @k(ptr addrspace(1) writeonly %out) #0 {
; ; *** IR Dump Before define_host_builtins ***
; define void @k(ptr %out) {
;;; stdout[trace]
; "name":"place_globals","cat":"pass"
;;; stdout[part]
; ; *** IR Dump After legalize_functions for spirv64 ***
