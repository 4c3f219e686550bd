; An initialiser holds the address of a static as a global pointer, because the back end cannot write a cast there.
; RUN: offloadc %s --run-pass=hold_global_addresses --offload-arch=spirv64 | grep -v "^target"

@value = internal addrspace(1) global i32 1
@holder = internal addrspace(1) constant ptr addrspace(4) addrspacecast (ptr addrspace(1) @value to ptr addrspace(4))

define ptr addrspace(4) @f() {
  %r = load ptr addrspace(4), ptr addrspace(1) @holder
  ret ptr addrspace(4) %r
}
;;; stdout
;
; @value = internal addrspace(1) global i32 1
; @holder = internal addrspace(1) constant ptr addrspace(1) @value, align 8
;
; define ptr addrspace(4) @f() {
;   %r = load ptr addrspace(4), ptr addrspace(1) @holder, align 8
;   ret ptr addrspace(4) %r
; }
