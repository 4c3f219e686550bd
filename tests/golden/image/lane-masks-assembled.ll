; NVIDIA's assembler accepts the ballots of divergent lanes.
; RUN: offloadc %s --offload-arch=sm_75-real,sm_80-real --ptxas "$(command -v ptxas)" -o x.o; \
;   offloadc inspect x.o | awk '$3 == "ptx" || $3 == "cubin" { print $1, $3 }'
; REQUIRES: ptxas

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_lane_id()
declare i64 @__offload_ballot(i1 zeroext)
declare i64 @__offload_active_mask()
declare i32 @__offload_shuffle_xor(i32, i32)
declare i32 @__offload_shuffle_up(i32, i32)
declare i32 @__offload_shuffle_down(i32, i32)
declare void @__offload_sync_threads()

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
;;; stdout
; sm_75 cubin
; sm_80 cubin
; apart cubin
; apart cubin
; branch cubin
; branch cubin
; early cubin
; early cubin
; either cubin
; either cubin
; flag cubin
; flag cubin
; jumps cubin
; jumps cubin
; loop cubin
; loop cubin
; nested cubin
; nested cubin
; sides cubin
; sides cubin
; skips cubin
; skips cubin
; there cubin
; there cubin
; apart cubin
; apart cubin
; branch cubin
; branch cubin
; early cubin
; early cubin
; either cubin
; either cubin
; flag cubin
; flag cubin
; jumps cubin
; jumps cubin
; loop cubin
; loop cubin
; nested cubin
; nested cubin
; sides cubin
; sides cubin
; skips cubin
; skips cubin
; there cubin
; there cubin
