; A loop over an index of 32 bits that reads with its lower bits, too: the 8 bytes are read once and repeated.
; RUN: offloadc -w %s --offload-arch=cpu:x86-64-v3 --emit=optimize=- | grep -o 'shufflevector <8 x i8>'
; FAIL[without]: offloadc -w %s --offload-arch=cpu:x86-64-v3 --without-workaround=freeze_narrow_recurrences \
;   --emit=optimize=- | grep -E 'shufflevector <8 x i8>|icmp ugt i64 %[0-9]+, 7'

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(i64 %n, ptr noalias %from, ptr noalias %to, ptr noalias readonly %key) {
start:
  br label %loop
loop:
  %i = phi i32 [ 0, %start ], [ %next, %loop ]
  %index = zext i32 %i to i64
  %low = and i32 %i, 7
  %at = zext nneg i32 %low to i64
  %here = getelementptr i8, ptr %from, i64 %index
  %this = getelementptr i8, ptr %key, i64 %at
  %a = load i8, ptr %here
  %b = load i8, ptr %this
  %both = xor i8 %a, %b
  %there = getelementptr i8, ptr %to, i64 %index
  store i8 %both, ptr %there
  %next = add i32 %i, 1
  %wide = zext i32 %next to i64
  %more = icmp ult i64 %wide, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
;;; stdout
; shufflevector <8 x i8>
; shufflevector <8 x i8>
; shufflevector <8 x i8>
