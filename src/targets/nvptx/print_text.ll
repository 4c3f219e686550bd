; __offload_print on NVIDIA GPUs: pieces of up to 255 bytes are passed to the driver's vprintf. It ends a text at its
; first zero, so zeros are left out.
@__offload_print_format = internal unnamed_addr constant [3 x i8] c"%s\00"

declare i32 @vprintf(ptr, ptr)

define void @__offload_print(ptr %text, i64 %length) noinline nounwind {
entry:
  %piece = alloca [256 x i8], align 8
  %arguments = alloca ptr, align 8
  store ptr %piece, ptr %arguments, align 8
  %nothing = icmp eq i64 %length, 0
  br i1 %nothing, label %done, label %byte

byte:
  %at = phi i64 [ 0, %entry ], [ %at.next, %more ]
  %held = phi i64 [ 0, %entry ], [ %held.next, %more ]
  %from = getelementptr i8, ptr %text, i64 %at
  %to = getelementptr i8, ptr %piece, i64 %held
  %value = load i8, ptr %from, align 1
  store i8 %value, ptr %to, align 1
  %kept = icmp ne i8 %value, 0
  %one = zext i1 %kept to i64
  %held.now = add i64 %held, %one
  %at.next = add i64 %at, 1
  %last = icmp eq i64 %at.next, %length
  %full = icmp eq i64 %held.now, 255
  %ready = or i1 %last, %full
  br i1 %ready, label %print, label %more

print:
  %end = getelementptr i8, ptr %piece, i64 %held.now
  store i8 0, ptr %end, align 1
  %printed = call i32 @vprintf(ptr @__offload_print_format, ptr %arguments)
  br label %more

more:
  %held.next = phi i64 [ %held.now, %byte ], [ 0, %print ]
  br i1 %last, label %done, label %byte

done:
  ret void
}
