; Code for optional features is a trap if a test of the host's processor decides every call of it: `only`. A function
; that is also called without a test stays, and is refused in kernels: after both sides of a test (`joined`), before it
; in a loop (`turn`), and after a comparison of a count, which is no test of features (`counted`).
; RUN: offloadc %s --run-pass=translate_host --kernel=k | grep -v "^target"

target triple = "x86_64-unknown-linux-gnu"

@cache = internal global i32 0

define void @k(ptr %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %turn = call i32 @turn(ptr %out)
  %known = load i32, ptr @cache
  %c = icmp ne i32 %known, 0
  br i1 %c, label %fast, label %join
fast:
  %only = call i32 @only(ptr %out)
  br label %join
join:
  %joined = call i32 @joined(ptr %out)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %count
count:
  %many = icmp ugt i64 %n, 7
  br i1 %many, label %large, label %end
large:
  %counted = call i32 @counted(ptr %out)
  br label %end
end:
  ret void
}

declare i32 @llvm.x86.avx2.pmovmskb(<32 x i8>)

define internal i32 @only(ptr %p) "target-features"="+avx,+avx2" {
  %v = load <32 x i8>, ptr %p
  %mask = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %v)
  ret i32 %mask
}

define internal i32 @joined(ptr %p) "target-features"="+avx,+avx2" {
  %v = load <32 x i8>, ptr %p
  %mask = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %v)
  ret i32 %mask
}

define internal i32 @turn(ptr %p) "target-features"="+avx,+avx2" {
  %v = load <32 x i8>, ptr %p
  %mask = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %v)
  ret i32 %mask
}

define internal i32 @counted(ptr %p) "target-features"="+avx,+avx2" {
  %v = load <32 x i8>, ptr %p
  %mask = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %v)
  ret i32 %mask
}
;;; stdout
;
; @cache = internal global i32 0
;
; define void @k(ptr %out, i64 %n) {
; entry:
;   br label %loop
;
; loop:                                             ; preds = %join, %entry
;   %i = phi i64 [ 0, %entry ], [ %next, %join ]
;   %turn = call i32 @turn(ptr %out)
;   %known = load i32, ptr @cache, align 4
;   %c = icmp ne i32 %known, 0
;   br i1 %c, label %fast, label %join
;
; fast:                                             ; preds = %loop
;   %only = call i32 @only(ptr %out)
;   br label %join
;
; join:                                             ; preds = %fast, %loop
;   %joined = call i32 @joined(ptr %out)
;   %next = add i64 %i, 1
;   %more = icmp ult i64 %next, %n
;   br i1 %more, label %loop, label %count
;
; count:                                            ; preds = %join
;   %many = icmp ugt i64 %n, 7
;   br i1 %many, label %large, label %end
;
; large:                                            ; preds = %count
;   %counted = call i32 @counted(ptr %out)
;   br label %end
;
; end:                                              ; preds = %large, %count
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare i32 @llvm.x86.avx2.pmovmskb(<32 x i8>) #0
;
; define internal i32 @only(ptr %p) #1 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define internal i32 @joined(ptr %p) #1 {
;   %v = load <32 x i8>, ptr %p, align 32
;   %mask = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %v)
;   ret i32 %mask
; }
;
; define internal i32 @turn(ptr %p) #1 {
;   %v = load <32 x i8>, ptr %p, align 32
;   %mask = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %v)
;   ret i32 %mask
; }
;
; define internal i32 @counted(ptr %p) #1 {
;   %v = load <32 x i8>, ptr %p, align 32
;   %mask = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %v)
;   ret i32 %mask
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #2
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }
; attributes #1 = { "target-features"="+avx,+avx2" }
; attributes #2 = { cold noreturn nounwind memory(inaccessiblemem: write) }
