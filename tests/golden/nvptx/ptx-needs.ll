; An intrinsic raises the version of PTX to the one it needs, on the oldest arch that has it; NVIDIA's assembler agrees.
; RUN: for each in mask/sm_70 bits/sm_70 matrix/sm_75 copy/sm_80 byte/sm_89 bulk/sm_90 stored/sm_90 tensor/sm_90; do \
;     name=${each%/*}; arch=${each#*/}; \
;     offloadc %s --kernel=$name --offload-arch=$arch --emit=codegen=$name.s; \
;     ptxas -arch $arch $name.s -o $name.cubin; echo $each $(grep ^.version $name.s); \
;   done
; REQUIRES: ptxas

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_intrinsic.llvm.nvvm.activemask()
declare i32 @__offload_intrinsic.llvm.nvvm.bmsk.clamp(i32, i32)
declare i32 @__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr)
declare void @__offload_intrinsic.llvm.nvvm.cp.async.wait.all()
declare i16 @__offload_intrinsic.llvm.nvvm.ff.to.e4m3x2.rn(float, float)
declare void @__offload_intrinsic.llvm.nvvm.cp.async.bulk.commit.group()
declare void @__offload_intrinsic.llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p3(ptr, i32)
declare void @__offload_intrinsic.llvm.nvvm.fence.proxy.tensormap_generic.release.gpu()

define void @mask(ptr %out) {
  %value = call i32 @__offload_intrinsic.llvm.nvvm.activemask()
  store i32 %value, ptr %out
  ret void
}

define void @bits(ptr %out, i32 %n) {
  %value = call i32 @__offload_intrinsic.llvm.nvvm.bmsk.clamp(i32 %n, i32 %n)
  store i32 %value, ptr %out
  ret void
}

define void @matrix(ptr %out, ptr %in) {
  %value = call i32 @__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr %in)
  store i32 %value, ptr %out
  ret void
}

define void @copy(ptr %out) {
  call void @__offload_intrinsic.llvm.nvvm.cp.async.wait.all()
  ret void
}

define void @byte(ptr %out, float %x) {
  %value = call i16 @__offload_intrinsic.llvm.nvvm.ff.to.e4m3x2.rn(float %x, float %x)
  store i16 %value, ptr %out
  ret void
}

define void @bulk(ptr %out) {
  call void @__offload_intrinsic.llvm.nvvm.cp.async.bulk.commit.group()
  ret void
}

define void @stored(ptr %out, i32 %n) {
  call void @__offload_intrinsic.llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p3(ptr %out, i32 %n)
  ret void
}

define void @tensor(ptr %out) {
  call void @__offload_intrinsic.llvm.nvvm.fence.proxy.tensormap_generic.release.gpu()
  ret void
}
;;; stdout
; mask/sm_70 .version 6.2
; bits/sm_70 .version 7.6
; matrix/sm_75 .version 6.5
; copy/sm_80 .version 7.0
; byte/sm_89 .version 8.1
; bulk/sm_90 .version 8.0
; stored/sm_90 .version 7.8
; tensor/sm_90 .version 8.3
