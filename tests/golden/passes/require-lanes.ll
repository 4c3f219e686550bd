; Where a warp has one program counter, the mask is compared with the lanes that are there.
; RUN: offloadc %s --run-pass=require_lanes --offload-arch=gfx90a | grep -v "^target"

declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)

define internal void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
  unreachable
}

define i32 @f(i64 %mask) {
  %r = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1)
  ret i32 %r
}
;;; stdout
;
; declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)
;
; define internal void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
;   unreachable
; }
;
; define i32 @f(i64 %mask) {
;   %active = call i64 @__offload_active_mask() #1
;   %1 = call i32 @__offload_lane_count()
;   %2 = zext i32 %1 to i64
;   %3 = sub i64 64, %2
;   %4 = lshr i64 -1, %3
;   %named = and i64 %mask, %4
;   %5 = xor i64 %active, -1
;   %missing = and i64 %named, %5
;   %6 = icmp ne i64 %missing, 0
;   br i1 %6, label %wrong, label %masked
;
; masked:                                           ; preds = %0
;   %r = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1)
;   ret i32 %r
;
; wrong:                                            ; preds = %0
;   %7 = call i64 @llvm.cttz.i64(i64 %missing, i1 true)
;   %8 = call i32 @__offload_lane_id()
;   %9 = zext i32 %8 to i64
;   call void @offload_lane_panic(i32 4, i32 0, i64 %9, i64 %7)
;   unreachable
; }
;
; declare i64 @__offload_active_mask()
;
; declare i32 @__offload_lane_count()
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare i64 @llvm.cttz.i64(i64, i1 immarg) #0
;
; declare i32 @__offload_lane_id()
;
; attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { convergent }
