; __offload_print on a CPU with a C library. It prints the whole text at once, after earlier output of C code, and
; before the call returns. If the stack is full, the thread leaves the kernel. This must not happen inside the C
; library, which would keep the lock of the stream, so 16 KiB of stack are touched first, page by page.
@stdout = external global ptr

declare i64 @fwrite(ptr, i64, i64, ptr)
declare i32 @fflush(ptr)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

define void @__offload_print(ptr %text, i64 %length) noinline nounwind {
  %stack = call ptr @llvm.stacksave.p0()
  br label %reserve

reserve:
  %room = alloca [16384 x i8], align 16
  %fourth = getelementptr i8, ptr %room, i64 12288
  store volatile i8 0, ptr %fourth, align 1
  %third = getelementptr i8, ptr %room, i64 8192
  store volatile i8 0, ptr %third, align 1
  %second = getelementptr i8, ptr %room, i64 4096
  store volatile i8 0, ptr %second, align 1
  store volatile i8 0, ptr %room, align 1
  call void @llvm.stackrestore.p0(ptr %stack)
  br label %print

print:
  %stream = load ptr, ptr @stdout, align 8
  %written = call i64 @fwrite(ptr %text, i64 1, i64 %length, ptr %stream)
  %flushed = call i32 @fflush(ptr %stream)
  ret void
}
