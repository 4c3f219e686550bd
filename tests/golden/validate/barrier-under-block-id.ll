; Values that are the same for all threads of a block may decide about a barrier: block ids, sizes, arguments.
; RUN: offloadc %s --offload-arch=cpu,sm_80 --emit=kernels=-
; RUN[object]: offloadc %s --offload-arch=cpu,sm_80 --emit=object=%t/out.o

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()
declare void @__offload_sync_threads()

define ptx_kernel void @uniform(i32 %turns, ptr %out) {
entry:
  %b = call i32 @__offload_block_id_x()
  %d = call i32 @__offload_block_dim_x()
  %even = icmp ugt i32 %d, %b
  br i1 %even, label %loop, label %end
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  call void @__offload_sync_threads()
  %n = add i32 %i, 1
  %more = icmp ult i32 %n, %turns
  br i1 %more, label %loop, label %end
end:
  ret void
}
;;; stdout
; uniform (uniform): plain, found by its calling convention
;   0: value at 0, 4 bytes, aligned to 4
;   1: pointer at 8, 8 bytes, aligned to 8
