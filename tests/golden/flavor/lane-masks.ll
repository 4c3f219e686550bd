; Where lanes go their own ways, an operation without a mask gets the mask of the lanes that come to it. They find out by
; ballots: in front of the branch where it alone decides, else on the edges where it is decided. Where all lanes come, or those
; that do not only return, there is none. Archs with one program counter per warp ask which lanes are there.

; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=codegen=-
; CHECK[sm_80]: .entry early(
; CHECK-NOT[sm_80]: vote.sync
; CHECK[sm_80]: shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;
; CHECK[sm_80]: .entry branch(
; CHECK[sm_80]: setp.lt.u32 %p3, %r3, 8;
; CHECK[sm_80]: vote.sync.ballot.b32 %r2, %p3, -1;
; CHECK[sm_80]: @%p2 bra
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, %r1, 1, 31, %r2;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 16, 31, -1;
; CHECK[sm_80]: .entry sides(
; CHECK[sm_80]: vote.sync.ballot.b32 %r3, %p2, -1;
; CHECK[sm_80]: vote.sync.ballot.b32 %r4, %p1, -1;
; CHECK[sm_80]: @%p1 bra
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 31, %r3;
; CHECK[sm_80]: vote.sync.ballot.b32 %r{{.*}}, %r4;
; CHECK[sm_80]: .entry nested(
; CHECK[sm_80]: vote.sync.ballot.b32 %r3, %p{{.*}}, -1;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 1, 31, %r3;
; CHECK[sm_80]: vote.sync.ballot.b32 %r5, %p{{.*}}, %r3;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 2, 31, %r5;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 4, 31, %r3;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 8, 31, -1;
; CHECK[sm_80]: .entry either(
; CHECK[sm_80]: %p1 bra
; CHECK[sm_80]: mov.pred %p3, -1;
; CHECK[sm_80]: vote.sync.ballot.b32 %r{{.*}}, %p3, -1;
; CHECK[sm_80]: vote.sync.ballot.b32 %r{{.*}}, %p2, -1;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 1, 31, %r
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 8, 31, -1;
; CHECK[sm_80]: .entry loop(
; CHECK[sm_80]: vote.sync.ballot.b32 %r13, %p{{.*}}, -1;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 4, 31, %r13;
; CHECK[sm_80]: vote.sync.ballot.b32 %r13, %p{{.*}}, %r13;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 1, 31, -1;
; CHECK[sm_80]: .entry skips(
; CHECK@22[sm_80]: vote.sync.ballot.b32 %r5, %p2, -1;
; CHECK-NOT@22[sm_80]: vote.sync
; CHECK@22[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 4, 31, %r5;
; CHECK@23[sm_80]: vote.sync.ballot.b32 %r8, %p{{.*}}, -1;
; CHECK-NOT@23[sm_80]: vote.sync
; CHECK@23[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 4, 31, %r8;
; CHECK[sm_80]: .entry there(
; CHECK[sm_80]: vote.sync.ballot.b32 %r1, %p2, -1;
; CHECK[sm_80]: vote.sync.ballot.b32 %r3, %p3, %r1;
; CHECK[sm_80]: bar.sync 0;
; CHECK[sm_80]: .entry jumps(
; CHECK[sm_80]: activemask.b32 %r2;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 1, 31, %r2;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 2, 31, -1;
; CHECK[sm_80]: .entry apart(
; CHECK[sm_80]: vote.sync.ballot.b32 %r{{.*}}, %p6, -1;
; CHECK[sm_80]: .entry flag(
; CHECK[sm_80]: vote.sync.ballot.b32 %r{{.*}}, %p{{.*}}, -1;
; CHECK[sm_80]: shfl.sync.bfly.b32 %r{{.*}}, 1, 31, %r
; RUN[sm_60]: offloadc %s --offload-arch=sm_60 --emit=codegen=-
; CHECK[sm_60]: .version 6.2
; CHECK[sm_60]: .entry early(
; CHECK[sm_60]: shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;
; CHECK[sm_60]: .entry branch(
; CHECK-NOT[sm_60]: vote.sync
; CHECK[sm_60]: activemask.b32 %r3;
; CHECK[sm_60]: shfl.sync.bfly.b32 %r{{.*}}, 1, 31, %r3;
; CHECK[sm_60]: shfl.sync.bfly.b32 %r{{.*}}, 16, 31, -1;

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_lane_id()
declare i64 @__offload_ballot(i1 zeroext)
declare i64 @__offload_active_mask()
declare i32 @__offload_shuffle_xor(i32, i32)
declare i32 @__offload_shuffle_up(i32, i32)
declare i32 @__offload_shuffle_down(i32, i32)
declare void @__offload_sync_threads()

; The others return: `.sync` waits for no lane that has.
define ptx_kernel void @early(ptr %out, i32 %n) {
  %x = call i32 @__offload_thread_id_x()
  %inside = icmp ult i32 %x, %n
  br i1 %inside, label %work, label %done
work:
  %other = call i32 @__offload_shuffle_xor(i32 %x, i32 1)
  %place = getelementptr i32, ptr %out, i32 %x
  store i32 %other, ptr %place
  br label %done
done:
  ret void
}

; A branch, and the code after it.
define ptx_kernel void @branch(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %low = icmp ult i32 %lane, 8
  br i1 %low, label %then, label %join
then:
  %other = call i32 @__offload_shuffle_xor(i32 %x, i32 1)
  br label %join
join:
  %value = phi i32 [ %x, %0 ], [ %other, %then ]
  %all = call i32 @__offload_shuffle_xor(i32 %value, i32 16)
  %place = getelementptr i32, ptr %out, i32 %x
  store i32 %all, ptr %place
  ret void
}

; Both sides, and nothing after them.
define ptx_kernel void @sides(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %place = getelementptr i32, ptr %out, i32 %x
  %low = icmp ult i32 %lane, 8
  br i1 %low, label %then, label %else
then:
  %left = call i32 @__offload_shuffle_xor(i32 %x, i32 1)
  store i32 %left, ptr %place
  br label %join
else:
  %odd = trunc i32 %x to i1
  %votes = call i64 @__offload_ballot(i1 zeroext %odd)
  store i64 %votes, ptr %place
  br label %join
join:
  ret void
}

; A branch in a branch: the lanes of the first one alone vote on the second.
define ptx_kernel void @nested(ptr %out, ptr %in) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %place = getelementptr i32, ptr %out, i32 %x
  %low = icmp ult i32 %lane, 16
  br i1 %low, label %first, label %join
first:
  %a = call i32 @__offload_shuffle_xor(i32 %x, i32 1)
  %odd = trunc i32 %a to i1
  br i1 %odd, label %second, label %behind
second:
  %b = call i32 @__offload_shuffle_xor(i32 %a, i32 2)
  store i32 %b, ptr %place
  br label %behind
behind:
  %c = call i32 @__offload_shuffle_xor(i32 %a, i32 4)
  store i32 %c, ptr %place
  br label %join
join:
  %d = call i32 @__offload_shuffle_xor(i32 %lane, i32 8)
  store i32 %d, ptr %out
  ret void
}

; Two branches reach one operation: lanes vote where it is decided.
define ptx_kernel void @either(ptr %out, ptr %in) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %place = getelementptr i32, ptr %out, i32 %x
  %low = icmp ult i32 %lane, 8
  br i1 %low, label %meet, label %more
more:
  store i32 1, ptr %place
  %odd = trunc i32 %x to i1
  br i1 %odd, label %meet, label %join
meet:
  %a = call i32 @__offload_shuffle_xor(i32 %x, i32 1)
  store i32 %a, ptr %place
  br label %join
join:
  %b = call i32 @__offload_shuffle_xor(i32 %lane, i32 8)
  store i32 %b, ptr %out
  ret void
}

; A loop of unequal length: a lane that leaves is in no mask of the next iteration.
define ptx_kernel void @loop(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %count = and i32 %lane, 3
  br label %head
head:
  %round = phi i32 [ 0, %0 ], [ %next, %body ]
  %more = icmp ult i32 %round, %count
  br i1 %more, label %body, label %behind
body:
  %a = call i32 @__offload_shuffle_xor(i32 %x, i32 4)
  %place = getelementptr i32, ptr %out, i32 %a
  store i32 %round, ptr %place
  %next = add i32 %round, 1
  br label %head
behind:
  %b = call i32 @__offload_shuffle_xor(i32 %round, i32 1)
  store i32 %b, ptr %out
  ret void
}

; A lane that skips a part of an iteration is in the next one.
define ptx_kernel void @skips(ptr %out, i32 %rounds) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  br label %head
head:
  %round = phi i32 [ 0, %0 ], [ %next, %latch ]
  %own = icmp eq i32 %round, %lane
  br i1 %own, label %latch, label %body
body:
  %a = call i32 @__offload_shuffle_xor(i32 %x, i32 4)
  %place = getelementptr i32, ptr %out, i32 %a
  store i32 %round, ptr %place
  br label %latch
latch:
  %next = add i32 %round, 1
  %more = icmp ult i32 %next, %rounds
  br i1 %more, label %head, label %behind
behind:
  ret void
}

; The active lanes are read again after they have diverged, too.
define ptx_kernel void @there(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %low = icmp ult i32 %lane, 8
  br i1 %low, label %then, label %join
then:
  %mask = call i64 @__offload_active_mask()
  store i64 %mask, ptr %out
  br label %join
join:
  call void @__offload_sync_threads()
  ret void
}

; Control enters this loop at two places: its operations are for the lanes that are there.
define ptx_kernel void @jumps(ptr %out, i32 %n) {
  %x = call i32 @__offload_thread_id_x()
  %low = icmp ult i32 %x, 8
  br i1 %low, label %a, label %b
a:
  %i = phi i32 [ 0, %0 ], [ %k, %b ]
  %v = call i32 @__offload_shuffle_xor(i32 %i, i32 1)
  store i32 %v, ptr %out
  br label %b
b:
  %j = phi i32 [ 1, %0 ], [ %i, %a ]
  %k = add i32 %j, 1
  %more = icmp ult i32 %k, %x
  br i1 %more, label %a, label %done
done:
  %w = call i32 @__offload_shuffle_xor(i32 %x, i32 2)
  store i32 %w, ptr %out
  ret void
}

; A lane on its way to `left` votes that it does not reach `last`, where the result has no use: the vote stays.
define ptx_kernel void @apart(ptr %out) {
entry:
  %t = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %odd = trunc i32 %lane to i1
  %second = lshr i32 %lane, 1
  %set = trunc i32 %second to i1
  %row = getelementptr [4 x i64], ptr %out, i32 %t
  %out0 = getelementptr i64, ptr %row, i32 0
  %out1 = getelementptr i64, ptr %row, i32 1
  %out2 = getelementptr i64, ptr %row, i32 2
  %out3 = getelementptr i64, ptr %row, i32 3
  %some = icmp ult i32 %lane, 31
  br i1 %some, label %all, label %others

others:
  br i1 %odd, label %last, label %join

all:
  %a = call i64 @__offload_ballot(i1 zeroext true)
  store i64 %a, ptr %out0
  br i1 %odd, label %right, label %left

left:
  store i64 1, ptr %out1
  br i1 %set, label %few, label %join

right:
  store i64 2, ptr %out1
  br i1 %set, label %few, label %last

few:
  %b = call i32 @__offload_shuffle_xor(i32 %t, i32 1)
  store i32 %b, ptr %out1
  br label %join

last:
  %c = call i32 @__offload_shuffle_up(i32 %t, i32 1)
  store i32 %c, ptr %out2
  br label %join

join:
  %d = call i32 @__offload_shuffle_down(i32 %t, i32 1)
  store i32 %d, ptr %out3
  ret void
}

; Two lanes may load different values from one address, if other threads write.
define ptx_kernel void @flag(ptr %out, ptr %flag) {
  %x = call i32 @__offload_thread_id_x()
  %value = load atomic i32, ptr %flag monotonic, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %then, label %join
then:
  %other = call i32 @__offload_shuffle_xor(i32 %x, i32 1)
  store i32 %other, ptr %out
  br label %join
join:
  call void @__offload_sync_threads()
  ret void
}
