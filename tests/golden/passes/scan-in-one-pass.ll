; Each thread adds the value 1, 2, 4, … places before it to its own. On a processor, the first thread adds all of them
; up. The loop stays if not all threads come to it, if it covers fewer values than there are threads, or if a thread's
; value is not the one in memory.
; RUN: offloadc %s --run-pass=scan_in_one_pass --offload-arch=cpu --kernel=sum --kernel=some --kernel=short --kernel=other | grep -v "^target"

@sums = internal global [64 x i32] undef, section ".offload.shared"

declare void @__offload_sync_threads() #0
declare i32 @__offload_thread_id_x()

define void @sum(ptr %values, ptr %out) #1 {
  %t = call i32 @__offload_thread_id_x()
  %thread = zext i32 %t to i64
  %from = getelementptr i32, ptr %values, i64 %thread
  %value = load i32, ptr %from, align 4
  %place = getelementptr i32, ptr @sums, i64 %thread
  store i32 %value, ptr %place, align 4
  call void @__offload_sync_threads()
  br label %loop

loop:
  %distance = phi i64 [ 1, %0 ], [ %twice, %next ]
  %own = phi i32 [ %value, %0 ], [ %sum, %next ]
  %is_first = icmp ugt i64 %distance, %thread
  br i1 %is_first, label %next, label %read

read:
  %index = sub i64 %thread, %distance
  %there = getelementptr i32, ptr @sums, i64 %index
  %loaded = load i32, ptr %there, align 4
  br label %next

next:
  %other = phi i32 [ 0, %loop ], [ %loaded, %read ]
  call void @__offload_sync_threads()
  %sum = add i32 %own, %other
  store i32 %sum, ptr %place, align 4
  call void @__offload_sync_threads()
  %twice = shl i64 %distance, 1
  %goes_on = icmp ult i64 %twice, 64
  br i1 %goes_on, label %loop, label %end

end:
  %to = getelementptr i32, ptr %out, i64 %thread
  store i32 %sum, ptr %to, align 4
  ret void
}

define void @some(ptr %values, ptr %out) #1 {
  %t = call i32 @__offload_thread_id_x()
  %thread = zext i32 %t to i64
  %is_one = icmp ult i32 %t, 32
  br i1 %is_one, label %start, label %never

never:
  ret void

start:
  %from = getelementptr i32, ptr %values, i64 %thread
  %value = load i32, ptr %from, align 4
  %place = getelementptr i32, ptr @sums, i64 %thread
  store i32 %value, ptr %place, align 4
  call void @__offload_sync_threads()
  br label %loop

loop:
  %distance = phi i64 [ 1, %start ], [ %twice, %next ]
  %own = phi i32 [ %value, %start ], [ %sum, %next ]
  %is_first = icmp ugt i64 %distance, %thread
  br i1 %is_first, label %next, label %read

read:
  %index = sub i64 %thread, %distance
  %there = getelementptr i32, ptr @sums, i64 %index
  %loaded = load i32, ptr %there, align 4
  br label %next

next:
  %other = phi i32 [ 0, %loop ], [ %loaded, %read ]
  call void @__offload_sync_threads()
  %sum = add i32 %own, %other
  store i32 %sum, ptr %place, align 4
  call void @__offload_sync_threads()
  %twice = shl i64 %distance, 1
  %goes_on = icmp ult i64 %twice, 64
  br i1 %goes_on, label %loop, label %end

end:
  %to = getelementptr i32, ptr %out, i64 %thread
  store i32 %sum, ptr %to, align 4
  ret void
}

define void @short(ptr %values, ptr %out) #1 {
  %t = call i32 @__offload_thread_id_x()
  %thread = zext i32 %t to i64
  %from = getelementptr i32, ptr %values, i64 %thread
  %value = load i32, ptr %from, align 4
  %place = getelementptr i32, ptr @sums, i64 %thread
  store i32 %value, ptr %place, align 4
  call void @__offload_sync_threads()
  br label %loop

loop:
  %distance = phi i64 [ 1, %0 ], [ %twice, %next ]
  %own = phi i32 [ %value, %0 ], [ %sum, %next ]
  %is_first = icmp ugt i64 %distance, %thread
  br i1 %is_first, label %next, label %read

read:
  %index = sub i64 %thread, %distance
  %there = getelementptr i32, ptr @sums, i64 %index
  %loaded = load i32, ptr %there, align 4
  br label %next

