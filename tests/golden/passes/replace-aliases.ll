; An alias is replaced by its aliasee.
; RUN: offloadc %s --run-pass=replace_aliases | grep -v "^target"

@value = internal global [2 x i32] zeroinitializer
@second = internal alias i32, getelementptr (i8, ptr @value, i64 4)

define i32 @f() {
  %r = load i32, ptr @second
  ret i32 %r
}
;;; stdout
;
; @value = internal global [2 x i32] zeroinitializer
;
; define i32 @f() {
;   %r = load i32, ptr getelementptr (i8, ptr @value, i64 4), align 4
;   ret i32 %r
; }
