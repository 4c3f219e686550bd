; Cross-lane operations with a mask. `masks` contains each lane's mask. All its lanes that are in `active` take part. A
; lane whose mask lacks the lane that it reads from gets its own value.

; The lanes among those `at` a stop whose masks are complete: all lanes of the mask except the `excused` ones are there,
; with the same mask.
;
;   for (rest = at; rest != 0; rest &= ~with) {
;     mask = masks[ctz(rest)];
;     with = at & the lanes l with masks[l] == mask;
;     if ((mask & ~with & ~excused) == 0) ready |= with;
;   }
define i64 @offload.warp.ready(ptr noalias readonly %masks, i64 %count, i64 %at, i64 %excused) nounwind {
entry:
  br label %group

group:
  %rest = phi i64 [ %at, %entry ], [ %left, %next ]
  %ready = phi i64 [ 0, %entry ], [ %found, %next ]
  %first = call i64 @llvm.cttz.i64(i64 %rest, i1 false)
  %mask.at = getelementptr inbounds i64, ptr %masks, i64 %first
  %mask = load i64, ptr %mask.at, align 8
  %same = call i64 @offload.warp.same(ptr %masks, i64 %count, i64 %mask)
  br label %next

next:
  %with = and i64 %same, %at
  %others = xor i64 %with, -1
  %expected = xor i64 %excused, -1
  %waited = and i64 %mask, %expected
  %absent = and i64 %waited, %others
  %complete = icmp eq i64 %absent, 0
  %whole = select i1 %complete, i64 %with, i64 0
  %found = or i64 %ready, %whole
  %left = and i64 %rest, %others
  %more = icmp ne i64 %left, 0
  br i1 %more, label %group, label %done

done:
  ret i64 %found
}

; The lanes with a mask. The masks of other lanes are undefined.
define internal i64 @offload.warp.same(ptr noalias readonly %masks, i64 %count, i64 %mask) nounwind alwaysinline {
entry:
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %lanes = phi i64 [ 0, %entry ], [ %with, %lane ]
  %at = getelementptr inbounds i64, ptr %masks, i64 %l
  %own = load i64, ptr %at, align 8
  %here = icmp eq i64 %own, %mask
  %wide = zext i1 %here to i64
  %bit = shl i64 %wide, %l
  %with = or i64 %lanes, %bit
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret i64 %with
}

