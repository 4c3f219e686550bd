; The contract's atomics are called directly, with orderings and a scope that there are.
; FAIL: offloadc %s --offload-arch=cpu,sm_80 -o out.o

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_atomic_load_u32(ptr, i32, i32)
declare void @__offload_atomic_store_u32(ptr, i32, i32, i32)
declare void @__offload_atomic_fence(i32, i32)
declare i32 @__offload_atomic_add_u32(ptr, i32, i32, i32)

define ptx_kernel void @misused(ptr %p, ptr %out) {
  %a = call i32 @__offload_atomic_load_u32(ptr %p, i32 3, i32 1)
  call void @__offload_atomic_store_u32(ptr %p, i32 %a, i32 2, i32 1)
  call void @__offload_atomic_fence(i32 5, i32 7)
  store ptr @__offload_atomic_add_u32, ptr %out
  ret void
}
;;; stderr
; error[OFC0035]: kernel `misused` calls `__offload_atomic_load_u32` with the orderings and scope 3, 1, which are not valid for it
;   = note: for cpu, sm_80
;   = help: the orderings are those of C's `memory_order`: 0 relaxed, 2 acquire, 3 release, 4 both, 5 sequentially consistent; a load cannot release, a store cannot acquire, a fence cannot be relaxed; the scopes are 0 system, 1 device, 2 block, 3 warp, 4 thread
; error[OFC0035]: kernel `misused` calls `__offload_atomic_store_u32` with the orderings and scope 2, 1, which are not valid for it
;   = note: for cpu, sm_80
;   = help: the orderings are those of C's `memory_order`: 0 relaxed, 2 acquire, 3 release, 4 both, 5 sequentially consistent; a load cannot release, a store cannot acquire, a fence cannot be relaxed; the scopes are 0 system, 1 device, 2 block, 3 warp, 4 thread
; error[OFC0035]: kernel `misused` calls `__offload_atomic_fence` with the orderings and scope 5, 7, which are not valid for it
;   = note: for cpu, sm_80
;   = help: the orderings are those of C's `memory_order`: 0 relaxed, 2 acquire, 3 release, 4 both, 5 sequentially consistent; a load cannot release, a store cannot acquire, a fence cannot be relaxed; the scopes are 0 system, 1 device, 2 block, 3 warp, 4 thread
; error[OFC0035]: kernel `misused` takes the address of `__offload_atomic_add_u32`
;   = note: for cpu, sm_80
;   = help: call it directly
