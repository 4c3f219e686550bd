; Threads that return early before a barrier say so: the first thread of the block writes its answer to workgroup memory,
; and a thread with another one panics. With a promised size of the block that decides the guard, nothing is left of it.
; A condition is no guard, and stays, if it is no order, or a part of it is none, if the thread writes before it
; returns, if both sides have a barrier, in a loop, or within a branch that threads take apart.
; The checker's calls, which a returning thread makes, too, are no effects.
; The index of the crate is the greatest number in threads that are not in the first row: a question of that kind is a
; part of a bound, and one for the thread in its row is not.
; RUN: offloadc %s --run-pass=agree_on_returns --kernel=guard --kernel=checked --kernel=two --kernel=promised --kernel=parity --kernel=writes --kernel=both --kernel=loop --kernel=parts --kernel=inside --kernel=shared --kernel=index --kernel=indexparity | grep -v "^target"

declare i32 @__offload_thread_id_x() memory(none)
declare i32 @__offload_thread_id_y() memory(none)
declare i32 @__offload_thread_id_z() memory(none)
declare void @__offload_sync_threads() convergent
declare void @__offload_block_size(i32, i32, i32)
declare void @offloadrt_check_exit(ptr) "offload-check"

define void @guard(ptr %out, i32 %n) convergent {
  %t = call i32 @__offload_thread_id_x()
  %outside = icmp uge i32 %t, %n
  br i1 %outside, label %leave, label %work
leave:
  ret void
work:
  call void @__offload_sync_threads() convergent
  store i32 2, ptr %out
  ret void
}

define void @checked(ptr %out, i32 %n) convergent {
  %t = call i32 @__offload_thread_id_x()
  %outside = icmp uge i32 %t, %n
  br i1 %outside, label %leave, label %work
leave:
  call void @offloadrt_check_exit(ptr null)
  ret void
work:
  call void @__offload_sync_threads() convergent
  store i32 2, ptr %out
  ret void
}

define void @two(ptr %out, i32 %n, i32 %m) convergent {
  %t = call i32 @__offload_thread_id_x()
  %inside = icmp ult i32 %t, %n
  br i1 %inside, label %more, label %leave
more:
  %u = add i32 %t, 7
  %far = icmp ugt i32 %u, %m
  %both = and i1 %far, %inside
  br i1 %both, label %leave, label %work
work:
  call void @__offload_sync_threads() convergent
  store i32 2, ptr %out
  br label %leave
leave:
  ret void
}

define void @promised(ptr %out) convergent {
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %t = call i32 @__offload_thread_id_x()
  %wide = zext i32 %t to i64
  %outside = icmp uge i64 %wide, 64
  br i1 %outside, label %leave, label %work
leave:
  ret void
work:
  call void @__offload_sync_threads() convergent
  store i32 2, ptr %out
  ret void
}

define void @parity(ptr %out) convergent {
  %t = call i32 @__offload_thread_id_x()
  %low = and i32 %t, 1
  %odd = icmp eq i32 %low, 1
  br i1 %odd, label %leave, label %work
leave:
  ret void
work:
  call void @__offload_sync_threads() convergent
  ret void
}

define void @writes(ptr %out, i32 %n) convergent {
  %t = call i32 @__offload_thread_id_x()
  %outside = icmp uge i32 %t, %n
  br i1 %outside, label %leave, label %work
leave:
  store i32 1, ptr %out
  ret void
work:
  call void @__offload_sync_threads() convergent
  ret void
}

define void @both(ptr %out, i32 %n) convergent {
  %t = call i32 @__offload_thread_id_x()
  %outside = icmp uge i32 %t, %n
  br i1 %outside, label %leave, label %work
leave:
  call void @__offload_sync_threads() convergent
  ret void
work:
  call void @__offload_sync_threads() convergent
  ret void
}

define void @loop(ptr %out, i32 %n, i32 %m) convergent {
entry:
  %t = call i32 @__offload_thread_id_x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %work ]
  %next = add i32 %i, 1
  %outside = icmp uge i32 %t, %n
  br i1 %outside, label %leave, label %work