; Removes the lanes that are not `active` from the masks of the active lanes, because they are excused.
define void @offload.warp.excuse(ptr noalias %masks, i64 %count, i64 %active) nounwind {
entry:
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %at = getelementptr inbounds i64, ptr %masks, i64 %l
  %mask = load i64, ptr %at, align 8
  %bit = lshr i64 %active, %l
  %here = trunc i64 %bit to i1
  %named = and i64 %mask, %active
  %new = select i1 %here, i64 %named, i64 %mask
  store i64 %new, ptr %at, align 8
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; The first lane in a waiting lane's mask that is not `at` its stop with the same mask, and not `excused`.
define i64 @offload.warp.missing(ptr noalias readonly %masks, i64 %count, i64 %at, i64 %excused, i64 %lane) nounwind {
  %mask.at = getelementptr inbounds i64, ptr %masks, i64 %lane
  %mask = load i64, ptr %mask.at, align 8
  %same = call i64 @offload.warp.same(ptr %masks, i64 %count, i64 %mask)
  %with = and i64 %same, %at
  %others = xor i64 %with, -1
  %expected = xor i64 %excused, -1
  %waited = and i64 %mask, %expected
  %absent = and i64 %waited, %others
  %first = call i64 @llvm.cttz.i64(i64 %absent, i1 false)
  ret i64 %first
}

declare i64 @llvm.cttz.i64(i64, i1)

; results[l] = values[masks[l] >> from & 1 ? from : l];
define internal void @offload.warp.take(ptr noalias readonly %values, ptr noalias %results, ptr noalias readonly %masks, i64 %l, i64 %from) nounwind alwaysinline {
  %mask.at = getelementptr inbounds i64, ptr %masks, i64 %l
  %mask = load i64, ptr %mask.at, align 8
  %bit = lshr i64 %mask, %from
  %low = and i64 %bit, 1
  %named = icmp ne i64 %low, 0
  %source = select i1 %named, i64 %from, i64 %l
  %value.at = getelementptr inbounds i32, ptr %values, i64 %source
  %value = load i32, ptr %value.at, align 4
  %result.at = getelementptr inbounds i32, ptr %results, i64 %l
  store i32 %value, ptr %result.at, align 4
  ret void
}

; From lane arguments[l].
define void @offload.warp.shuffle_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %last = sub i64 %lanes, 1
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %argument.at = getelementptr inbounds i32, ptr %arguments, i64 %l
  %argument = load i32, ptr %argument.at, align 4
  %wide = zext i32 %argument to i64
  %given = and i64 %wide, %last
  call void @offload.warp.take(ptr %values, ptr %results, ptr %masks, i64 %l, i64 %given)
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; From lane l ^ arguments[l].
define void @offload.warp.shuffle_xor_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %last = sub i64 %lanes, 1
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %argument.at = getelementptr inbounds i32, ptr %arguments, i64 %l
  %argument = load i32, ptr %argument.at, align 4
  %wide = zext i32 %argument to i64
  %given = and i64 %wide, %last
  %from = xor i64 %l, %given
  call void @offload.warp.take(ptr %values, ptr %results, ptr %masks, i64 %l, i64 %from)
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; From lane l >= arguments[l] ? l - arguments[l] : l.
define void @offload.warp.shuffle_up_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %last = sub i64 %lanes, 1
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %argument.at = getelementptr inbounds i32, ptr %arguments, i64 %l
  %argument = load i32, ptr %argument.at, align 4
  %wide = zext i32 %argument to i64
  %given = and i64 %wide, %last
  %below = sub i64 %l, %given
  %inside = icmp uge i64 %l, %given
  %from = select i1 %inside, i64 %below, i64 %l
  call void @offload.warp.take(ptr %values, ptr %results, ptr %masks, i64 %l, i64 %from)
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; From lane l + arguments[l] < lanes ? l + arguments[l] : l.
define void @offload.warp.shuffle_down_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %last = sub i64 %lanes, 1
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %argument.at = getelementptr inbounds i32, ptr %arguments, i64 %l
  %argument = load i32, ptr %argument.at, align 4
  %wide = zext i32 %argument to i64
  %given = and i64 %wide, %last
  %above = add i64 %l, %given
  %inside = icmp ult i64 %above, %lanes
  %from = select i1 %inside, i64 %above, i64 %l
  call void @offload.warp.take(ptr %values, ptr %results, ptr %masks, i64 %l, i64 %from)
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; results[l] = votes & masks[l];
define void @offload.warp.ballot_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %votes = call i64 @offload.warp.votes(ptr %values, i64 %active, i64 %count)
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %mask.at = getelementptr inbounds i64, ptr %masks, i64 %l
  %mask = load i64, ptr %mask.at, align 8
  %result = and i64 %votes, %mask
  %at = getelementptr inbounds i64, ptr %results, i64 %l
  store i64 %result, ptr %at, align 8
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; results[l] = (votes & masks[l]) != 0;
define void @offload.warp.any_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %votes = call i64 @offload.warp.votes(ptr %values, i64 %active, i64 %count)
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %mask.at = getelementptr inbounds i64, ptr %masks, i64 %l
  %mask = load i64, ptr %mask.at, align 8
  %for = and i64 %votes, %mask
  %some = icmp ne i64 %for, 0
  %result = zext i1 %some to i64
  %at = getelementptr inbounds i64, ptr %results, i64 %l
  store i64 %result, ptr %at, align 8
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}

; results[l] = (votes & masks[l]) == masks[l];
define void @offload.warp.all_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) nounwind {
entry:
  %votes = call i64 @offload.warp.votes(ptr %values, i64 %active, i64 %count)
  br label %lane

lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %mask.at = getelementptr inbounds i64, ptr %masks, i64 %l
  %mask = load i64, ptr %mask.at, align 8
  %for = and i64 %votes, %mask
  %every = icmp eq i64 %for, %mask
  %result = zext i1 %every to i64
  %at = getelementptr inbounds i64, ptr %results, i64 %l
  store i64 %result, ptr %at, align 8
  %next = add nuw nsw i64 %l, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %lane, label %done

done:
  ret void
}
