; The runtime gets a bound that all archs share, as the one number at the end of a kernel's record. It gets none if they
; differ: a launch that one device refuses may be right for another. An arch that is left out does not count.
;
; RUN[told]: offloadc %s --offload-arch=sm_80,gfx90a -o out.o; \
;   name=$(llvm-readelf -SW out.o | grep -oE '\.data\.rel\.ro\.offload\.[0-9a-f]+' | head -1); \
;   llvm-readelf -x $name out.o | awk '/^0x000000[37]0/ {print $5}'
; RUN[left-out]: offloadc %s -w --skip-refused-archs --offload-arch=sm_80,gfx90a,spirv64 -o out.o; \
;   name=$(llvm-readelf -SW out.o | grep -oE '\.data\.rel\.ro\.offload\.[0-9a-f]+' | head -1); \
;   llvm-readelf -x $name out.o | awk '/^0x000000[37]0/ {print $5}'
; RUN[left-out-late]: offloadc %s -w --skip-refused-archs --offload-arch=sm_70,gfx90a --ptx-version=6.0 -o out.o; \
;   name=$(llvm-readelf -SW out.o | grep -oE '\.data\.rel\.ro\.offload\.[0-9a-f]+' | head -1); \
;   llvm-readelf -x $name out.o | awk '/^0x000000[37]0/ {print $5}'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_arch()
declare void @__offload_launch_bounds(i32, i32)
declare i32 @__offload_intrinsic.llvm.nvvm.activemask()

define ptx_kernel void @differing(ptr %out) {
  %arch = call i32 @__offload_arch()
  %target = lshr i32 %arch, 24
  %is_nvidia = icmp eq i32 %target, 2
  br i1 %is_nvidia, label %nvidia, label %other
nvidia:
  call void @__offload_launch_bounds(i32 256, i32 0)
  %mask = call i32 @__offload_intrinsic.llvm.nvvm.activemask()
  store i32 %mask, ptr %out
  ret void
other:
  call void @__offload_launch_bounds(i32 128, i32 0)
  ret void
}

define ptx_kernel void @same(ptr %p, ptr %f) {
  %arch = call i32 @__offload_arch()
  %target = lshr i32 %arch, 24
  %is_spirv = icmp eq i32 %target, 4
  br i1 %is_spirv, label %spirv, label %other
spirv:
  call void @__offload_launch_bounds(i32 64, i32 0)
  call void %f(ptr %p)
  ret void
other:
  call void @__offload_launch_bounds(i32 512, i32 0)
  ret void
}
;;; stdout[told]
; 00000000
; 00020000
;;; stdout[left-out]
; 00000000
; 00020000
;;; stdout[left-out-late]
; 80000000
; 00020000
