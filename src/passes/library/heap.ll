; The heap of a launch: allocations are consecutive, in units of 16 bytes.
;
;   struct offload_launch_state { ...; void *heap; uint32_t heap_units; uint32_t heap_used; ... };
;
; `abi::fill_in_offsets` replaces `{offload_launch_state.heap}` by the offset of the field.
;
; The last allocation can be freed, and can grow in place. All others exist until the end of the launch. Freed memory
; may be allocated by another thread next, so allocation and freeing are ordered.
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; The number of units up to the end of `size` bytes at `offset`; more than any heap has if the end overflows.
define internal i64 @__offload_heap_units(i64 %offset, i64 %size) nounwind alwaysinline {
  %end = add i64 %offset, %size
  %up = add i64 %end, 15
  %units = lshr i64 %up, 4
  ; 2^36 bytes, the most that 32 bits can count in units.
  %huge.size = icmp ugt i64 %size, 68719476736
  %huge.offset = icmp ugt i64 %offset, 68719476736
  %huge = or i1 %huge.size, %huge.offset
  %result = select i1 %huge, i64 -1, i64 %units
  ret i64 %result
}

; Moves the end of the used part from one unit to another, if it is there and the heap is large enough.
define internal i1 @__offload_heap_move(ptr %state, i64 %from, i64 %to) nounwind alwaysinline {
entry:
  %units.at = getelementptr i8, ptr %state, i64 {offload_launch_state.heap_units}
  %units = load i32, ptr %units.at, align 8
  %units.wide = zext i32 %units to i64
  %from.inside = icmp ule i64 %from, %units.wide
  %to.inside = icmp ule i64 %to, %units.wide
  %inside = and i1 %from.inside, %to.inside
  br i1 %inside, label %move, label %done

move:
  %used.at = getelementptr i8, ptr %state, i64 {offload_launch_state.heap_used}
  %expected = trunc i64 %from to i32
  %new = trunc i64 %to to i32
  %pair = cmpxchg ptr %used.at, i32 %expected, i32 %new syncscope("device") acq_rel acquire, align 4
  %moved = extractvalue { i32, i1 } %pair, 1
  br label %done

done:
  %result = phi i1 [ false, %entry ], [ %moved, %move ]
  ret i1 %result
}

define ptr @__offload_heap_alloc(ptr %state, i64 %size, i64 %align) noinline nounwind {
entry:
  %heap.at = getelementptr i8, ptr %state, i64 {offload_launch_state.heap}
  %heap = load ptr, ptr %heap.at, align 8
  %base = ptrtoint ptr %heap to i64
  %units.at = getelementptr i8, ptr %state, i64 {offload_launch_state.heap_units}
  %units = load i32, ptr %units.at, align 8
  %units.wide = zext i32 %units to i64
  %used.at = getelementptr i8, ptr %state, i64 {offload_launch_state.heap_used}
  %mask = sub i64 0, %align
  %rest = sub i64 %align, 1
  br label %try

try:
  %used = load atomic i32, ptr %used.at syncscope("device") monotonic, align 4
  %used.wide = zext i32 %used to i64
  %free = shl i64 %used.wide, 4
  %begin = add i64 %base, %free
  %up = add i64 %begin, %rest
  %start = and i64 %up, %mask
  %offset = sub i64 %start, %base
  %end = call i64 @__offload_heap_units(i64 %offset, i64 %size)
  %full = icmp ugt i64 %end, %units.wide
  br i1 %full, label %none, label %take

take:
  %moved = call i1 @__offload_heap_move(ptr %state, i64 %used.wide, i64 %end)
  br i1 %moved, label %taken, label %try

taken:
  %memory = getelementptr i8, ptr %heap, i64 %offset
  ret ptr %memory

none:
  ret ptr null
}

define ptr @__offload_heap_alloc_zeroed(ptr %state, i64 %size, i64 %align) noinline nounwind {
entry:
  %memory = call ptr @__offload_heap_alloc(ptr %state, i64 %size, i64 %align)
  %none = icmp eq ptr %memory, null
  br i1 %none, label %done, label %zero

zero:
  call void @llvm.memset.p0.i64(ptr %memory, i8 0, i64 %size, i1 false)
  br label %done

done:
  ret ptr %memory
}

define void @__offload_heap_dealloc(ptr %state, ptr %memory, i64 %size, i64 %align) noinline nounwind {
  %heap.at = getelementptr i8, ptr %state, i64 {offload_launch_state.heap}
  %heap = load ptr, ptr %heap.at, align 8
  %base = ptrtoint ptr %heap to i64
  %address = ptrtoint ptr %memory to i64
  %offset = sub i64 %address, %base
  %end = call i64 @__offload_heap_units(i64 %offset, i64 %size)
  %begin = lshr i64 %offset, 4
  %freed = call i1 @__offload_heap_move(ptr %state, i64 %end, i64 %begin)
  ret void
}

define ptr @__offload_heap_realloc(ptr %state, ptr %memory, i64 %size, i64 %align, i64 %new.size) noinline nounwind {
entry:
  %heap.at = getelementptr i8, ptr %state, i64 {offload_launch_state.heap}
  %heap = load ptr, ptr %heap.at, align 8
  %base = ptrtoint ptr %heap to i64
  %address = ptrtoint ptr %memory to i64
  %offset = sub i64 %address, %base
  %end = call i64 @__offload_heap_units(i64 %offset, i64 %size)
  %new.end = call i64 @__offload_heap_units(i64 %offset, i64 %new.size)
  %in.place = call i1 @__offload_heap_move(ptr %state, i64 %end, i64 %new.end)
  %shrinks = icmp ule i64 %new.size, %size
  %stays = or i1 %in.place, %shrinks
  br i1 %stays, label %done, label %move

move:
  %new = call ptr @__offload_heap_alloc(ptr %state, i64 %new.size, i64 %align)
  %none = icmp eq ptr %new, null
  br i1 %none, label %done, label %copy

copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %memory, i64 %size, i1 false)
  br label %done

done:
  %result = phi ptr [ %memory, %entry ], [ null, %move ], [ %new, %copy ]
  ret ptr %result
}