next:
  %other = phi i32 [ 0, %loop ], [ %loaded, %read ]
  call void @__offload_sync_threads()
  %sum = add i32 %own, %other
  store i32 %sum, ptr %place, align 4
  call void @__offload_sync_threads()
  %twice = shl i64 %distance, 1
  %goes_on = icmp ult i64 %twice, 32
  br i1 %goes_on, label %loop, label %end

end:
  %to = getelementptr i32, ptr %out, i64 %thread
  store i32 %sum, ptr %to, align 4
  ret void
}

define void @other(ptr %values, ptr %out) #1 {
  %t = call i32 @__offload_thread_id_x()
  %thread = zext i32 %t to i64
  %from = getelementptr i32, ptr %values, i64 %thread
  %value = load i32, ptr %from, align 4
  %place = getelementptr i32, ptr @sums, i64 %thread
  store i32 %value, ptr %place, align 4
  call void @__offload_sync_threads()
  br label %loop

loop:
  %distance = phi i64 [ 1, %0 ], [ %twice, %next ]
  %own = phi i32 [ 7, %0 ], [ %sum, %next ]
  %is_first = icmp ugt i64 %distance, %thread
  br i1 %is_first, label %next, label %read

read:
  %index = sub i64 %thread, %distance
  %there = getelementptr i32, ptr @sums, i64 %index
  %loaded = load i32, ptr %there, align 4
  br label %next

next:
  %other = phi i32 [ 0, %loop ], [ %loaded, %read ]
  call void @__offload_sync_threads()
  %sum = add i32 %own, %other
  store i32 %sum, ptr %place, align 4
  call void @__offload_sync_threads()
  %twice = shl i64 %distance, 1
  %goes_on = icmp ult i64 %twice, 64
  br i1 %goes_on, label %loop, label %end

end:
  %to = getelementptr i32, ptr %out, i64 %thread
  store i32 %sum, ptr %to, align 4
  ret void
}

