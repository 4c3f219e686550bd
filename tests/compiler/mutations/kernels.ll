; A module with many kinds of instructions, of which the mutations damage one or the other.
source_filename = "kernels"
target triple = "x86_64-unknown-linux-gnu"

%pair = type { float, i32 }

@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 5]
@names = internal constant [2 x ptr] [ptr @table, ptr @first]

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare void @llvm.assume(i1 noundef)

define i32 @first(i32 %x) noinline {
  %y = mul nsw i32 %x, 3
  ret i32 %y
}

define internal i32 @chosen(i32 %x, i32 %limit) {
entry:
  switch i32 %x, label %other [
    i32 0, label %one
    i32 1, label %one
    i32 7, label %two
  ]
one:
  %a = add i32 %x, 1
  br label %end
two:
  %b = call i32 @first(i32 %limit)
  br label %end
other:
  %c = urem i32 %x, 9
  %d = icmp ult i32 %c, %limit
  %e = select i1 %d, i32 %c, i32 %limit
  br label %end
end:
  %r = phi i32 [ %a, %one ], [ %b, %two ], [ %e, %other ]
  ret i32 %r
}

define ptx_kernel void @integers(ptr noalias %out, ptr readonly %in, i32 %n, i64 %wide) {
entry:
  %i = call i32 @__offload_thread_id_x()
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %loop, label %end
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %place = getelementptr inbounds [4 x i32], ptr @table, i64 0, i32 %k
  %value = load i32, ptr %place, align 4
  %x = call i32 @chosen(i32 %value, i32 %n)
  %bits = call i32 @llvm.ctpop.i32(i32 %x)
  %turned = call i32 @llvm.fshl.i32(i32 %bits, i32 %x, i32 %k)
  %more = add i32 %sum, %turned
  %next = add nuw i32 %k, 1
  %again = icmp ne i32 %next, 4
  br i1 %again, label %loop, label %write
write:
  %product = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %wide, i64 3)
  %low = extractvalue { i64, i1 } %product, 0
  %huge = zext i64 %low to i128
  %shifted = shl i128 %huge, 17
  %small = trunc i128 %shifted to i32
  %all = xor i32 %small, %more
  %to = getelementptr inbounds i32, ptr %out, i32 %i
  store i32 %all, ptr %to, align 4
  %old = atomicrmw add ptr %out, i32 %all syncscope("agent") monotonic
  %seen = cmpxchg ptr %in, i32 %old, i32 %all acq_rel acquire
  fence seq_cst
  br label %end
end:
  call void @__offload_sync_threads()
  ret void
}

define ptx_kernel void @floats(ptr %out, ptr %in, %pair %by_value, <4 x float> %lanes) {
  %local = alloca [8 x i32], align 16
  %i = call i32 @__offload_block_id_x()
  %from = getelementptr %pair, ptr %in, i32 %i, i32 0
  %x = load float, ptr %from, align 4
  %f = extractvalue %pair %by_value, 0
  %y = call float @llvm.fma.f32(float %x, float %f, float 0x3FF8000000000000)
  %d = fpext float %y to double
  %q = fdiv double %d, 3.0
  %h = fptrunc double %q to half
  %w = fpext half %h to float
  %n = call i32 @llvm.fptosi.sat.i32.f32(float %w)
  %v = insertelement <4 x i32> zeroinitializer, i32 %n, i32 2
  %s = shufflevector <4 x i32> %v, <4 x i32> poison, <4 x i32> <i32 2, i32 1, i32 0, i32 2>
  %r = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %s)
  %masked = and i32 %r, 7
  %slot = getelementptr [8 x i32], ptr %local, i64 0, i32 %masked
  store i32 %r, ptr %slot, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %out, ptr align 16 %local, i64 32, i1 false)
  %pointer = load ptr, ptr @names, align 8
  %first = load i32, ptr %pointer, align 4
  %known = icmp eq i32 %first, 1
  call void @llvm.assume(i1 %known)
  %l = extractelement <4 x float> %lanes, i32 3
  store float %l, ptr %out, align 4
  ret void
}
