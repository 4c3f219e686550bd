; An operation with a mask may be in a branch that threads take by their number, and on both sides of one: its mask
; names the lanes that come. A lane checks whether it is in its mask, and the panic has the place; a constant that has
; all lanes needs no check. The function that targets call where another lane does not come is there as well.
; RUN: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 --emit=validate=- | sed -n '/^define.*@sides/,/^}/p;/^define.*@offload_lane_panic/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_lane_id()
declare i64 @__offload_ballot_sync(i64, i1 zeroext)
declare void @__offload_sync_warp(i64)

define ptx_kernel void @sides(ptr %out, i64 %mask) {
entry:
  %lane = call i32 @__offload_lane_id()
  %low = icmp ult i32 %lane, 4
  br i1 %low, label %then, label %else
then:
  %a = call i64 @__offload_ballot_sync(i64 %mask, i1 true)
  store i64 %a, ptr %out
  call void @__offload_sync_warp(i64 -1)
  br label %join
else:
  %b = call i64 @__offload_ballot_sync(i64 -16, i1 false)
  br label %join
join:
  ret void
}
;;; stdout
; define void @sides(ptr writeonly captures(none) %out, i64 %mask) local_unnamed_addr #2 {
; entry:
;   %lane = tail call i32 @__offload_lane_id()
;   %low = icmp ult i32 %lane, 4
;   br i1 %low, label %barrier, label %barrier3
;
; barrier:                                          ; preds = %entry
;   %0 = call i32 @__offload_lane_id()
;   %1 = zext i32 %0 to i64
;   %2 = shl i64 1, %1
;   %3 = and i64 %2, %mask
;   %4 = icmp eq i64 %3, 0
;   br i1 %4, label %wrong, label %masked
;
; masked:                                           ; preds = %barrier
;   %a = tail call i64 @__offload_ballot_sync(i64 %mask, i1 true) #6
;   store i64 %a, ptr %out, align 4
;   tail call void @__offload_sync_warp(i64 -1) #6
;   br label %join
;
; barrier3:                                         ; preds = %entry
;   %5 = call i32 @__offload_lane_id()
;   %6 = zext i32 %5 to i64
;   %7 = shl i64 1, %6
;   %8 = and i64 %7, -16
;   %9 = icmp eq i64 %8, 0
;   br i1 %9, label %wrong6, label %masked5
;
; masked5:                                          ; preds = %barrier3
;   %b = tail call i64 @__offload_ballot_sync(i64 -16, i1 false) #6
;   br label %join
;
; join:                                             ; preds = %masked5, %masked
;   ret void
;
; wrong:                                            ; preds = %barrier
;   call void @offload_lane_panic(i32 0, i32 0, i64 %1, i64 0)
;   unreachable
;
; wrong6:                                           ; preds = %barrier3
;   call void @offload_lane_panic(i32 0, i32 0, i64 %6, i64 0)
;   unreachable
; }
; define internal void @offload_lane_panic(i32 %0, i32 %1, i64 %2, i64 %3) #3 {
; entry:
;   %4 = icmp eq i32 %0, 0
;   %message = select i1 %4, i32 1, i32 0
;   %5 = icmp eq i32 %0, 1
;   %message1 = select i1 %5, i32 2, i32 %message
;   %6 = icmp eq i32 %0, 2
;   %message2 = select i1 %6, i32 3, i32 %message1
;   %7 = call ptr @__offload_launch_state()
;   call void @offload_record(ptr %7, i32 %message2, i32 %1, i64 %2, i64 %3, i64 0)
;   call void @__offload_leave()
;   unreachable
; }
