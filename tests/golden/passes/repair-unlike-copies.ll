; A choice that one path leaves out, makes earlier or writes in another way is the same choice: each line counts the
; places that became one. Code that only looks alike stays unchanged: `wrong_*` adds none.
; RUN[threaded]: offloadc %s --run-pass=repair_convergence --kernel=threaded --kernel=wrong_threaded | grep -c "asm sideeffect"
; RUN[peeled]: offloadc %s --run-pass=repair_convergence --kernel=peeled --kernel=wrong_peeled | grep -c "asm sideeffect"
; RUN[cases]: offloadc %s --run-pass=repair_convergence --kernel=cases --kernel=wrong_cases | grep -c "asm sideeffect"
; RUN[early]: offloadc %s --run-pass=repair_convergence --kernel=early --kernel=wrong_early | grep -c "asm sideeffect"
; RUN[counted]: offloadc %s --run-pass=repair_convergence --kernel=counted --kernel=wrong_counted | grep -c "asm sideeffect"
; RUN[left]: offloadc %s --run-pass=repair_convergence --kernel=left --kernel=wrong_left | grep -c "asm sideeffect"

declare i32 @__offload_thread_id_x() memory(none)
declare void @__offload_sync_threads() convergent
declare i64 @__offload_ballot(i1) convergent

define void @threaded(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %join, label %other
other:
  %more = icmp ne i32 %n, 0
  %far = icmp ugt i32 %id, 15
  %either = or i1 %more, %far
  br i1 %either, label %join, label %past
join:
  %one = icmp eq i32 %n, 1
  br i1 %one, label %wait, label %past
wait:
  call void @__offload_sync_threads() convergent
  br label %past
past:
  ret void
}

define void @wrong_threaded(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %join, label %other
other:
  %more = icmp ne i32 %n, 1
  %far = icmp ugt i32 %id, 15
  %either = or i1 %more, %far
  br i1 %either, label %join, label %past
join:
  %one = icmp eq i32 %n, 1
  br i1 %one, label %wait, label %past
wait:
  call void @__offload_sync_threads() convergent
  br label %past
past:
  ret void
}

define void @peeled(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %a, label %peel
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a.next ]
  call void @__offload_sync_threads() convergent
  %r = urem i32 %i, 3
  %is = icmp eq i32 %r, 1
  br i1 %is, label %a.more, label %a.next
a.more:
  call void @__offload_sync_threads() convergent
  br label %a.next
a.next:
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i, %n
  br i1 %a.done, label %end, label %a
peel:
  call void @__offload_sync_threads() convergent
  %p.done = icmp eq i32 %n, 0
  br i1 %p.done, label %end, label %b
b:
  %j = phi i32 [ 1, %peel ], [ %j1, %b.next ]
  call void @__offload_sync_threads() convergent
  %s = urem i32 %j, 3
  %js = icmp eq i32 %s, 1
  br i1 %js, label %b.more, label %b.next
b.more:
  call void @__offload_sync_threads() convergent
  br label %b.next
b.next:
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j, %n
  br i1 %b.done, label %end, label %b
end:
  ret void
}

define void @wrong_peeled(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %a, label %peel
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a.next ]
  call void @__offload_sync_threads() convergent
  %r = urem i32 %i, 3
  %is = icmp eq i32 %r, 0
  br i1 %is, label %a.more, label %a.next
a.more:
  call void @__offload_sync_threads() convergent
  br label %a.next
a.next:
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i, %n
  br i1 %a.done, label %end, label %a
peel:
  call void @__offload_sync_threads() convergent
  %p.done = icmp eq i32 %n, 0
  br i1 %p.done, label %end, label %b
b:
  %j = phi i32 [ 1, %peel ], [ %j1, %b.next ]
  call void @__offload_sync_threads() convergent
  %s = urem i32 %j, 3
  %js = icmp eq i32 %s, 0
  br i1 %js, label %b.more, label %b.next
b.more:
  call void @__offload_sync_threads() convergent
  br label %b.next
b.next:
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j, %n
  br i1 %b.done, label %end, label %b
end:
  ret void
}

define void @cases(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %x = urem i32 %n, 3
  br i1 %c, label %a, label %b
a:
  call void @__offload_sync_threads() convergent
  switch i32 %x, label %a.end [
    i32 0, label %a.none
    i32 1, label %a.one
  ]
a.none:
  store i32 %id, ptr %p
  br label %a.end
a.one:
  call void @__offload_sync_threads() convergent
  br label %a.end
a.end:
  call void @__offload_sync_threads() convergent
  br label %end
b:
  call void @__offload_sync_threads() convergent
  %is = icmp eq i32 %x, 1
  br i1 %is, label %b.one, label %b.end
b.one:
  call void @__offload_sync_threads() convergent
  br label %b.end
b.end:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}