work:
  call void @__offload_sync_threads() convergent
  %more = icmp ult i32 %next, %m
  br i1 %more, label %head, label %leave
leave:
  ret void
}

define void @parts(ptr %out, i32 %n, i1 %given) convergent {
  %t = call i32 @__offload_thread_id_x()
  %outside = icmp uge i32 %t, %n
  %low = and i32 %t, 1
  %odd = icmp eq i32 %low, 1
  %both = or i1 %outside, %odd
  %any = or i1 %given, %both
  br i1 %any, label %leave, label %work
leave:
  ret void
work:
  call void @__offload_sync_threads() convergent
  ret void
}

define void @inside(ptr %out, i32 %n) convergent {
  %t = call i32 @__offload_thread_id_x()
  %low = and i32 %t, 1
  %odd = icmp eq i32 %low, 1
  br i1 %odd, label %guard, label %leave
guard:
  %outside = icmp uge i32 %t, %n
  br i1 %outside, label %leave, label %work
leave:
  ret void
work:
  call void @__offload_sync_threads() convergent
  ret void
}

; A part that all threads share may be any value, and a marker of a local writes nothing.
define void @shared(ptr %out, i32 %n, i1 %given) convergent {
  %local = alloca i32
  %t = call i32 @__offload_thread_id_x()
  %outside = icmp uge i32 %t, %n
  %either = or i1 %given, %outside
  br i1 %either, label %leave, label %work
leave:
  call void @llvm.lifetime.end.p0(ptr %local)
  ret void
work:
  call void @__offload_sync_threads() convergent
  ret void
}
; A block with one row takes this guard as a whole, or not at all.
define void @index(ptr %out, i64 %n) convergent {
  %t = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %z = call i32 @__offload_thread_id_z()
  %row = or i32 %y, %z
  %first = icmp eq i32 %row, 0
  %wide = zext i32 %t to i64
  %i = select i1 %first, i64 %wide, i64 -1
  %inside = icmp ult i64 %i, %n
  %also = and i1 %inside, %first
  br i1 %also, label %work, label %leave
leave:
  ret void
work:
  call void @__offload_sync_threads() convergent
  store i32 2, ptr %out
  ret void
}

