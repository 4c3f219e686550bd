; After a scan, each thread stores its sum to memory whose address is in the kernel's argument, which is no shared
; memory. So the threads do not wait before they store, and no slot keeps the sums. They do if the address is from a
; buffer, where a thread may have stored it: then there is one more region. A region that is executed once in the
; entry is inlined, although blocks of other sizes call it, too.
; RUN[regions]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep -o '^define internal i32 @scan.thread[^(]*'
; RUN[buffer]: sed "s/readonly byval.*%arg/%arg/" %s > buffer.ll && \
;   offloadc buffer.ll -O2 --emit=flavor=- --offload-arch=cpu | grep -o '^define internal i32 @scan.thread[^(]*'
; RUN[inlined]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=never | \
;   sed -n '/^define hidden.*@__offload_cpu/,/^}/p; /^attributes.*alwaysinline/p' | \
;   grep -o '@scan.thread[^(]*\|alwaysinline'

target triple = "x86_64-unknown-linux-gnu"

@sums = internal global [64 x i32] undef, section ".offload.shared"

declare void @__offload_block_size(i32, i32, i32)
declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @scan(ptr readonly byval({ ptr }) %arguments) {
entry:
  %io = load ptr, ptr %arguments
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %place = getelementptr i32, ptr %io, i64 %wide
  %first = load i32, ptr %place
  %own = getelementptr [64 x i32], ptr @sums, i64 0, i64 %wide
  store i32 %first, ptr %own
  call void @__offload_sync_threads()
  br label %step

step:
  %sum = phi i32 [ %first, %entry ], [ %added, %store ]
  %distance = phi i64 [ 1, %entry ], [ %next, %store ]
  %reads = icmp uge i64 %wide, %distance
  br i1 %reads, label %read, label %store

read:
  %at = sub i64 %wide, %distance
  %from = getelementptr [64 x i32], ptr @sums, i64 0, i64 %at
  %there = load i32, ptr %from
  br label %store

store:
  %other = phi i32 [ %there, %read ], [ 0, %step ]
  call void @__offload_sync_threads()
  %added = add i32 %sum, %other
  store i32 %added, ptr %own
  call void @__offload_sync_threads()
  %next = mul i64 %distance, 2
  %more = icmp ult i64 %next, 64
  br i1 %more, label %step, label %leave

leave:
  store i32 %added, ptr %place
  ret void
}
;;; stdout[regions]
; define internal i32 @scan.thread.0
; define internal i32 @scan.thread.2
; define internal i32 @scan.thread.4
; define internal i32 @scan.thread.3.then
; define internal i32 @scan.thread.3.else
; define internal i32 @scan.thread.1.then
; define internal i32 @scan.thread.1.else
; define internal i32 @scan.thread.3.then.fast
; define internal i32 @scan.thread.1.else.fast
;;; stdout[buffer]
; define internal i32 @scan.thread.0
; define internal i32 @scan.thread.2
; define internal i32 @scan.thread.4
; define internal i32 @scan.thread.5
; define internal i32 @scan.thread.3.then
; define internal i32 @scan.thread.3.else
; define internal i32 @scan.thread.1.then
; define internal i32 @scan.thread.1.else
; define internal i32 @scan.thread.3.then.fast
; define internal i32 @scan.thread.1.else.fast
;;; stdout[inlined]
; @scan.thread.0
; @scan.thread.1.decide
; @scan.thread.1.else.range
; @scan.thread.1.else
; @scan.thread.1.else.fast
; @scan.thread.1.else
; @scan.thread.1.then
; @scan.thread.2
; @scan.thread.3.decide
; @scan.thread.3.else
; @scan.thread.3.then.range
; @scan.thread.3.then
; @scan.thread.3.then.fast
; @scan.thread.3.then
; @scan.thread.4
; alwaysinline
