; A name that looks like an atomic of the contract and is none is an error, as is a wrong type.
; FAIL: offloadc %s --offload-arch=cpu -o out.o

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_atomic_nand_u32(ptr, i32, i32, i32)
declare i32 @__offload_atomic_add_u32(ptr, i32, i32)

define ptx_kernel void @k(ptr %p) {
  %a = call i32 @__offload_atomic_nand_u32(ptr %p, i32 3, i32 0, i32 1)
  %b = call i32 @__offload_atomic_add_u32(ptr %p, i32 3, i32 0)
  ret void
}
;;; stderr
; error[OFC0027]: `__offload_atomic_nand_u32` is not an atomic of the device contract
;   = help: the names are `__offload_atomic_OPERATION_TYPE` and `__offload_atomic_fence`; the operations are load, store, exchange, compare_exchange, add, sub, min, max, and, or, xor; the types are u8 to u64, i8 to i64, f32, f64
; error[OFC0027]: `__offload_atomic_add_u32` is declared as `i32 (ptr, i32, i32)`, but its type is `i32 (ptr, i32, i32, i32)`