define void @indexparity(ptr %out, i64 %n) convergent {
  %t = call i32 @__offload_thread_id_x()
  %low = and i32 %t, 1
  %even = icmp eq i32 %low, 0
  %wide = zext i32 %t to i64
  %i = select i1 %even, i64 %wide, i64 -1
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %work, label %leave
leave:
  ret void
work:
  call void @__offload_sync_threads() convergent
  ret void
}
;;; stdout
;
; @guard.answer0 = internal global i32 poison, section ".offload.shared", align 4
; @checked.answer0 = internal global i32 poison, section ".offload.shared", align 4
; @two.answer0 = internal global i32 poison, section ".offload.shared", align 4
; @shared.answer0 = internal global i32 poison, section ".offload.shared", align 4
; @index.answer0 = internal global i32 poison, section ".offload.shared", align 4
;
; ; Function Attrs: memory(none)
; declare i32 @__offload_thread_id_x() #0
;
; ; Function Attrs: memory(none)
; declare i32 @__offload_thread_id_y() #0
;
; ; Function Attrs: memory(none)
; declare i32 @__offload_thread_id_z() #0
;
; ; Function Attrs: convergent
; declare void @__offload_sync_threads() #1
;
; declare void @__offload_block_size(i32, i32, i32)
;
; declare void @offloadrt_check_exit(ptr) #2
;
; ; Function Attrs: convergent
; define void @guard(ptr %out, i32 %n) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %outside = icmp uge i32 %t, %n
;   %own = zext i1 %outside to i32
;   %1 = call i32 @__offload_thread_id_x()
;   %2 = call i32 @__offload_thread_id_y()
;   %3 = call i32 @__offload_thread_id_z()
;   %4 = or i32 %1, %2
;   %5 = or i32 %4, %3
;   %first = icmp eq i32 %5, 0
;   br i1 %first, label %tell, label %wait
;
; agreed:                                           ; preds = %wait
;   %all = icmp ne i32 %common, 0
;   br i1 %all, label %common.ret, label %work
;
; common.ret:                                       ; preds = %agreed, %work
;   ret void
;
; work:                                             ; preds = %agreed
;   call void @__offload_sync_threads() #1
;   store i32 2, ptr %out, align 4
;   br label %common.ret
;
; tell:                                             ; preds = %0
;   store i32 %own, ptr @guard.answer0, align 4
;   br label %wait
;
; wait:                                             ; preds = %tell, %0
;   call void @__offload_sync_threads() #1
;   %common = load i32, ptr @guard.answer0, align 4
;   %6 = icmp eq i32 %common, %own
;   br i1 %6, label %agreed, label %wrong
;
; wrong:                                            ; preds = %wait
;   call void @__offload_panic(i32 1, i32 0, i64 0, i64 0, i64 0)
;   unreachable
; }
;
; ; Function Attrs: convergent
; define void @checked(ptr %out, i32 %n) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %outside = icmp uge i32 %t, %n
;   %own = zext i1 %outside to i32
;   %1 = call i32 @__offload_thread_id_x()
;   %2 = call i32 @__offload_thread_id_y()
;   %3 = call i32 @__offload_thread_id_z()
;   %4 = or i32 %1, %2
;   %5 = or i32 %4, %3
;   %first = icmp eq i32 %5, 0
;   br i1 %first, label %tell, label %wait
;
; agreed:                                           ; preds = %wait
;   %all = icmp ne i32 %common, 0
;   br i1 %all, label %leave, label %work
;
; common.ret:                                       ; preds = %work, %leave
;   ret void
;
; leave:                                            ; preds = %agreed
;   call void @offloadrt_check_exit(ptr null)
;   br label %common.ret
;
; work:                                             ; preds = %agreed
;   call void @__offload_sync_threads() #1
;   store i32 2, ptr %out, align 4
;   br label %common.ret
;
; tell:                                             ; preds = %0
;   store i32 %own, ptr @checked.answer0, align 4
;   br label %wait
;
; wait:                                             ; preds = %tell, %0
;   call void @__offload_sync_threads() #1
;   %common = load i32, ptr @checked.answer0, align 4
;   %6 = icmp eq i32 %common, %own
;   br i1 %6, label %agreed, label %wrong
;
; wrong:                                            ; preds = %wait
;   call void @__offload_panic(i32 1, i32 0, i64 0, i64 0, i64 0)
;   unreachable
; }
;
; ; Function Attrs: convergent
; define void @two(ptr %out, i32 %n, i32 %m) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %inside = icmp uge i32 %t, %n
;   %u = add i32 %t, 7
;   %far = icmp ugt i32 %u, %m
;   %or.cond = select i1 %inside, i1 true, i1 %far
;   %own = zext i1 %or.cond to i32
;   %1 = call i32 @__offload_thread_id_x()
;   %2 = call i32 @__offload_thread_id_y()
;   %3 = call i32 @__offload_thread_id_z()
;   %4 = or i32 %1, %2
;   %5 = or i32 %4, %3
;   %first = icmp eq i32 %5, 0
;   br i1 %first, label %tell, label %wait
;
; agreed:                                           ; preds = %wait
;   %all = icmp ne i32 %common, 0
;   br i1 %all, label %leave, label %work
;
; work:                                             ; preds = %agreed
;   call void @__offload_sync_threads() #1
;   store i32 2, ptr %out, align 4
;   br label %leave
;
; leave:                                            ; preds = %work, %agreed
;   ret void
;
; tell:                                             ; preds = %0
;   store i32 %own, ptr @two.answer0, align 4
;   br label %wait
;
; wait:                                             ; preds = %tell, %0
;   call void @__offload_sync_threads() #1
;   %common = load i32, ptr @two.answer0, align 4
;   %6 = icmp eq i32 %common, %own
;   br i1 %6, label %agreed, label %wrong
;
; wrong:                                            ; preds = %wait
;   call void @__offload_panic(i32 1, i32 0, i64 0, i64 0, i64 0)
;   unreachable
; }
;
; ; Function Attrs: convergent
; define void @promised(ptr %out) #1 {
; work:
;   call void @__offload_block_size(i32 64, i32 1, i32 1)
;   %t = call range(i32 0, 64) i32 @__offload_thread_id_x()
;   %wide = zext nneg i32 %t to i64
;   call void @__offload_sync_threads() #1
;   store i32 2, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: convergent
; define void @parity(ptr %out) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %low = and i32 %t, 1
;   %odd = icmp eq i32 %low, 1
;   br i1 %odd, label %common.ret, label %work
;
; common.ret:                                       ; preds = %0, %work
;   ret void
;
; work:                                             ; preds = %0
;   call void @__offload_sync_threads() #1
;   br label %common.ret
; }
;
; ; Function Attrs: convergent
; define void @writes(ptr %out, i32 %n) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %outside = icmp uge i32 %t, %n
;   br i1 %outside, label %leave, label %work
;
; common.ret:                                       ; preds = %work, %leave
;   ret void
;
; leave:                                            ; preds = %0
;   store i32 1, ptr %out, align 4
;   br label %common.ret
;
; work:                                             ; preds = %0
;   call void @__offload_sync_threads() #1
;   br label %common.ret
; }
;
; ; Function Attrs: convergent
; define void @both(ptr %out, i32 %n) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %outside = icmp uge i32 %t, %n
;   br i1 %outside, label %leave, label %work
;
; common.ret:                                       ; preds = %work, %leave
;   ret void
;
; leave:                                            ; preds = %0
;   call void @__offload_sync_threads() #1
;   br label %common.ret
;
; work:                                             ; preds = %0
;   call void @__offload_sync_threads() #1
;   br label %common.ret
; }
;
; ; Function Attrs: convergent
; define void @loop(ptr %out, i32 %n, i32 %m) #1 {
; entry:
;   %t = call i32 @__offload_thread_id_x()
;   br label %head
;
; head:                                             ; preds = %work, %entry
;   %i = phi i32 [ 0, %entry ], [ %next, %work ]
;   %next = add nuw i32 %i, 1
;   %outside = icmp uge i32 %t, %n
;   br i1 %outside, label %leave, label %work
;
; work:                                             ; preds = %head
;   call void @__offload_sync_threads() #1
;   %more = icmp ult i32 %next, %m
;   br i1 %more, label %head, label %leave
;
; leave:                                            ; preds = %work, %head
;   ret void
; }
;
; ; Function Attrs: convergent
; define void @parts(ptr %out, i32 %n, i1 %given) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %outside = icmp uge i32 %t, %n
;   %low = and i32 %t, 1
;   %odd = icmp eq i32 %low, 1
;   %both = or i1 %outside, %odd
;   %any = or i1 %given, %both
;   br i1 %any, label %common.ret, label %work
;
; common.ret:                                       ; preds = %0, %work
;   ret void
;
; work:                                             ; preds = %0
;   call void @__offload_sync_threads() #1
;   br label %common.ret
; }
;
; ; Function Attrs: convergent
; define void @inside(ptr %out, i32 %n) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %low = and i32 %t, 1
;   %odd = icmp ne i32 %low, 1
;   %outside = icmp uge i32 %t, %n
;   %or.cond = select i1 %odd, i1 true, i1 %outside
;   br i1 %or.cond, label %common.ret, label %work
;
; common.ret:                                       ; preds = %0, %work
;   ret void
;
; work:                                             ; preds = %0
;   call void @__offload_sync_threads() #1
;   br label %common.ret
; }
;
; ; Function Attrs: convergent
; define void @shared(ptr %out, i32 %n, i1 %given) #1 {
;   %local = alloca i32, align 4
;   %t = call i32 @__offload_thread_id_x()
;   %outside = icmp uge i32 %t, %n
;   %either = or i1 %given, %outside
;   %own = zext i1 %either to i32
;   %1 = call i32 @__offload_thread_id_x()
;   %2 = call i32 @__offload_thread_id_y()
;   %3 = call i32 @__offload_thread_id_z()
;   %4 = or i32 %1, %2
;   %5 = or i32 %4, %3
;   %first = icmp eq i32 %5, 0
;   br i1 %first, label %tell, label %wait
;
; agreed:                                           ; preds = %wait
;   %all = icmp ne i32 %common, 0
;   br i1 %all, label %leave, label %work
;
; common.ret:                                       ; preds = %work, %leave
;   ret void
;
; leave:                                            ; preds = %agreed
;   call void @llvm.lifetime.end.p0(ptr nonnull %local)
;   br label %common.ret
;
; work:                                             ; preds = %agreed
;   call void @__offload_sync_threads() #1
;   br label %common.ret
;
; tell:                                             ; preds = %0
;   store i32 %own, ptr @shared.answer0, align 4
;   br label %wait
;
; wait:                                             ; preds = %tell, %0
;   call void @__offload_sync_threads() #1
;   %common = load i32, ptr @shared.answer0, align 4
;   %6 = icmp eq i32 %common, %own
;   br i1 %6, label %agreed, label %wrong
;
; wrong:                                            ; preds = %wait
;   call void @__offload_panic(i32 1, i32 0, i64 0, i64 0, i64 0)
;   unreachable
; }
;
; ; Function Attrs: convergent
; define void @index(ptr %out, i64 %n) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %y = call i32 @__offload_thread_id_y()
;   %z = call i32 @__offload_thread_id_z()
;   %row = or i32 %y, %z
;   %first = icmp eq i32 %row, 0
;   %wide = zext i32 %t to i64
;   %i = select i1 %first, i64 %wide, i64 -1
;   %inside = icmp ult i64 %i, %n
;   %also = and i1 %inside, %first
;   %own = zext i1 %also to i32
;   %1 = call i32 @__offload_thread_id_x()
;   %2 = call i32 @__offload_thread_id_y()
;   %3 = call i32 @__offload_thread_id_z()
;   %4 = or i32 %1, %2
;   %5 = or i32 %4, %3
;   %first1 = icmp eq i32 %5, 0
;   br i1 %first1, label %tell, label %wait
;
; agreed:                                           ; preds = %wait
;   %all = icmp ne i32 %common, 0
;   br i1 %all, label %work, label %common.ret
;
; common.ret:                                       ; preds = %agreed, %work
;   ret void
;
; work:                                             ; preds = %agreed
;   call void @__offload_sync_threads() #1
;   store i32 2, ptr %out, align 4
;   br label %common.ret
;
; tell:                                             ; preds = %0
;   store i32 %own, ptr @index.answer0, align 4
;   br label %wait
;
; wait:                                             ; preds = %tell, %0
;   call void @__offload_sync_threads() #1
;   %common = load i32, ptr @index.answer0, align 4
;   %6 = icmp eq i32 %common, %own
;   br i1 %6, label %agreed, label %wrong
;
; wrong:                                            ; preds = %wait
;   call void @__offload_panic(i32 1, i32 0, i64 0, i64 0, i64 0)
;   unreachable
; }
;
; ; Function Attrs: convergent
; define void @indexparity(ptr %out, i64 %n) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %low = and i32 %t, 1
;   %even = icmp eq i32 %low, 0
;   %wide = zext i32 %t to i64
;   %i = select i1 %even, i64 %wide, i64 -1
;   %inside = icmp ult i64 %i, %n
;   br i1 %inside, label %work, label %common.ret
;
; common.ret:                                       ; preds = %0, %work
;   ret void
;
; work:                                             ; preds = %0
;   call void @__offload_sync_threads() #1
;   br label %common.ret
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.lifetime.end.p0(ptr captures(none)) #3
;
; declare void @__offload_panic(i32, i32, i64, i64, i64)
;
; attributes #0 = { memory(none) }
; attributes #1 = { convergent }
; attributes #2 = { "offload-check" }
; attributes #3 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