attributes #0 = { convergent }
attributes #1 = { "offload-launch-bounds"="0,0,64,1,1" }
;;; stdout
;
; @sums = internal global [64 x i32] undef, section ".offload.shared"
;
; ; Function Attrs: convergent
; declare void @__offload_sync_threads() #0
;
; declare i32 @__offload_thread_id_x()
;
; define void @sum(ptr %values, ptr %out) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %thread = zext i32 %t to i64
;   %from = getelementptr i32, ptr %values, i64 %thread
;   %value = load i32, ptr %from, align 4
;   %place = getelementptr i32, ptr @sums, i64 %thread
;   store i32 %value, ptr %place, align 4
;   call void @__offload_sync_threads()
;   br label %scan
;
; scan:                                             ; preds = %0
;   %1 = icmp eq i32 %t, 0
;   br i1 %1, label %sums, label %scanned
;
; sums:                                             ; preds = %scan
;   %2 = load i32, ptr @sums, align 4
;   br label %sum1
;
; scanned:                                          ; preds = %summed, %scan
;   call void @__offload_sync_threads()
;   %3 = zext i32 %t to i64
;   %4 = getelementptr inbounds i32, ptr @sums, i64 %3
;   %own2 = load i32, ptr %4, align 4
;   br label %end.latch
;
; end.latch:                                        ; preds = %scanned
;   br label %end
;
; end:                                              ; preds = %end.latch
;   %to = getelementptr i32, ptr %out, i64 %thread
;   store i32 %own2, ptr %to, align 4
;   ret void
;
; sum1:                                             ; preds = %sum1, %sums
;   %5 = phi i64 [ 1, %sums ], [ %10, %sum1 ]
;   %6 = phi i32 [ %2, %sums ], [ %9, %sum1 ]
;   %7 = getelementptr inbounds i32, ptr @sums, i64 %5
;   %8 = load i32, ptr %7, align 4
;   %9 = add i32 %6, %8
;   store i32 %9, ptr %7, align 4
;   %10 = add nuw i64 %5, 1
;   %11 = icmp ult i64 %10, 64
;   br i1 %11, label %sum1, label %summed
;
; summed:                                           ; preds = %sum1
;   br label %scanned
; }
;
; define void @some(ptr %values, ptr %out) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %thread = zext i32 %t to i64
;   %is_one = icmp ult i32 %t, 32
;   br i1 %is_one, label %start, label %never
;
; never:                                            ; preds = %0
;   ret void
;
; start:                                            ; preds = %0
;   %from = getelementptr i32, ptr %values, i64 %thread
;   %value = load i32, ptr %from, align 4
;   %place = getelementptr i32, ptr @sums, i64 %thread
;   store i32 %value, ptr %place, align 4
;   call void @__offload_sync_threads()
;   br label %loop
;
; loop:                                             ; preds = %next, %start
;   %distance = phi i64 [ 1, %start ], [ %twice, %next ]
;   %own = phi i32 [ %value, %start ], [ %sum, %next ]
;   %is_first = icmp ugt i64 %distance, %thread
;   br i1 %is_first, label %next, label %read
;
; read:                                             ; preds = %loop
;   %index = sub i64 %thread, %distance
;   %there = getelementptr i32, ptr @sums, i64 %index
;   %loaded = load i32, ptr %there, align 4
;   br label %next
;
; next:                                             ; preds = %read, %loop
;   %other = phi i32 [ 0, %loop ], [ %loaded, %read ]
;   call void @__offload_sync_threads()
;   %sum = add i32 %own, %other
;   store i32 %sum, ptr %place, align 4
;   call void @__offload_sync_threads()
;   %twice = shl i64 %distance, 1
;   %goes_on = icmp ult i64 %twice, 64
;   br i1 %goes_on, label %loop, label %end
;
; end:                                              ; preds = %next
;   %to = getelementptr i32, ptr %out, i64 %thread
;   store i32 %sum, ptr %to, align 4
;   ret void
; }
;
; define void @short(ptr %values, ptr %out) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %thread = zext i32 %t to i64
;   %from = getelementptr i32, ptr %values, i64 %thread
;   %value = load i32, ptr %from, align 4
;   %place = getelementptr i32, ptr @sums, i64 %thread
;   store i32 %value, ptr %place, align 4
;   call void @__offload_sync_threads()
;   br label %loop
;
; loop:                                             ; preds = %next, %0
;   %distance = phi i64 [ 1, %0 ], [ %twice, %next ]
;   %own = phi i32 [ %value, %0 ], [ %sum, %next ]
;   %is_first = icmp ugt i64 %distance, %thread
;   br i1 %is_first, label %next, label %read
;
; read:                                             ; preds = %loop
;   %index = sub i64 %thread, %distance
;   %there = getelementptr i32, ptr @sums, i64 %index
;   %loaded = load i32, ptr %there, align 4
;   br label %next
;
; next:                                             ; preds = %read, %loop
;   %other = phi i32 [ 0, %loop ], [ %loaded, %read ]
;   call void @__offload_sync_threads()
;   %sum = add i32 %own, %other
;   store i32 %sum, ptr %place, align 4
;   call void @__offload_sync_threads()
;   %twice = shl i64 %distance, 1
;   %goes_on = icmp ult i64 %twice, 32
;   br i1 %goes_on, label %loop, label %end
;
; end:                                              ; preds = %next
;   %to = getelementptr i32, ptr %out, i64 %thread
;   store i32 %sum, ptr %to, align 4
;   ret void
; }
;
; define void @other(ptr %values, ptr %out) #1 {
;   %t = call i32 @__offload_thread_id_x()
;   %thread = zext i32 %t to i64
;   %from = getelementptr i32, ptr %values, i64 %thread
;   %value = load i32, ptr %from, align 4
;   %place = getelementptr i32, ptr @sums, i64 %thread
;   store i32 %value, ptr %place, align 4
;   call void @__offload_sync_threads()
;   br label %loop
;
; loop:                                             ; preds = %next, %0
;   %distance = phi i64 [ 1, %0 ], [ %twice, %next ]
;   %own = phi i32 [ 7, %0 ], [ %sum, %next ]
;   %is_first = icmp ugt i64 %distance, %thread
;   br i1 %is_first, label %next, label %read
;
; read:                                             ; preds = %loop
;   %index = sub i64 %thread, %distance
;   %there = getelementptr i32, ptr @sums, i64 %index
;   %loaded = load i32, ptr %there, align 4
;   br label %next
;
; next:                                             ; preds = %read, %loop
;   %other = phi i32 [ 0, %loop ], [ %loaded, %read ]
;   call void @__offload_sync_threads()
;   %sum = add i32 %own, %other
;   store i32 %sum, ptr %place, align 4
;   call void @__offload_sync_threads()
;   %twice = shl i64 %distance, 1
;   %goes_on = icmp ult i64 %twice, 64
;   br i1 %goes_on, label %loop, label %end
;
; end:                                              ; preds = %next
;   %to = getelementptr i32, ptr %out, i64 %thread
;   store i32 %sum, ptr %to, align 4
;   ret void
; }
;
; attributes #0 = { convergent }
; attributes #1 = { "offload-launch-bounds"="0,0,64,1,1" }
