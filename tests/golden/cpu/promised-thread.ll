; In blocks of the promised size, LLVM gets the assumption that the number of a thread is below this size. The check of
; `digit * 64 + x`, where `digit` is data, then always holds. It remains in the function for blocks of all other sizes.
; RUN[checks]: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu | \
;   sed -n '/^define.*__offload_cpu.*count(/,/^}/p' | grep -c 'icmp.*1024' || true
; RUN[other]: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu | \
;   sed '/^define.*__offload_cpu.*count(/,/^}/d' | grep -c 'icmp.*1024'
; Code without branches has no checks: here the four threads after the groups.
; RUN[straight]: sed 's/block_size(i32 64/block_size(i32 60/' %s > sixty.ll && \
;   offloadc sixty.ll -O2 --emit=flavor=- --offload-arch=cpu | grep -c 'call.*llvm.assume'
; Nothing is assumed of the first thread of a group.
; RUN[groups]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | \
;   grep -c 'call.*llvm.assume'
; Without a promise, the size is not known.
; RUN[any]: sed '/call.*block_size/d' %s > any.ll && offloadc any.ll -O2 --emit=flavor=- --offload-arch=cpu | \
;   grep -c 'llvm.assume' || true

target triple = "x86_64-unknown-linux-gnu"

@counts = internal global [1024 x i32] undef, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @llvm.trap()
declare void @__offload_sync_threads()
declare void @__offload_block_size(i32, i32, i32)

define ptx_kernel void @count(ptr noalias %keys, ptr noalias %places, i64 %n) {
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %inside = icmp ult i64 %wide, %n
  br i1 %inside, label %start, label %outside

start:
  %first = shl nuw nsw i64 %wide, 5
  %own = getelementptr i32, ptr %keys, i64 %first
  br label %loop

loop:
  %i = phi i64 [ 0, %start ], [ %next, %counted ]
  %address = getelementptr i32, ptr %own, i64 %i
  %key = load i32, ptr %address
  %digit = and i32 %key, 15
  %column = shl nuw nsw i32 %digit, 6
  %row = zext i32 %column to i64
  %index = add nuw nsw i64 %row, %wide
  %fits = icmp ult i64 %index, 1024
  br i1 %fits, label %counted, label %outside

counted:
  %place = getelementptr i32, ptr @counts, i64 %index
  %count = load i32, ptr %place
  %more = add i32 %count, 1
  store i32 %more, ptr %place
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 32
  br i1 %done, label %barrier, label %loop

barrier:
  call void @__offload_sync_threads()
  %sum = load i32, ptr @counts
  %to = getelementptr i32, ptr %places, i64 %wide
  store i32 %sum, ptr %to
  ret void

outside:
  call void @llvm.trap()
  unreachable
}
;;; stdout[any]
; 0
;;; stdout[checks]
; 0
;;; stdout[groups]
; 3
;;; stdout[other]
; 2
;;; stdout[straight]
; 3
