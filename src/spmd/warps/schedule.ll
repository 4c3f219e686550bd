; Cross-lane operations on the CPU, and the order in which the lanes of a warp continue.
;
; Arrays have an element for each of the warp's `count` lanes. The state of a lane is the number of the stop where it
; waits, with the highest bit set if it waits for the block's other warps, or 0 if it has returned.

; The lowest number, minus 1, of a stop where lanes wait only for their own warp. Stops up to `floor` are ignored. If
; there is none, the result is greater than all stops, and if all lanes have returned, it is the largest number.
;
;   for (l = 0; l < count; l++) least = min(least, states[l] - 1 < floor ? UINT32_MAX : states[l] - 1);
define i32 @offload.warp.earliest(ptr noalias readonly %states, i64 %count, i32 %floor) nounwind {
entry:
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %least = phi i32 [ -1, %entry ], [ %lesser, %lane ]
  %at = getelementptr inbounds i32, ptr %states, i64 %l
  %state = load i32, ptr %at, align 4
  %number = sub i32 %state, 1
  %low = icmp ult i32 %number, %floor
  %own = select i1 %low, i32 -1, i32 %number
  %less = icmp ult i32 %own, %least
  %lesser = select i1 %less, i32 %own, i32 %least
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret i32 %lesser
}

; The lanes in one state, one bit each, lane 0 lowest.
define i64 @offload.warp.at(ptr noalias readonly %states, i64 %count, i32 %wanted) nounwind {
entry:
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %lanes = phi i64 [ 0, %entry ], [ %with, %lane ]
  %at = getelementptr inbounds i32, ptr %states, i64 %l
  %state = load i32, ptr %at, align 4
  %here = icmp eq i32 %state, %wanted
  %wide = zext i1 %here to i64
  %bit = shl i64 %wide, %l
  %with = or i64 %lanes, %bit
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret i64 %with
}

