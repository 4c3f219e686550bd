; Allocas move into the address space of the data layout, with a cast behind each.
; RUN: offloadc %s --run-pass=place_allocas --offload-arch=gfx90a | grep -v "^target"

declare void @g(ptr)

define void @f() {
  %local = alloca i32
  call void @llvm.lifetime.start.p0(ptr %local)
  call void @g(ptr %local)
  call void @llvm.lifetime.end.p0(ptr %local)
  ret void
}
;;; stdout
;
; declare void @g(ptr)
;
; define void @f() {
;   %local = alloca i32, align 4, addrspace(5)
;   %1 = addrspacecast ptr addrspace(5) %local to ptr
;   call void @llvm.lifetime.start.p5(ptr addrspace(5) %local)
;   call void @g(ptr %1)
;   call void @llvm.lifetime.end.p5(ptr addrspace(5) %local)
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.lifetime.end.p0(ptr captures(none)) #0
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.lifetime.start.p0(ptr captures(none)) #0
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.lifetime.start.p5(ptr addrspace(5) captures(none)) #0
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.lifetime.end.p5(ptr addrspace(5) captures(none)) #0
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
