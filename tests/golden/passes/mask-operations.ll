; A shuffle in a divergent branch names the lanes that voted for the branch; one of all lanes stays.
; RUN: offloadc %s --run-pass=mask_operations --offload-arch=sm_80 --kernel=k | grep -v "^target"

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
; declare i64 @__offload_ballot_sync(i64, i1)
;
; declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)
;
; attributes #0 = { memory(none) }
; attributes #1 = { convergent }
