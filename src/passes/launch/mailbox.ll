; The device's side of a call of the host. See docs/runtime.md for the protocol and its order of memory accesses.
;
;   uint32_t __offload_host_mailbox(struct offload_launch_state *state, uint64_t number, const void *arguments,
;                                   uint64_t argument_bytes, void *result, uint64_t result_bytes);
;
; `abi::fill_in_offsets` replaces `{offload_launch_state.mailbox}` by the offset of the field.
;
; Lanes of one warp may compete for slots, and a lane that owns a slot waits for the host. All that an owner does is
; therefore within one iteration of the loop in which the others try again: on devices whose lanes have one program
; counter, owners then finish before the others continue. The flag `done` is volatile, so that no optimiser moves the
; work of an owner out of the loop.
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define i32 @__offload_host_mailbox(ptr %state, i64 %number, ptr %arguments, i64 %argument.bytes, ptr %result, i64 %result.bytes) noinline nounwind {
entry:
  %done = alloca i32, align 4
  store volatile i32 0, ptr %done, align 4
  %mailbox.at = getelementptr i8, ptr %state, i64 {offload_launch_state.mailbox}
  %mailbox = load ptr, ptr %mailbox.at, align 8
  %object.at = getelementptr i8, ptr %state, i64 {offload_launch_state.object}
  %object = load i64, ptr %object.at, align 8
  %tickets.at = getelementptr i8, ptr %state, i64 {offload_launch_state.tickets}
  %claims.at = getelementptr i8, ptr %state, i64 {offload_launch_state.claims}
  %none = icmp eq ptr %mailbox, null
  br i1 %none, label %leave, label %measure

measure:
  %more.arguments = icmp ugt i64 %argument.bytes, 896
  %more.result = icmp ugt i64 %result.bytes, 896
  %more = or i1 %more.arguments, %more.result
  br i1 %more, label %leave, label %try

try:
  %earlier = phi i32 [ 0, %measure ], [ %now, %next ]
  %ticket = atomicrmw add ptr %tickets.at, i32 1 syncscope("device") monotonic, align 4
  %slot = and i32 %ticket, 127
  %word = lshr i32 %slot, 5
  %word.wide = zext i32 %word to i64
  %claim.at = getelementptr i32, ptr %claims.at, i64 %word.wide
  %lower = and i32 %slot, 31
  %bit = shl i32 1, %lower
  %before = atomicrmw or ptr %claim.at, i32 %bit syncscope("device") acquire, align 4
  %taken = and i32 %before, %bit
  %free = icmp eq i32 %taken, 0
  br i1 %free, label %post, label %next

post:
  %slot.wide = zext i32 %slot to i64
  %offset = mul i64 %slot.wide, 1024
  %call = getelementptr i8, ptr %mailbox, i64 %offset
  %number.at = getelementptr i8, ptr %call, i64 {offload_host_call.number}
  store i64 %number, ptr %number.at, align 8
  %own.object.at = getelementptr i8, ptr %call, i64 {offload_host_call.object}
  store i64 %object, ptr %own.object.at, align 8
  %argument.bytes.at = getelementptr i8, ptr %call, i64 {offload_host_call.argument_bytes}
  %argument.count = trunc i64 %argument.bytes to i32
  store i32 %argument.count, ptr %argument.bytes.at, align 4
  %result.bytes.at = getelementptr i8, ptr %call, i64 {offload_host_call.result_bytes}
  %result.count = trunc i64 %result.bytes to i32
  store i32 %result.count, ptr %result.bytes.at, align 4
  %bytes = getelementptr i8, ptr %call, i64 {offload_host_call.bytes}
  call void @llvm.memcpy.p0.p0.i64(ptr align 128 %bytes, ptr %arguments, i64 %argument.bytes, i1 false)
  %request.at = getelementptr i8, ptr %call, i64 {offload_host_call.request}
  %last = load atomic i32, ptr %request.at monotonic, align 4
  %request = add i32 %last, 1
  store atomic i32 %request, ptr %request.at release, align 4
  %answer.at = getelementptr i8, ptr %call, i64 {offload_host_call.answer}
  br label %wait

wait:
  %answer = load atomic i32, ptr %answer.at monotonic, align 4
  %answered = icmp eq i32 %answer, %request
  br i1 %answered, label %take, label %wait

take:
  fence acquire
  %status.at = getelementptr i8, ptr %call, i64 {offload_host_call.status}
  %status = load i32, ptr %status.at, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr %result, ptr align 128 %bytes, i64 %result.bytes, i1 false)
  %others = xor i32 %bit, -1
  %released = atomicrmw and ptr %claim.at, i32 %others syncscope("device") release, align 4
  store volatile i32 1, ptr %done, align 4
  br label %next

next:
  %now = phi i32 [ %earlier, %try ], [ %status, %take ]
  %flag = load volatile i32, ptr %done, align 4
  %again = icmp eq i32 %flag, 0
  br i1 %again, label %try, label %leave

leave:
  %answer.status = phi i32 [ 2, %entry ], [ 3, %measure ], [ %now, %next ]
  ret i32 %answer.status
}
