; A host's optimiser copies an operation with a mask like any call. If all threads reach one of the copies, they become
; one again, so that the lanes meet on devices with one program counter for a warp. Otherwise they stay, and a lane that
; misses another panics at run time; an operation without a mask is refused there.
; RUN[one]: offloadc %s --kernel=both --offload-arch=sm_80,gfx90a --emit=validate=- | grep -c 'call i64 @__offload_ballot_sync'
; RUN[two]: offloadc %s --kernel=uneven --offload-arch=sm_80,gfx90a --emit=validate=- | grep -c 'call i64 @__offload_ballot_sync'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i64 @__offload_ballot_sync(i64, i1 zeroext)

define void @both(ptr %in, ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %then, label %else
then:
  store i64 1, ptr %out
  %v = call i64 @__offload_ballot_sync(i64 -1, i1 true)
  store i64 %v, ptr %out
  br label %join
else:
  %w = call i64 @__offload_ballot_sync(i64 -1, i1 false)
  %x = add i64 %w, 7
  store i64 %x, ptr %out
  br label %join
join:
  ret void
}

define void @uneven(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %first = icmp ult i32 %t, 32
  br i1 %first, label %then, label %else
then:
  %v = call i64 @__offload_ballot_sync(i64 -1, i1 true)
  %odd = trunc i64 %v to i1
  %w = call i64 @__offload_ballot_sync(i64 -1, i1 %odd)
  store i64 %w, ptr %out
  br label %join
else:
  %x = call i64 @__offload_ballot_sync(i64 -1, i1 false)
  store i64 %x, ptr %out
  br label %join
join:
  ret void
}
;;; stdout[one]
; 1
;;; stdout[two]
; 3
