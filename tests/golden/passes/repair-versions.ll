; Known facts about numbers and floats on a path, and versions of a kernel for conditions that all threads share: each
; line counts the places that became one. Code that only looks alike stays unchanged: `wrong_*` adds none.
; RUN[versions]: offloadc %s --run-pass=repair_convergence --kernel=versions --kernel=wrong_versions | grep -c "asm sideeffect"
; RUN[cases]: offloadc %s --run-pass=repair_convergence --kernel=cases --kernel=wrong_cases | grep -c "asm sideeffect"
; RUN[neutral]: offloadc %s --run-pass=repair_convergence --kernel=neutral --kernel=wrong_neutral | grep -c "asm sideeffect"
; RUN[known]: offloadc %s --run-pass=repair_convergence --kernel=known --kernel=wrong_known --kernel=wrong_other | grep -c "asm sideeffect"
; RUN[reals]: offloadc %s --run-pass=repair_convergence --kernel=reals --kernel=wrong_reals | grep -c "asm sideeffect"
; RUN[parts]: offloadc %s --run-pass=repair_convergence --kernel=parts --kernel=wrong_parts | grep -c "asm sideeffect"

declare i32 @__offload_thread_id_x() memory(none)
declare i32 @__offload_thread_id_y() memory(none)
declare void @__offload_sync_threads() convergent

define void @versions(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a.next ]
  %few = icmp ult i32 %n, 4
  br i1 %few, label %a.wait, label %a.next
a.wait:
  call void @__offload_sync_threads() convergent
  br label %a.next
a.next:
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i1, %m
  br i1 %a.done, label %end, label %a
b:
  %less = icmp ult i32 %n, 4
  br i1 %less, label %b.wait, label %end
b.wait:
  %j = phi i32 [ 0, %b ], [ %j1, %b.wait ]
  call void @__offload_sync_threads() convergent
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %m
  br i1 %b.done, label %end, label %b.wait
end:
  ret void
}

define void @wrong_versions(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a.next ]
  %few = icmp ult i32 %n, 4
  br i1 %few, label %a.wait, label %a.next
a.wait:
  call void @__offload_sync_threads() convergent
  br label %a.next
a.next:
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i1, %m
  br i1 %a.done, label %end, label %a
b:
  %less = icmp ult i32 %n, 5
  br i1 %less, label %b.wait, label %end
b.wait:
  %j = phi i32 [ 0, %b ], [ %j1, %b.wait ]
  call void @__offload_sync_threads() convergent
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %m
  br i1 %b.done, label %end, label %b.wait
end:
  ret void
}

define void @cases(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a.next ]
  %r = urem i32 %n, 3
  switch i32 %r, label %a.next [
    i32 0, label %a.write
    i32 1, label %a.wait
  ]
a.write:
  store i32 %id, ptr %p
  br label %a.next
a.wait:
  call void @__offload_sync_threads() convergent
  br label %a.next
a.next:
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i1, %m
  br i1 %a.done, label %end, label %a
b:
  %s = urem i32 %n, 3
  %is = icmp eq i32 %s, 1
  br i1 %is, label %b.wait, label %end
b.wait:
  %j = phi i32 [ 0, %b ], [ %j1, %b.wait ]
  call void @__offload_sync_threads() convergent
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %m
  br i1 %b.done, label %end, label %b.wait
end:
  ret void
}

define void @wrong_cases(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %a, label %b
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a.next ]
  %r = urem i32 %n, 3
  switch i32 %r, label %a.next [
    i32 0, label %a.write
    i32 1, label %a.wait
  ]
a.write:
  store i32 %id, ptr %p
  br label %a.next
a.wait:
  call void @__offload_sync_threads() convergent
  br label %a.next
a.next:
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i1, %m
  br i1 %a.done, label %end, label %a
b:
  %s = urem i32 %n, 3
  %is = icmp eq i32 %s, 2
  br i1 %is, label %b.wait, label %end
b.wait:
  %j = phi i32 [ 0, %b ], [ %j1, %b.wait ]
  call void @__offload_sync_threads() convergent
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %m
  br i1 %b.done, label %end, label %b.wait
end:
  ret void
}

define void @neutral(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %a, label %peel
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a.next ]
  call void @__offload_sync_threads() convergent
  %x = xor i32 %i, %n
  %bit = and i32 %x, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %a.wait, label %a.next
a.wait:
  call void @__offload_sync_threads() convergent
  br label %a.next
a.next:
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i1, %m
  br i1 %a.done, label %end, label %a
peel:
  call void @__offload_sync_threads() convergent
  %first = and i32 %n, 1
  %first.odd = icmp ne i32 %first, 0
  br i1 %first.odd, label %peel.wait, label %peel.next
peel.wait:
  call void @__offload_sync_threads() convergent
  br label %peel.next
peel.next:
  %peel.done = icmp eq i32 %m, 1
  br i1 %peel.done, label %end, label %b
b:
  %j = phi i32 [ 1, %peel.next ], [ %j1, %b.next ]
  call void @__offload_sync_threads() convergent
  %y = xor i32 %j, %n
  %b.bit = and i32 %y, 1
  %b.odd = icmp ne i32 %b.bit, 0
  br i1 %b.odd, label %b.wait, label %b.next
b.wait:
  call void @__offload_sync_threads() convergent
  br label %b.next
