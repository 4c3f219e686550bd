; A shift by too many bits is poison. The thread reaches the second guard only if the first one holds, but both are
; evaluated together for a row and for a block. So the shifted number is frozen there.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@guarded.thread.range(.*{/,/^}/p;/@guarded.thread.whole(.*{/,/^}/p' | grep -E -o '^define internal [a-z0-9]* @[a-z.]*|lshr i32.*|freeze.*'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()

define ptx_kernel void @guarded(i32 %bits, i32 %n, ptr %to) {
  %x = call i32 @__offload_thread_id_x()
  %block = call i32 @__offload_block_id_x()
  %dim = call i32 @__offload_block_dim_x()
  %start = mul i32 %block, %dim
  %i = add i32 %start, %x
  %few = icmp ult i32 %bits, 32
  br i1 %few, label %check, label %leave

check:
  %limit = lshr i32 %n, %bits
  %in = icmp ult i32 %i, %limit
  br i1 %in, label %write, label %leave

write:
  %wide = zext i32 %i to i64
  %out = getelementptr i32, ptr %to, i64 %wide
  store i32 %i, ptr %out, align 4
  br label %leave

leave:
  ret void
}
;;; stdout
; define internal i64 @guarded.thread.range
; lshr i32 %1, %0
; freeze i32 %14
; define internal i1 @guarded.thread.whole
; lshr i32 %1, %0
; freeze i32 %18
