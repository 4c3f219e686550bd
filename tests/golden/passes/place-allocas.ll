; Allocas move into the address space of the data layout, each followed by a cast. One that is there stays.
; RUN: offloadc %s --run-pass=place_allocas --offload-arch=gfx90a | grep -v "^target"

declare void @g(ptr)

define void @f() {
  %local = alloca i32
  call void @llvm.lifetime.start.p0(ptr %local)
  call void @g(ptr %local)
  call void @llvm.lifetime.end.p0(ptr %local)
  %private = alloca i32, addrspace(5)
  store i32 1, ptr addrspace(5) %private
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
;   %private = alloca i32, align 4, addrspace(5)
;   store i32 1, ptr addrspace(5) %private, align 4
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
