; An index that is invalid if the block has another form is a selection, which each region computes again: the region
; after the barrier loads no slot.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@kept.thread.1(.*{/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x i32] undef, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_y()
declare void @__offload_sync_threads()

define ptx_kernel void @kept(ptr %io, i64 %n) {
entry:
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_block_id_y()
  %row = icmp eq i32 %y, 0
  br i1 %row, label %fits, label %other

fits:
  %wide = zext i32 %x to i64
  %before = getelementptr i32, ptr %io, i64 %wide
  %loaded = load i32, ptr %before
  br label %join

other:
  br label %join

join:
  %index = phi i64 [ %wide, %fits ], [ -1, %other ]
  %start = phi i32 [ %loaded, %fits ], [ 0, %other ]
  %same = zext i32 %x to i64
  %own = getelementptr [64 x i32], ptr @tile, i64 0, i64 %same
  store i32 %start, ptr %own
  call void @__offload_sync_threads()
  %in = icmp ult i64 %index, %n
  br i1 %in, label %write, label %leave

write:
  %neighbour = xor i64 %same, 1
  %there = getelementptr [64 x i32], ptr @tile, i64 0, i64 %neighbour
  %value = load i32, ptr %there
  %place = getelementptr i32, ptr %io, i64 %index
  store i32 %value, ptr %place
  br label %leave

leave:
  ret void
}
;;; stdout
; define internal i32 @kept.thread.1(ptr %io, i64 %n, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; prologue:
;   %8 = getelementptr inbounds i8, ptr %0, i64 40
;   %9 = load ptr, ptr %8, align 8, !invariant.load !0
;   %10 = getelementptr inbounds i8, ptr %0, i64 28
;   %11 = load i32, ptr %10, align 4, !invariant.load !0
;   %12 = icmp eq i32 %11, 0
;   %13 = zext i32 %1 to i64
;   %14 = xor i64 %13, 1
;   %15 = getelementptr i32, ptr %9, i64 %14
;   %16 = select i1 %12, i64 %13, i64 -1
;   %17 = icmp ult i64 %16, %n
;   %18 = getelementptr i32, ptr %io, i64 %16
;   br i1 %17, label %write, label %leave
;
; write:                                            ; preds = %prologue
;   %value = load i32, ptr %15, align 4
;   store i32 %value, ptr %18, align 4
;   br label %leave
;
; leave:                                            ; preds = %write, %prologue
;   ret i32 0
; }
