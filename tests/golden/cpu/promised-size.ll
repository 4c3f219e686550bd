; A kernel that promises the size of its blocks. In blocks of this size, the numbers of threads and rows are constants.
; All other blocks are executed by a function that only calls the code of one thread, for one thread after another.
; RUN[entry]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*__offload_cpu.*add(/,/^}/p' | \
;   grep 'icmp\|other(\|ret\|^[a-z]*:'
; CHECK[entry]: icmp eq i32 {{.*}}, 64
; CHECK[entry]: icmp eq i32 {{.*}}, 2
; CHECK[entry]: icmp eq i32 {{.*}}, 1
; CHECK[entry]: others:
; CHECK[entry]: call void @__offload_cpu{{.*}}other(
; CHECK[entry]: ret void
; CHECK[entry]: other:
; CHECK[entry]: icmp ult i32 {{.*}}, 64
; CHECK[entry]: icmp ult i32 {{.*}}, 2
; RUN[other]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | \
;   sed -n '/^define.*__offload_cpu.*other(/,/^}/p; /^attributes/p' | grep 'call \|^attributes.*= { noinline }'
; CHECK[other]: call void @add.thread({{.*}}) #{{.*}}
; CHECK-NOT[other]: call
; CHECK[other]: attributes
; RUN[any]: sed '/call.*block_size/d' %s > any.ll && \
;   offloadc any.ll -O2 --emit=flavor=- --offload-arch=cpu | grep -c 'define.*other(' || true

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_thread_id_y()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()
declare void @__offload_block_size(i32, i32, i32)

define ptx_kernel void @add(ptr noalias %to, ptr %from, i64 %n) {
  call void @__offload_block_size(i32 64, i32 2, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %block = call i32 @__offload_block_id_x()
  %width = call i32 @__offload_block_dim_x()
  %rows = mul nuw i32 %block, 2
  %row = add nuw i32 %rows, %y
  %before = mul nuw i32 %row, %width
  %i = add nuw i32 %before, %x
  %wide = zext i32 %i to i64
  %inside = icmp ult i64 %wide, %n
  br i1 %inside, label %then, label %leave

then:
  %place = getelementptr float, ptr %from, i64 %wide
  %value = load float, ptr %place
  %sum = fadd float %value, 1.0
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum, ptr %out
  br label %leave

leave:
  ret void
}
;;; stdout[any]
; 0
