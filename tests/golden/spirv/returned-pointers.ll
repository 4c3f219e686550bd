; A step from a pointer that a function returns is a step of bytes, although the pointer is used in several ways. LLVM
; would take it for a pointer to pointers, so the copy would start 16 bytes after the address instead of 2.
; RUN: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -c OpCopyMemorySized
; FAIL=70@22[without]: offloadc -w %s --offload-arch=spirv64 --without-workaround=return_pointers_to_bytes,join_pointers_to_bytes --emit=image=k.spv

target triple = "x86_64-unknown-linux-gnu"

define internal ptr @grown(ptr %from, i64 %bytes) noinline {
  %address = ptrtoint ptr %from to i64
  %more = xor i64 %address, %bytes
  %new = inttoptr i64 %more to ptr
  ret ptr %new
}

define ptx_kernel void @k(ptr %out, i64 %bytes) {
start:
  %first = load i64, ptr %out
  %null = icmp eq i64 %bytes, 0
  br i1 %null, label %loop, label %grow

grow:
  %memory = call ptr @grown(ptr %out, i64 %bytes)
  %behind = getelementptr inbounds i8, ptr %memory, i64 2
  call void @llvm.memcpy.p0.p0.i64(ptr %behind, ptr %out, i64 %bytes, i1 false)
  br label %loop

loop:
  %at = phi ptr [ %next, %loop ], [ %out, %start ], [ %memory, %grow ]
  %sum = phi i64 [ %more, %loop ], [ 0, %start ], [ 0, %grow ]
  %byte = load i8, ptr %at
  %wide = zext i8 %byte to i64
  %more = add i64 %sum, %wide
  %next = getelementptr inbounds i8, ptr %at, i64 1
  %done = icmp eq i8 %byte, 0
  br i1 %done, label %end, label %loop

end:
  store i64 %more, ptr %out
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
;;; stdout
; 1
;;; stderr[without]
; error: internal error: cannot make the image for spirv64: the SPIR-V of kernel `k` is not valid: OpInBoundsPtrAccessChain result type (OpTypeInt) does not match the type that results from indexing into the base <id> (OpTypePointer).
;   = note: it goes on:
;             %34 = OpInBoundsPtrAccessChain %_ptr_Generic_uchar %33 %ulong_2
