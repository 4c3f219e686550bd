; One of two fields is chosen by the lowest bit of a number that may be -1. LLVM made one load of the two, at an index that
; is the whole number (#208611).
target triple = "x86_64-unknown-linux-gnu"

define i32 @chosen(ptr dereferenceable(24) %record, ptr %is_set) {
  %number = load i64, ptr %record, align 8, !range !0, !noundef !1
  %set = icmp ne i64 %number, -1
  %first_at = getelementptr inbounds nuw i8, ptr %record, i64 12
  %first = load i32, ptr %first_at, align 4
  %second_at = getelementptr inbounds nuw i8, ptr %record, i64 16
  %second = load i32, ptr %second_at, align 8
  %odd = trunc nuw i64 %number to i1
  %field = select i1 %odd, i32 %second, i32 %first
  %result = select i1 %set, i32 %field, i32 undef
  %flag = zext i1 %set to i32
  store i32 %flag, ptr %is_set
  ret i32 %result
}

!0 = !{i64 -1, i64 2}
!1 = !{}