b.next:
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %m
  br i1 %b.done, label %end, label %b
end:
  ret void
}

define void @wrong_neutral(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %a, label %peel
a:
  %i = phi i32 [ 0, %entry ], [ %i1, %a.next ]
  call void @__offload_sync_threads() convergent
  %x = xor i32 %i, %n
  %bit = and i32 %x, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %a.wait, label %a.next
a.wait:
  call void @__offload_sync_threads() convergent
  br label %a.next
a.next:
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i1, %m
  br i1 %a.done, label %end, label %a
peel:
  call void @__offload_sync_threads() convergent
  %first = and i32 %n, 2
  %first.odd = icmp ne i32 %first, 0
  br i1 %first.odd, label %peel.wait, label %peel.next
peel.wait:
  call void @__offload_sync_threads() convergent
  br label %peel.next
peel.next:
  %peel.done = icmp eq i32 %m, 1
  br i1 %peel.done, label %end, label %b
b:
  %j = phi i32 [ 1, %peel.next ], [ %j1, %b.next ]
  call void @__offload_sync_threads() convergent
  %y = xor i32 %j, %n
  %b.bit = and i32 %y, 1
  %b.odd = icmp ne i32 %b.bit, 0
  br i1 %b.odd, label %b.wait, label %b.next
b.wait:
  call void @__offload_sync_threads() convergent
  br label %b.next
b.next:
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %m
  br i1 %b.done, label %end, label %b
end:
  ret void
}

define void @known(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %many = icmp ugt i32 %n, 1
  br i1 %many, label %go, label %end
go:
  br i1 %c, label %a, label %peel
a:
  %i = phi i32 [ 0, %go ], [ %i1, %a ]
  call void @__offload_sync_threads() convergent
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i1, %n
  br i1 %a.done, label %end, label %a
peel:
  call void @__offload_sync_threads() convergent
  br label %b
b:
  %j = phi i32 [ 1, %peel ], [ %j1, %b ]
  call void @__offload_sync_threads() convergent
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %n
  br i1 %b.done, label %end, label %b
end:
  ret void
}

define void @wrong_known(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %many = icmp ugt i32 %n, 0
  br i1 %many, label %go, label %end
go:
  br i1 %c, label %a, label %peel
a:
  %i = phi i32 [ 0, %go ], [ %i1, %a ]
  call void @__offload_sync_threads() convergent
  %i1 = add i32 %i, 1
  %a.done = icmp eq i32 %i1, %n
  br i1 %a.done, label %end, label %a
peel:
  call void @__offload_sync_threads() convergent
  br label %b
b:
  %j = phi i32 [ 1, %peel ], [ %j1, %b ]
  call void @__offload_sync_threads() convergent
  %j1 = add i32 %j, 1
  %b.done = icmp eq i32 %j1, %n
  br i1 %b.done, label %end, label %b
end:
  ret void
}

define void @wrong_other(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %a, label %end
a:
  %row = call i32 @__offload_thread_id_y()
  %top = icmp ult i32 %row, 4
  br i1 %top, label %end, label %a.wait
a.wait:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}

define void @reals(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %x = uitofp i32 %n to float
  br i1 %c, label %join, label %other
other:
  %more = fcmp oge float %x, 2.0
  %far = icmp ugt i32 %id, 15
  %either = or i1 %more, %far
  br i1 %either, label %join, label %end
join:
  %much = fcmp oge float %x, 3.0
  br i1 %much, label %wait, label %end
wait:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}

define void @wrong_reals(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %x = uitofp i32 %n to float
  br i1 %c, label %join, label %other
other:
  %more = fcmp oge float %x, 2.0
  %far = icmp ugt i32 %id, 15
  %either = or i1 %more, %far
  br i1 %either, label %join, label %end
join:
  %much = fcmp oge float %x, 1.0
  br i1 %much, label %wait, label %end
wait:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}

define void @parts(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %many = icmp ugt i32 %n, 3
  br i1 %many, label %go, label %end
go:
  br i1 %c, label %a, label %b
a:
  call void @__offload_sync_threads() convergent
  %v = load i32, ptr %p
  %small = icmp ult i32 %v, 7
  %few = icmp ult i32 %n, 2
  %both = and i1 %few, %small
  br i1 %both, label %end, label %a.wait
a.wait:
  call void @__offload_sync_threads() convergent
  br label %end
b:
  call void @__offload_sync_threads() convergent
  store i32 %id, ptr %p
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}

define void @wrong_parts(ptr %p, i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  %many = icmp ugt i32 %n, 0
  br i1 %many, label %go, label %end
go:
  br i1 %c, label %a, label %b
a:
  call void @__offload_sync_threads() convergent
  %v = load i32, ptr %p
  %small = icmp ult i32 %v, 7
  %few = icmp ult i32 %n, 2
  %both = and i1 %few, %small
  br i1 %both, label %end, label %a.wait
a.wait:
  call void @__offload_sync_threads() convergent
  br label %end
b:
  call void @__offload_sync_threads() convergent
  store i32 %id, ptr %p
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}
;;; stdout[versions]
; 3
;;; stdout[cases]
; 3
;;; stdout[neutral]
; 5
;;; stdout[known]
; 3
;;; stdout[reals]
; 1
;;; stdout[parts]
; 3
