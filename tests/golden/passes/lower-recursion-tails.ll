; A call whose result is returned takes the frame of its caller (`%frame`), also without a result and through a branch.
; A call has a separate frame (`%next`) and is followed by a step if its caller has a local or a copy of an argument, if
; another value is returned, or if the caller does something else after it.
; RUN: offloadc %s --run-pass=lower_recursion --offload-arch=gfx90a --kernel=k | \
;   sed -nE '/^define.*step/,/^}/{/^define/p; /^push/,/^}/{/getelementptr inbounds i8, ptr %0|store i32 [0-9]+,|ret/p}}'

define internal void @tail(ptr %p, i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  store i32 %n, ptr %p
  %less = sub i32 %n, 1
  call void @tail(ptr %p, i32 %less)
  ret void
end:
  ret void
}

define internal void @local(ptr %p, i32 %n) {
  %own = alloca i32
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  store i32 %n, ptr %own
  %less = sub i32 %n, 1
  call void @local(ptr %own, i32 %less)
  ret void
end:
  ret void
}

define internal i32 @other(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %less = sub i32 %n, 1
  %rest = call i32 @other(i32 %less)
  ret i32 %n
end:
  ret i32 0
}

define internal i32 @joined(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %less = sub i32 %n, 1
  %rest = call i32 @joined(i32 %less)
  br label %end
end:
  %r = phi i32 [ 0, %0 ], [ %rest, %more ]
  ret i32 %r
}

define internal i32 @changed(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %less = sub i32 %n, 1
  %rest = call i32 @changed(i32 %less)
  br label %end
end:
  %r = phi i32 [ 0, %0 ], [ %less, %more ]
  ret i32 %r
}

define internal void @copy(ptr byval(i32) %own, i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %less = sub i32 %n, 1
  call void @copy(ptr byval(i32) %own, i32 %less)
  ret void
end:
  ret void
}

define internal void @writes(ptr %p, i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %less = sub i32 %n, 1
  call void @writes(ptr %p, i32 %less)
  store i32 %n, ptr %p
  ret void
end:
  ret void
}

define void @k(ptr %out, i32 %n) {
  call void @tail(ptr %out, i32 %n)
  call void @local(ptr %out, i32 %n)
  %x = call i32 @other(i32 %n)
  %y = call i32 @joined(i32 %n)
  %z = call i32 @changed(i32 %n)
  call void @copy(ptr byval(i32) %out, i32 %n)
  call void @writes(ptr %out, i32 %n)
  ret void
}
;;; stdout
; define internal i32 @tail.step(ptr %0, ptr %1, i32 %2) #3 {
;   %15 = getelementptr inbounds i8, ptr %0, i32 %frame
;   ret i32 1
; define internal i32 @local.step(ptr %0, ptr %1, i32 %2) #3 {
;   %18 = getelementptr inbounds i8, ptr %0, i32 %next
;   store i32 2, ptr %18, align 4
;   ret i32 1
; define internal i32 @other.step(ptr %0, ptr %1, i32 %2) #3 {
;   %17 = getelementptr inbounds i8, ptr %0, i32 %next
;   store i32 2, ptr %17, align 4
;   ret i32 1
; define internal i32 @joined.step(ptr %0, ptr %1, i32 %2) #3 {
;   %14 = getelementptr inbounds i8, ptr %0, i32 %frame
;   ret i32 1
; define internal i32 @changed.step(ptr %0, ptr %1, i32 %2) #3 {
;   %17 = getelementptr inbounds i8, ptr %0, i32 %next
;   store i32 2, ptr %17, align 4
;   ret i32 1
; define internal i32 @copy.step(ptr %0, ptr %1, i32 %2) #3 {
;   %18 = getelementptr inbounds i8, ptr %0, i32 %next
;   store i32 2, ptr %18, align 4
;   ret i32 1
; define internal i32 @writes.step(ptr %0, ptr %1, i32 %2) #3 {
;   %17 = getelementptr inbounds i8, ptr %0, i32 %next
;   store i32 2, ptr %17, align 4
;   ret i32 1
