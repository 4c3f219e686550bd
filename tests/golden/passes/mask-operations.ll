; A shuffle in a divergent branch names the lanes that voted for the branch; one of all lanes stays. In a loop that lanes
; leave apart, it names those of the iteration. A function that is no kernel names only the active lanes. An operation
; that has a mask keeps it.
; RUN: offloadc %s --run-pass=mask_operations --offload-arch=sm_80 --kernel=k --kernel=loop | grep -v "^target"

declare i32 @__offload_lane_id() memory(none)
declare i32 @__offload_shuffle_xor(i32, i32) convergent

define void @k(ptr %out) convergent {
entry:
  %lane = call i32 @__offload_lane_id()
  %low = icmp ult i32 %lane, 8
  br i1 %low, label %few, label %end
few:
  %r = call i32 @__offload_shuffle_xor(i32 %lane, i32 1) convergent
  store i32 %r, ptr %out
  br label %end
end:
  %all = call i32 @__offload_shuffle_xor(i32 %lane, i32 2) convergent
  store i32 %all, ptr %out
  ret void
}

define void @loop(ptr %out, i32 %n) convergent {
entry:
  %lane = call i32 @__offload_lane_id()
  %low = icmp ult i32 %lane, 8
  br i1 %low, label %turn, label %end
turn:
  %i = phi i32 [ 0, %entry ], [ %next, %turn ]
  %r = call i32 @__offload_shuffle_xor(i32 %i, i32 1) convergent
  store i32 %r, ptr %out
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %lane
  br i1 %more, label %turn, label %end
end:
  %last = call i32 @__offload_shuffle_xor(i32 %lane, i32 2) convergent
  store i32 %last, ptr %out
  ret void
}

define void @other(ptr %out, i64 %mask) convergent {
  %r = call i32 @__offload_shuffle_xor(i32 1, i32 1) convergent
  store i32 %r, ptr %out
  %masked = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1) convergent
  store i32 %masked, ptr %out
  ret void
}

declare i32 @__offload_shuffle_xor_sync(i64, i32, i32) convergent
;;; stdout
;
; ; Function Attrs: memory(none)
; declare i32 @__offload_lane_id() #0
;
; ; Function Attrs: convergent
; declare i32 @__offload_shuffle_xor(i32, i32) #1
;
; ; Function Attrs: convergent
; define void @k(ptr %out) #1 {
; entry:
;   %lane = call i32 @__offload_lane_id()
;   %low = icmp ult i32 %lane, 8
;   %0 = call i64 @__offload_ballot_sync(i64 -1, i1 %low) #1
;   br i1 %low, label %few, label %end
;
; few:                                              ; preds = %entry
;   %1 = call i32 @__offload_shuffle_xor_sync(i64 %0, i32 %lane, i32 1) #1
;   store i32 %1, ptr %out, align 4
;   br label %end
;
; end:                                              ; preds = %few, %entry
;   %all = call i32 @__offload_shuffle_xor(i32 %lane, i32 2) #1
;   store i32 %all, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: convergent
; define void @loop(ptr %out, i32 %n) #1 {
; entry:
;   %lane = call i32 @__offload_lane_id()
;   %low = icmp ult i32 %lane, 8
;   %0 = call i64 @__offload_ballot_sync(i64 -1, i1 %low) #1
;   br i1 %low, label %turn, label %end
;
; turn:                                             ; preds = %turn, %entry
;   %i = phi i32 [ 0, %entry ], [ %next, %turn ]
;   %round5 = phi i64 [ %0, %entry ], [ %2, %turn ]
;   %1 = call i32 @__offload_shuffle_xor_sync(i64 %round5, i32 %i, i32 1) #1
;   store i32 %1, ptr %out, align 4
;   %next = add i32 %i, 1
;   %more = icmp ult i32 %next, %lane
;   %2 = call i64 @__offload_ballot_sync(i64 %round5, i1 %more) #1
;   br i1 %more, label %turn, label %end
;
; end:                                              ; preds = %turn, %entry
;   %last = call i32 @__offload_shuffle_xor(i32 %lane, i32 2) #1
;   store i32 %last, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: convergent
; define void @other(ptr %out, i64 %mask) #1 {
;   %1 = call i64 @__offload_active_mask() #1
;   %2 = call i32 @__offload_shuffle_xor_sync(i64 %1, i32 1, i32 1) #1
;   store i32 %2, ptr %out, align 4
;   %masked = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1) #1
;   store i32 %masked, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: convergent
; declare i32 @__offload_shuffle_xor_sync(i64, i32, i32) #1
;
; declare i64 @__offload_ballot_sync(i64, i1)
;
; declare i64 @__offload_active_mask()
;
; attributes #0 = { memory(none) }
; attributes #1 = { convergent }
