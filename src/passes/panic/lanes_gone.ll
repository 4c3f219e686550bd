; All lanes that have returned, according to one of the active lanes. The active lanes call it together.
;
;   for (all = 0; who = ballot((own & ~all) != 0); ) all |= shuffle(own, ctz(who));
define i64 @offload_lanes_gone(i64 %own) nounwind convergent alwaysinline {
entry:
  %own.high = lshr i64 %own, 32
  %low = trunc i64 %own to i32
  %high = trunc i64 %own.high to i32
  br label %look

look:
  %all = phi i64 [ 0, %entry ], [ %more, %ask ]
  %known = xor i64 %all, -1
  %new = and i64 %own, %known
  %has = icmp ne i64 %new, 0
  %who = call i64 @__offload_ballot(i1 %has) convergent
  %some = icmp ne i64 %who, 0
  br i1 %some, label %ask, label %done

ask:
  %first = call i64 @llvm.cttz.i64(i64 %who, i1 true)
  %lane = trunc i64 %first to i32
  %other.low = call i32 @__offload_shuffle(i32 %low, i32 %lane) convergent
  %other.high = call i32 @__offload_shuffle(i32 %high, i32 %lane) convergent
  %wide.low = zext i32 %other.low to i64
  %wide.high = zext i32 %other.high to i64
  %upper = shl i64 %wide.high, 32
  %other = or i64 %wide.low, %upper
  %more = or i64 %all, %other
  br label %look

done:
  ret i64 %all
}

declare i64 @__offload_ballot(i1) convergent
declare i32 @__offload_shuffle(i32, i32) convergent
declare i64 @llvm.cttz.i64(i64, i1 immarg)
