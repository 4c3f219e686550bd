; Each thread adds the value 1, 2, 4, … places before it to its own. On a processor, the first thread adds up all of
; them. The loop stays if not all threads reach it, if it covers fewer values than there are threads, if a thread's
; value is not the one in memory, or if a part of its place wraps around.
; RUN: offloadc %s --run-pass=scan_in_one_pass --offload-arch=cpu --kernel=sum --kernel=some --kernel=short --kernel=other --kernel=wraps | grep -v "^target"

@sums = internal global [64 x i32] undef, section ".offload.shared"

declare void @__offload_sync_threads() #0
declare i32 @__offload_thread_id_x()
declare void @llvm.assume(i1)

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
  %there.is = icmp ne ptr %out, null
  call void @llvm.assume(i1 %there.is)
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

define void @wraps(ptr %values, ptr %out) #1 {
  %t = call i32 @__offload_thread_id_x()
  %thread = zext i32 %t to i64
  %from = getelementptr i32, ptr %values, i64 %thread
  %value = load i32, ptr %from, align 4
  %large = mul i32 %t, 1073741824
  %extended = zext i32 %large to i64
  %product = mul i64 %thread, 1073741824
  %lost = sub i64 %extended, %product
  %at = add i64 %lost, %thread
  %place = getelementptr i32, ptr @sums, i64 %at
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
  %there.is = icmp ne ptr %out, null
  call void @llvm.assume(i1 %there.is)
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
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
; declare void @llvm.assume(i1 noundef) #1
;
; define void @sum(ptr %values, ptr %out) #2 {
;   %t = call i32 @__offload_thread_id_x()
;   %thread = zext i32 %t to i64
;   %from = getelementptr i32, ptr %values, i64 %thread
;   %value = load i32, ptr %from, align 4
;   %place = getelementptr i32, ptr @sums, i64 %thread
;   store i32 %value, ptr %place, align 4
;   call void @__offload_sync_threads()
;   br label %loop.latch
;
; loop.latch:                                       ; preds = %0
;   %1 = call i32 @__offload_block_dim_x()
;   %2 = icmp eq i32 %1, 64
;   %3 = call i32 @__offload_block_dim_y()
;   %4 = icmp eq i32 %3, 1
;   %5 = and i1 %2, %4
;   %6 = call i32 @__offload_block_dim_z()
;   %7 = icmp eq i32 %6, 1
;   %8 = and i1 %5, %7
;   br i1 %8, label %scan, label %loop
;
; loop:                                             ; preds = %loop.latch, %next
;   %distance = phi i64 [ %twice, %next ], [ 1, %loop.latch ]
;   %own = phi i32 [ %sum, %next ], [ %value, %loop.latch ]
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
;   br i1 %goes_on, label %loop, label %end.latch
;
; scan:                                             ; preds = %loop.latch
;   %9 = icmp eq i32 %t, 0
;   br i1 %9, label %sums, label %scanned
;
; sums:                                             ; preds = %scan
;   %10 = load i32, ptr @sums, align 4
;   br label %sum1
;
; scanned:                                          ; preds = %summed, %scan
;   call void @__offload_sync_threads()
;   %11 = zext i32 %t to i64
;   %12 = getelementptr inbounds i32, ptr @sums, i64 %11
;   %own2 = load i32, ptr %12, align 4
;   br label %end.latch
;
; end.latch:                                        ; preds = %scanned, %next
;   %13 = phi i32 [ %sum, %next ], [ %own2, %scanned ]
;   br label %end
;
; end:                                              ; preds = %end.latch
;   %to = getelementptr i32, ptr %out, i64 %thread
;   %there.is = icmp ne ptr %out, null
;   call void @llvm.assume(i1 %there.is)
;   store i32 %13, ptr %to, align 4
;   ret void
;
; sum1:                                             ; preds = %sum1, %sums
;   %14 = phi i64 [ 1, %sums ], [ %19, %sum1 ]
;   %15 = phi i32 [ %10, %sums ], [ %18, %sum1 ]
;   %16 = getelementptr inbounds i32, ptr @sums, i64 %14
;   %17 = load i32, ptr %16, align 4
;   %18 = add i32 %15, %17
;   store i32 %18, ptr %16, align 4
;   %19 = add nuw i64 %14, 1
;   %20 = icmp ult i64 %19, 64
;   br i1 %20, label %sum1, label %summed
;
; summed:                                           ; preds = %sum1
;   br label %scanned
; }
;
; define void @some(ptr %values, ptr %out) #2 {
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
; define void @short(ptr %values, ptr %out) #2 {
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
; define void @other(ptr %values, ptr %out) #2 {
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
; define void @wraps(ptr %values, ptr %out) #2 {
;   %t = call i32 @__offload_thread_id_x()
;   %thread = zext i32 %t to i64
;   %from = getelementptr i32, ptr %values, i64 %thread
;   %value = load i32, ptr %from, align 4
;   %large = mul i32 %t, 1073741824
;   %extended = zext i32 %large to i64
;   %product = mul i64 %thread, 1073741824
;   %lost = sub i64 %extended, %product
;   %at = add i64 %lost, %thread
;   %place = getelementptr i32, ptr @sums, i64 %at
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
;   %goes_on = icmp ult i64 %twice, 64
;   br i1 %goes_on, label %loop, label %end
;
; end:                                              ; preds = %next
;   %to = getelementptr i32, ptr %out, i64 %thread
;   %there.is = icmp ne ptr %out, null
;   call void @llvm.assume(i1 %there.is)
;   store i32 %sum, ptr %to, align 4
;   ret void
; }
;
; declare i32 @__offload_block_dim_x()
;
; declare i32 @__offload_block_dim_y()
;
; declare i32 @__offload_block_dim_z()
;
; attributes #0 = { convergent }
; attributes #1 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
; attributes #2 = { "offload-launch-bounds"="0,0,64,1,1" }
