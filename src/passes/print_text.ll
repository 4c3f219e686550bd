; __offload_print on a processor with a C library: the whole text in one piece, after what C code printed before it, and
; there when the call returns.
@stdout = external global ptr

declare i64 @fwrite(ptr, i64, i64, ptr)
declare i32 @fflush(ptr)

define void @__offload_print(ptr %text, i64 %length) noinline nounwind {
  %stream = load ptr, ptr @stdout, align 8
  %written = call i64 @fwrite(ptr %text, i64 1, i64 %length, ptr %stream)
  %flushed = call i32 @fflush(ptr %stream)
  ret void
}
