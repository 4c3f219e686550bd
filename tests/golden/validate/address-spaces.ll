; An address space has another meaning on each device, so pointers with one are refused, also in constants and in
; functions that a kernel calls. The host's code may have them.
; FAIL: offloadc %s -w --offload-arch=cpu,sm_80,gfx90a,spirv64 -o /dev/null

target triple = "x86_64-unknown-linux-gnu"

@constant = internal addrspace(4) global [4 x i32] zeroinitializer
@holder = internal global ptr addrspacecast (ptr addrspace(3) @shared to ptr)
@shared = internal addrspace(3) global i32 0
@plain = internal global ptr @other
@other = internal global i32 7

define internal void @store(ptr %p) noinline {
  %q = addrspacecast ptr %p to ptr addrspace(4)
  store volatile i32 1, ptr addrspace(4) %q
  ret void
}

define ptx_kernel void @writes(ptr %p, i64 %n) {
  %q = getelementptr i32, ptr addrspace(4) @constant, i64 %n
  store volatile i32 1, ptr addrspace(4) %q
  ret void
}

define ptx_kernel void @calls(ptr %p) {
  call void @store(ptr %p)
  ret void
}

define ptx_kernel void @reads(ptr %p) {
  %held = load volatile ptr, ptr @holder
  store ptr %held, ptr %p
  ret void
}

define ptx_kernel void @right(ptr %p) {
  %held = load volatile ptr, ptr @plain
  store ptr %held, ptr %p
  ret void
}

define i32 @host() {
  %q = load i32, ptr addrspace(257) null
  ret i32 %q
}
;;; stderr
; error[OFC0020]: kernel `writes` uses the type `ptr addrspace(4)`, whose address space has another meaning on each device
;   = note: also called through `calls` → `store`
;   = note: for cpu, sm_80, gfx90a, spirv64
;   = help: use pointers without an address space; a section of the device contract places a static
; error[OFC0020]: kernel `reads` uses the type `ptr addrspace(3)`, whose address space has another meaning on each device
;   = note: for cpu, sm_80, gfx90a, spirv64
;   = help: use pointers without an address space; a section of the device contract places a static
