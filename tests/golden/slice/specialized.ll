; A slice is compiled for values that launches pass: the length of the loop is known, so there is no loop. The slice of
; one kernel has no others, and its panics have their numbers from the program.
; RUN: offloadc %s -O2 --emit=slice=in.slice --offload-arch=sm_80 --parts=2 -o out.o && offloadc in.slice --from=slice \
;   --offload-arch=sm_80 --specialize=sum:0=04000000 --specialize=sum:block_dim=64,1,1 --specialized-only \
;   --emit=optimize=- | sed -n '/^define.*@\(sum\|other\)/,/^}/p; /reqntid\|maxntid/p'
; RUN[job]: offloadc %s -O2 --emit=slice=in.slice --offload-arch=cpu -o out.o && offloadc job in.slice --offload-arch=cpu \
;   --specialize=sum:0=04000000 -o a && offloadc job in.slice --offload-arch=cpu --specialize=sum:0=05000000 -o b && \
;   offloadc job in.slice --offload-arch=cpu -o c && ! cmp -s a b && ! cmp -s a c && echo three images
; FAIL[unknown]: offloadc %s --emit=slice=in.slice --offload-arch=cpu -o out.o && offloadc job in.slice --offload-arch=cpu \
;   --specialize=nobody:0=04000000 -o a
; FAIL[shared]: offloadc %s --emit=slice=in.slice --offload-arch=cpu -o out.o && offloadc job in.slice --offload-arch=cpu \
;   --specialize=sum:block_dim=64,1,1 -o a

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_dim_x()
declare i32 @__offload_block_id_x()

@kernels = constant [2 x ptr] [ptr @other, ptr @sum], section ".offload.kernels"

define void @other(ptr %out) {
  store i32 7, ptr %out
  ret void
}

define void @sum(i32 %n, ptr %x, ptr %out) {
entry:
  %thread = call i32 @__offload_thread_id_x()
  %block = call i32 @__offload_block_id_x()
  %dim = call i32 @__offload_block_dim_x()
  %start = mul i32 %block, %dim
  %i = add i32 %start, %thread
  br label %head

head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %goes = icmp ult i32 %k, %n
  br i1 %goes, label %body, label %end

body:
  %wide = zext i32 %k to i64
  %from = getelementptr float, ptr %x, i64 %wide
  %value = load float, ptr %from
  %more = fadd float %sum, %value
  %next = add i32 %k, 1
  br label %head

end:
  %at = zext i32 %i to i64
  %to = getelementptr float, ptr %out, i64 %at
  store float %sum, ptr %to
  ret void
}
;;; stdout
; define ptx_kernel void @sum(i32 %n, ptr addrspace(1) readonly captures(none) %x, ptr addrspace(1) writeonly captures(none) %out) local_unnamed_addr #1 {
; entry:
;   %value = load float, ptr addrspace(1) %x, align 4
;   %more = fadd float %value, 0.000000e+00
;   %from.1 = getelementptr i8, ptr addrspace(1) %x, i64 4
;   %value.1 = load float, ptr addrspace(1) %from.1, align 4
;   %more.1 = fadd float %more, %value.1
;   %from.2 = getelementptr i8, ptr addrspace(1) %x, i64 8
;   %value.2 = load float, ptr addrspace(1) %from.2, align 4
;   %more.2 = fadd float %more.1, %value.2
;   %from.3 = getelementptr i8, ptr addrspace(1) %x, i64 12
;   %value.3 = load float, ptr addrspace(1) %from.3, align 4
;   %more.3 = fadd float %more.2, %value.3
;   %0 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
;   %start = shl i32 %0, 6
;   %1 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
;   %i = add i32 %start, %1
;   %at = zext i32 %i to i64
;   %to = getelementptr float, ptr addrspace(1) %out, i64 %at
;   store float %more.3, ptr addrspace(1) %to, align 4
;   ret void
; }
; attributes #1 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "nvvm.reqntid"="64,1,1" "offload-launch-bounds"="0,0,64,1,1" }
;;; stdout[job]
; three images
;;; stderr[unknown]
; error[OFC0058]: the slice has no kernel `nobody`
;   = note: the kernels of the slice are `other`, `sum`
;;; stderr[shared]
; error[OFC0058]: kernel `sum` shares code with others, which have another size of the block: keep it alone
;   = note: the kernels of the slice are `other`, `sum`
