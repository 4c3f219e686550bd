; A loop with several ways out is unrolled: the phi where they meet has its operands in the order of the blocks, not of addresses.
; RUN: offloadc -w %s --offload-arch=sm_80 --emit=optimize=- | grep 'n\.ph = phi'
; FAIL[without]: offloadc -w %s --offload-arch=sm_80 --without-workaround=sort_unrolled --emit=optimize=- | \
;   grep 'n\.ph = phi .*%third .*%fifth .*%latch .*%third.1 .*%fifth.1 .*%latch.1 .*%third.2 '

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, ptr %q) {
start:
  br label %first
first:
  %i = phi i32 [ 0, %start ], [ %next, %latch ]
  %a = load volatile i1, ptr %p
  br i1 %a, label %out, label %second
second:
  %never = icmp eq i32 %i, 7
  br i1 %never, label %out, label %third
third:
  %b = load volatile i1, ptr %p
  br i1 %b, label %out, label %fourth
fourth:
  %last = icmp eq i32 %i, 2
  br i1 %last, label %out, label %fifth
fifth:
  %c = load volatile i1, ptr %p
  br i1 %c, label %out, label %sixth
sixth:
  %not = icmp eq i32 %i, 9
  br i1 %not, label %out, label %latch
latch:
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, 5
  br i1 %end, label %out, label %first
out:
  %n = phi i32 [ 10, %first ], [ 20, %second ], [ 30, %third ], [ 40, %fourth ], [ 50, %fifth ], [ 60, %sixth ], [ 70, %latch ]
  %sum = add i32 %n, %i
  store volatile i32 %sum, ptr %q
  ret void
}
;;; stdout
;   %n.ph = phi i32 [ 30, %third ], [ 50, %fifth ], [ 10, %latch ], [ 30, %third.1 ], [ 50, %fifth.1 ], [ 10, %latch.1 ], [ %spec.select, %third.2 ]