; Lets lanes that wait for the block's other warps continue.
define void @offload.warp.release(ptr noalias %states, i64 %count) nounwind {
entry:
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %at = getelementptr inbounds i32, ptr %states, i64 %l
  %state = load i32, ptr %at, align 4
  %stop = and i32 %state, 2147483647
  store i32 %stop, ptr %at, align 4
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; Sets the state of all lanes.
define void @offload.warp.set(ptr noalias %states, i64 %count, i32 %state) nounwind {
entry:
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %at = getelementptr inbounds i32, ptr %states, i64 %l
  store i32 %state, ptr %at, align 4
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; Operations. `active` has a bit for each lane that takes part. The results of other lanes are undefined, because they
; are not read. Those of shuffles have 32 bits, those of votes 64. Lane numbers are modulo `lanes`. A lane that reads from
; a lane which does not take part gets its own value.

; results[l] = values[arguments[l]];
define void @offload.warp.shuffle(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %mask = sub i64 %lanes, 1
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %argument.at = getelementptr inbounds i32, ptr %arguments, i64 %l
  %argument = load i32, ptr %argument.at, align 4
  %wide = zext i32 %argument to i64
  %given = and i64 %wide, %mask
  %from = add i64 %given, 0
  %bit = lshr i64 %active, %from
  %low = and i64 %bit, 1
  %there = icmp ne i64 %low, 0
  %source = select i1 %there, i64 %from, i64 %l
  %value.at = getelementptr inbounds i32, ptr %values, i64 %source
  %value = load i32, ptr %value.at, align 4
  %result.at = getelementptr inbounds i32, ptr %results, i64 %l
  store i32 %value, ptr %result.at, align 4
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; results[l] = values[l ^ arguments[l]];
define void @offload.warp.shuffle_xor(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %mask = sub i64 %lanes, 1
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %argument.at = getelementptr inbounds i32, ptr %arguments, i64 %l
  %argument = load i32, ptr %argument.at, align 4
  %wide = zext i32 %argument to i64
  %given = and i64 %wide, %mask
  %from = xor i64 %l, %given
  %bit = lshr i64 %active, %from
  %low = and i64 %bit, 1
  %there = icmp ne i64 %low, 0
  %source = select i1 %there, i64 %from, i64 %l
  %value.at = getelementptr inbounds i32, ptr %values, i64 %source
  %value = load i32, ptr %value.at, align 4
  %result.at = getelementptr inbounds i32, ptr %results, i64 %l
  store i32 %value, ptr %result.at, align 4
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; results[l] = values[l >= arguments[l] ? l - arguments[l] : l];
define void @offload.warp.shuffle_up(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %mask = sub i64 %lanes, 1
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %argument.at = getelementptr inbounds i32, ptr %arguments, i64 %l
  %argument = load i32, ptr %argument.at, align 4
  %wide = zext i32 %argument to i64
  %given = and i64 %wide, %mask
  %below = sub i64 %l, %given
  %inside = icmp uge i64 %l, %given
  %from = select i1 %inside, i64 %below, i64 %l
  %bit = lshr i64 %active, %from
  %low = and i64 %bit, 1
  %there = icmp ne i64 %low, 0
  %source = select i1 %there, i64 %from, i64 %l
  %value.at = getelementptr inbounds i32, ptr %values, i64 %source
  %value = load i32, ptr %value.at, align 4
  %result.at = getelementptr inbounds i32, ptr %results, i64 %l
  store i32 %value, ptr %result.at, align 4
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; results[l] = values[l + arguments[l] < lanes ? l + arguments[l] : l];
define void @offload.warp.shuffle_down(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %mask = sub i64 %lanes, 1
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %argument.at = getelementptr inbounds i32, ptr %arguments, i64 %l
  %argument = load i32, ptr %argument.at, align 4
  %wide = zext i32 %argument to i64
  %given = and i64 %wide, %mask
  %above = add i64 %l, %given
  %inside = icmp ult i64 %above, %lanes
  %from = select i1 %inside, i64 %above, i64 %l
  %bit = lshr i64 %active, %from
  %low = and i64 %bit, 1
  %there = icmp ne i64 %low, 0
  %source = select i1 %there, i64 %from, i64 %l
  %value.at = getelementptr inbounds i32, ptr %values, i64 %source
  %value = load i32, ptr %value.at, align 4
  %result.at = getelementptr inbounds i32, ptr %results, i64 %l
  store i32 %value, ptr %result.at, align 4
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; The lanes that take part and have a value other than 0.
define internal i64 @offload.warp.votes(ptr noalias readonly %values, i64 %active, i64 %count) nounwind alwaysinline {
entry:
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %votes = phi i64 [ 0, %entry ], [ %with, %lane ]
  %at = getelementptr inbounds i32, ptr %values, i64 %l
  %value = load i32, ptr %at, align 4
  %vote = icmp ne i32 %value, 0
  %wide = zext i1 %vote to i64
  %bit = shl i64 %wide, %l
  %with = or i64 %votes, %bit
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  %present = and i64 %with, %active
  ret i64 %present
}

; for (l = 0; l < count; l++) results[l] = result;
define internal void @offload.warp.give(ptr noalias %results, i64 %result, i64 %count) nounwind alwaysinline {
entry:
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %at = getelementptr inbounds i64, ptr %results, i64 %l
  store i64 %result, ptr %at, align 8
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

define void @offload.warp.ballot(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) nounwind {
  %votes = call i64 @offload.warp.votes(ptr %values, i64 %active, i64 %count)
  %result = add i64 %votes, 0
  call void @offload.warp.give(ptr %results, i64 %result, i64 %count)
  ret void
}

define void @offload.warp.any(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) nounwind {
  %votes = call i64 @offload.warp.votes(ptr %values, i64 %active, i64 %count)
  %some = icmp ne i64 %votes, 0
  %result = zext i1 %some to i64
  call void @offload.warp.give(ptr %results, i64 %result, i64 %count)
  ret void
}

define void @offload.warp.all(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) nounwind {
  %votes = call i64 @offload.warp.votes(ptr %values, i64 %active, i64 %count)
  %every = icmp eq i64 %votes, %active
  %result = zext i1 %every to i64
  call void @offload.warp.give(ptr %results, i64 %result, i64 %count)
  ret void
}

define void @offload.warp.active_mask(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) nounwind {
  call void @offload.warp.give(ptr %results, i64 %active, i64 %count)
  ret void
}
