; The kernels of kernels_spirv.ll as offloadc's entry points look for NVIDIA's GPUs.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent

@shared = external addrspace(3) global [0 x i32], align 16

define internal i64 @global_x() alwaysinline {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %before = mul i32 %block, %size
  %narrow = add i32 %before, %thread
  %i = zext i32 %narrow to i64
  ret i64 %i
}

define ptx_kernel void @saxpy(i32 %n, float %a, ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %i = call i64 @global_x()
  %count = zext i32 %n to i64
  %inside = icmp ult i64 %i, %count
  br i1 %inside, label %body, label %done
body:
  %from = getelementptr float, ptr addrspace(1) %x, i64 %i
  %to = getelementptr float, ptr addrspace(1) %y, i64 %i
  %left = load float, ptr addrspace(1) %from
  %right = load float, ptr addrspace(1) %to
  %product = fmul float %a, %left
  %sum = fadd float %product, %right
  store float %sum, ptr addrspace(1) %to
  br label %done
done:
  ret void
}

; As launched: one block along y, one thread along z.
define ptx_kernel void @grid(ptr addrspace(1) %out) {
  %x = call i64 @global_x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %rows = mul i32 %z, 4
  %narrow.row = add i32 %rows, %y
  %row = zext i32 %narrow.row to i64
  %cells = mul i64 %row, 6
  %cell = add i64 %cells, %x
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %cell
  %hundreds = mul i64 %row, 100
  %value = add i64 %hundreds, %x
  %narrow = trunc i64 %value to i32
  store i32 %narrow, ptr addrspace(1) %to
  ret void
}

define ptx_kernel void @block(ptr byval([16 x i8]) align 8 %arguments) {
  %i = call i64 @global_x()
  %address = load i64, ptr %arguments
  %second = getelementptr i8, ptr %arguments, i64 8
  %add = load i32, ptr %second
  %pointer = inttoptr i64 %address to ptr addrspace(1)
  %to = getelementptr i32, ptr addrspace(1) %pointer, i64 %i
  %old = load i32, ptr addrspace(1) %to
  %new = add i32 %old, %add
  store i32 %new, ptr addrspace(1) %to
  ret void
}

define ptx_kernel void @indirect(ptr addrspace(1) %rows) {
  %second = getelementptr i64, ptr addrspace(1) %rows, i64 1
  %address = load i64, ptr addrspace(1) %second
  %pointer = inttoptr i64 %address to ptr addrspace(1)
  store i32 7, ptr addrspace(1) %pointer
  ret void
}

define ptx_kernel void @reverse(ptr addrspace(1) %cells) {
  %i = call i64 @global_x()
  %local = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %cell = getelementptr i32, ptr addrspace(1) %cells, i64 %i
  %value = load i32, ptr addrspace(1) %cell
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %local
  store i32 %value, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %last = sub i32 %size, 1
  %other = sub i32 %last, %local
  %theirs = getelementptr i32, ptr addrspace(3) @shared, i32 %other
  %found = load i32, ptr addrspace(3) %theirs
  store i32 %found, ptr addrspace(1) %cell
  ret void
}
