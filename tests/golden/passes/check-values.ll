; A branch and an address that depend on memory are checked; the shadow follows the bits. What is only stored is not.
; RUN: offloadc %s --run-pass=check_values --sanitize --offload-arch=cpu --kernel=k | grep -v "^target\|^attributes"

define void @k(ptr %p, i1 %c) {
entry:
  %pair = load i64, ptr %p
  %copied = load i64, ptr %p
  store i64 %copied, ptr %p
  %upper = lshr i64 %pair, 32
  %first = trunc i64 %upper to i32
  br i1 %c, label %then, label %join

then:
  br label %join

join:
  %maybe = phi i64 [ undef, %entry ], [ 5, %then ]
  %address = getelementptr i32, ptr %p, i64 %maybe
  store i32 1, ptr %address
  %is = icmp eq i32 %first, 7
  br i1 %is, label %then2, label %end

then2:
  br label %end

end:
  ret void
}
