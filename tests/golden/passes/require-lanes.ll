; If a warp has one program counter, the mask is compared with the active lanes. Lanes that have returned need not be
; active: a kernel votes before a branch on which lanes return. A function that is not inlined has no such vote.
; RUN: offloadc %s --run-pass=require_lanes --offload-arch=gfx90a --kernel=k --kernel=straight --kernel=none | grep -v "^target"

declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)

define internal void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
  unreachable
}

define internal i32 @f(i64 %mask) {
  %r = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1)
  ret i32 %r
}

define void @straight(i64 %mask) {
  %r = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1)
  ret void
}

define void @k(i64 %mask, i32 %n) {
  %early = icmp ult i32 %n, 7
  br i1 %early, label %leave, label %more
more:
  switch i32 %n, label %work [ i32 9, label %leave
                               i32 8, label %leave ]
work:
  %r = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1)
  %again = icmp eq i32 %r, 0
  br i1 %again, label %work, label %leave
leave:
  ret void
}

define void @none(i32 %n) {
  %early = icmp ult i32 %n, 7
  br i1 %early, label %leave, label %more
more:
  %r = call i32 @f(i64 1)
  br label %leave
leave:
  ret void
}
;;; stdout
;
; declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)
;
; define internal void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
;   unreachable
; }
;
; define internal i32 @f(i64 %mask) {
;   %active = call i64 @__offload_active_mask() #2
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
;   call void @offload_lane_panic(i32 2, i32 0, i64 %9, i64 %7)
;   unreachable
; }
;
; define void @straight(i64 %mask) {
;   %gone = alloca i64, align 8, addrspace(5)
;   %active = call i64 @__offload_active_mask() #2
;   %1 = xor i64 %active, -1
;   store i64 %1, ptr addrspace(5) %gone, align 8
;   %active1 = call i64 @__offload_active_mask() #2
;   %2 = call i32 @__offload_lane_count()
;   %3 = zext i32 %2 to i64
;   %4 = sub i64 64, %3
;   %5 = lshr i64 -1, %4
;   %named = and i64 %mask, %5
;   %6 = xor i64 %active1, -1
;   %missing = and i64 %named, %6
;   %gone2 = load i64, ptr addrspace(5) %gone, align 8
;   %7 = xor i64 %gone2, -1
;   %missing3 = and i64 %missing, %7
;   %there = and i64 %mask, %active1
;   %8 = icmp ne i64 %missing3, 0
;   br i1 %8, label %wrong, label %masked
;
; masked:                                           ; preds = %0
;   %r = call i32 @__offload_shuffle_xor_sync(i64 %there, i32 1, i32 1)
;   ret void
;
; wrong:                                            ; preds = %0
;   %9 = call i64 @llvm.cttz.i64(i64 %missing3, i1 true)
;   %10 = call i32 @__offload_lane_id()
;   %11 = zext i32 %10 to i64
;   call void @offload_lane_panic(i32 2, i32 0, i64 %11, i64 %9)
;   unreachable
; }
;
; define void @k(i64 %mask, i32 %n) {
;   %gone = alloca i64, align 8, addrspace(5)
;   %active = call i64 @__offload_active_mask() #2
;   %1 = xor i64 %active, -1
;   store i64 %1, ptr addrspace(5) %gone, align 8
;   %early = icmp ult i32 %n, 7
;   %leaving = call i64 @__offload_ballot(i1 %early) #2
;   %2 = load i64, ptr addrspace(5) %gone, align 8
;   %3 = or i64 %2, %leaving
;   store i64 %3, ptr addrspace(5) %gone, align 8
;   br i1 %early, label %leave, label %more
;
; more:                                             ; preds = %0
;   %4 = icmp eq i32 %n, 9
;   %5 = icmp eq i32 %n, 8
;   %6 = or i1 %4, %5
;   %leaving1 = call i64 @__offload_ballot(i1 %6) #2
;   %7 = load i64, ptr addrspace(5) %gone, align 8
;   %8 = or i64 %7, %leaving1
;   store i64 %8, ptr addrspace(5) %gone, align 8
;   switch i32 %n, label %work [
;     i32 9, label %leave
;     i32 8, label %leave
;   ]
;
; work:                                             ; preds = %masked, %more
;   %active3 = call i64 @__offload_active_mask() #2
;   %9 = call i32 @__offload_lane_count()
;   %10 = zext i32 %9 to i64
;   %11 = sub i64 64, %10
;   %12 = lshr i64 -1, %11
;   %named = and i64 %mask, %12
;   %13 = xor i64 %active3, -1
;   %missing = and i64 %named, %13
;   %gone4 = load i64, ptr addrspace(5) %gone, align 8
;   %gone5 = call i64 @offload_lanes_gone(i64 %gone4) #2
;   %14 = xor i64 %gone5, -1
;   %missing6 = and i64 %missing, %14
;   %there = and i64 %mask, %active3
;   %15 = icmp ne i64 %missing6, 0
;   br i1 %15, label %wrong, label %masked
;
; masked:                                           ; preds = %work
;   %r = call i32 @__offload_shuffle_xor_sync(i64 %there, i32 1, i32 1)
;   %again = icmp eq i32 %r, 0
;   %16 = xor i1 %again, true
;   %leaving2 = call i64 @__offload_ballot(i1 %16) #2
;   %17 = load i64, ptr addrspace(5) %gone, align 8
;   %18 = or i64 %17, %leaving2
;   store i64 %18, ptr addrspace(5) %gone, align 8
;   br i1 %again, label %work, label %leave
;
; leave:                                            ; preds = %masked, %more, %more, %0
;   ret void
;
; wrong:                                            ; preds = %work
;   %19 = call i64 @llvm.cttz.i64(i64 %missing6, i1 true)
;   %20 = call i32 @__offload_lane_id()
;   %21 = zext i32 %20 to i64
;   call void @offload_lane_panic(i32 2, i32 0, i64 %21, i64 %19)
;   unreachable
; }
;
; define void @none(i32 %n) {
;   %early = icmp ult i32 %n, 7
;   br i1 %early, label %leave, label %more
;
; more:                                             ; preds = %0
;   %r = call i32 @f(i64 1)
;   br label %leave
;
; leave:                                            ; preds = %more, %0
;   ret void
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
; declare i64 @__offload_ballot(i1)
;
; ; Function Attrs: alwaysinline convergent nounwind
; define internal i64 @offload_lanes_gone(i64 %own) #1 {
; entry:
;   %own.high = lshr i64 %own, 32
;   %low = trunc i64 %own to i32
;   %high = trunc i64 %own.high to i32
;   br label %look
;
; look:                                             ; preds = %ask, %entry
;   %all = phi i64 [ 0, %entry ], [ %more, %ask ]
;   %known = xor i64 %all, -1
;   %new = and i64 %own, %known
;   %has = icmp ne i64 %new, 0
;   %who = call i64 @__offload_ballot(i1 %has) #2
;   %some = icmp ne i64 %who, 0
;   br i1 %some, label %ask, label %done
;
; ask:                                              ; preds = %look
;   %first = call i64 @llvm.cttz.i64(i64 %who, i1 true)
;   %lane = trunc i64 %first to i32
;   %other.low = call i32 @__offload_shuffle(i32 %low, i32 %lane) #2
;   %other.high = call i32 @__offload_shuffle(i32 %high, i32 %lane) #2
;   %wide.low = zext i32 %other.low to i64
;   %wide.high = zext i32 %other.high to i64
;   %upper = shl i64 %wide.high, 32
;   %other = or i64 %wide.low, %upper
;   %more = or i64 %all, %other
;   br label %look
;
; done:                                             ; preds = %look
;   ret i64 %all
; }
;
; ; Function Attrs: convergent
; declare i32 @__offload_shuffle(i32, i32) #2
;
; attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { alwaysinline convergent nounwind }
; attributes #2 = { convergent }