define void @wrong_cases(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %x = urem i32 %n, 3
  br i1 %c, label %a, label %b
a:
  call void @__offload_sync_threads() convergent
  switch i32 %x, label %a.end [
    i32 0, label %a.none
    i32 1, label %a.one
  ]
a.none:
  store i32 %id, ptr %p
  br label %a.end
a.one:
  call void @__offload_sync_threads() convergent
  br label %a.end
a.end:
  call void @__offload_sync_threads() convergent
  br label %end
b:
  call void @__offload_sync_threads() convergent
  %is = icmp eq i32 %x, 2
  br i1 %is, label %b.one, label %b.end
b.one:
  call void @__offload_sync_threads() convergent
  br label %b.end
b.end:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}

define void @early(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %few = icmp ult i32 %n, 2
  %some = icmp ult i32 %n, 2
  br i1 %c, label %a, label %b
a:
  br i1 %few, label %a.yes, label %a.no
a.yes:
  call void @__offload_sync_threads() convergent
  call void @__offload_sync_threads() convergent
  br label %end
a.no:
  store i32 %id, ptr %p
  call void @__offload_sync_threads() convergent
  br label %end
b:
  call void @__offload_sync_threads() convergent
  br i1 %some, label %b.more, label %end
b.more:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}

define void @wrong_early(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %few = icmp ult i32 %n, 2
  %some = icmp ult i32 %n, 3
  br i1 %c, label %a, label %b
a:
  br i1 %few, label %a.yes, label %a.no
a.yes:
  call void @__offload_sync_threads() convergent
  call void @__offload_sync_threads() convergent
  br label %end
a.no:
  store i32 %id, ptr %p
  call void @__offload_sync_threads() convergent
  br label %end
b:
  call void @__offload_sync_threads() convergent
  br i1 %some, label %b.more, label %end
b.more:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}

define void @counted(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %m = urem i32 %n, 5
  %limit = add i32 %m, 1
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a ]
  call void @__offload_sync_threads() convergent
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i, %m
  br i1 %a.done, label %end, label %a
b:
  %j = phi i32 [ 0, %entry ], [ %j1, %b ]
  call void @__offload_sync_threads() convergent
  store i32 %id, ptr %p
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %limit
  br i1 %b.done, label %end, label %b
end:
  ret void
}

define void @wrong_counted(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %m = urem i32 %n, 5
  %limit = add i32 %m, 2
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a ]
  call void @__offload_sync_threads() convergent
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i, %m
  br i1 %a.done, label %end, label %a
b:
  %j = phi i32 [ 0, %entry ], [ %j1, %b ]
  call void @__offload_sync_threads() convergent
  store i32 %id, ptr %p
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %limit
  br i1 %b.done, label %end, label %b
end:
  ret void
}

define void @left(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %outside = icmp ugt i32 %id, 31
  br i1 %outside, label %end, label %go
go:
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ 0, %go ], [ %i1, %a ]
  %v = call i64 @__offload_ballot(i1 true) convergent
  store i64 %v, ptr %p
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i, %n
  br i1 %a.done, label %end, label %a
b:
  %j = phi i32 [ 0, %go ], [ %j1, %b ]
  %w = call i64 @__offload_ballot(i1 true) convergent
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j, %n
  br i1 %b.done, label %end, label %b
end:
  ret void
}

define void @wrong_left(ptr %p, i32 %n) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %outside = icmp ugt i32 %id, 31
  br i1 %outside, label %end, label %go
go:
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ 0, %go ], [ %i1, %a ]
  %v = call i64 @__offload_ballot(i1 true) convergent
  store i64 %v, ptr %p
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i, %n
  br i1 %a.done, label %end, label %a
b:
  %j = phi i32 [ 0, %go ], [ %j1, %b ]
  %w = call i64 @__offload_ballot(i1 true) convergent
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j, %n
  br i1 %b.done, label %end, label %b
end:
  call void @__offload_sync_threads() convergent
  ret void
}
;;; stdout[threaded]
; 1
;;; stdout[peeled]
; 5
;;; stdout[cases]
; 4
;;; stdout[early]
; 3
;;; stdout[counted]
; 3
;;; stdout[left]
; 3
