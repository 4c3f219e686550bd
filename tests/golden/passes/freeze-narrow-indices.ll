; An index that is extended with its sign is frozen if an operation of it may wrap: `not` of a bit, a sum, product or
; shift without `nsw`, at any depth, also after a truncation and through a selection, `phi` or maximum. The users of one
; value share its `freeze`. So is an index without a sign, if a sum of the same value promises not to wrap and adds less.
; Left alone are operations with `nsw`, disjoint `or`, values without an operation, the condition of a selection, other
; indices without a sign, indices as wide as an address, constants, and values that are no indices.
; RUN: offloadc %s --run-pass=freeze_narrow_indices --offload-arch=gfx90a --kernel=k | grep -v "^target"

@shared = internal addrspace(3) global [64 x i32] undef

define void @k(ptr %p, i32 %x, i64 %wide, i1 %b, i8 %byte, i16 %short, ptr %out) {
entry:
  %not = xor i1 %b, true
  %not.wide = sext i1 %not to i64
  %a = getelementptr i32, ptr %p, i64 %not.wide
  store volatile i32 1, ptr %a
  %sum = add i32 %x, 3
  %sum.wide = sext i32 %sum to i64
  %c = getelementptr i32, ptr %p, i64 %sum.wide
  store volatile i32 2, ptr %c
  %again.wide = sext i32 %sum to i64
  %d = getelementptr i16, ptr %out, i64 %again.wide
  store volatile i32 3, ptr %d
  %narrow = mul i8 %byte, 5
  %e = getelementptr i32, ptr %p, i8 %narrow
  store volatile i32 4, ptr %e
  %inner = shl i32 %x, 2
  %outer = add nsw i32 %inner, 1
  %outer.wide = sext i32 %outer to i64
  %f = getelementptr i32, ptr %p, i64 %outer.wide
  store volatile i32 5, ptr %f
  %long = add i64 %wide, 7
  %cut = trunc i64 %long to i32
  %cut.wide = sext i32 %cut to i64
  %g = getelementptr i32, ptr %p, i64 %cut.wide
  store volatile i32 6, ptr %g
  %either = select i1 %b, i32 %sum, i32 %x
  %either.wide = sext i32 %either to i64
  %h = getelementptr i32, ptr %p, i64 %either.wide
  store volatile i32 7, ptr %h
  %most = call i32 @llvm.smax.i32(i32 %sum, i32 %x)
  %most.wide = sext i32 %most to i64
  %i = getelementptr i32, ptr %p, i64 %most.wide
  store volatile i32 8, ptr %i
  %six = add i8 %byte, 6
  %six.wide = zext i8 %six to i64
  %u = getelementptr i32, ptr %p, i64 %six.wide
  store volatile i32 18, ptr %u
  %five = add nuw i8 %byte, 5
  %five.wide = zext i8 %five to i64
  %v = getelementptr i32, ptr %p, i64 %five.wide
  store volatile i32 19, ptr %v
  br label %loop

loop:
  %turn = phi i32 [ %x, %entry ], [ %next, %loop ]
  %turn.wide = sext i32 %turn to i64
  %j = getelementptr i32, ptr %p, i64 %turn.wide
  store volatile i32 9, ptr %j
  %next = add i32 %turn, 1
  %more = icmp ult i32 %next, 9
  br i1 %more, label %loop, label %left.alone

left.alone:
  %promised = add nsw i32 %x, 3
  %promised.wide = sext i32 %promised to i64
  %l = getelementptr i32, ptr %p, i64 %promised.wide
  store volatile i32 10, ptr %l
  %joined = or disjoint i32 %x, 3
  %joined.wide = sext i32 %joined to i64
  %m = getelementptr i32, ptr %p, i64 %joined.wide
  store volatile i32 11, ptr %m
  %loaded = load i32, ptr %out
  %loaded.wide = sext i32 %loaded to i64
  %n = getelementptr i32, ptr %p, i64 %loaded.wide
  store volatile i32 12, ptr %n
  %plain = trunc i64 %wide to i32
  %plain.wide = sext i32 %plain to i64
  %o = getelementptr i32, ptr %p, i64 %plain.wide
  store volatile i32 13, ptr %o
  %unsigned = zext i32 %sum to i64
  %q = getelementptr i32, ptr %p, i64 %unsigned
  store volatile i32 14, ptr %q
  %as.wide = add i64 %wide, 5
  %r = getelementptr i32, ptr %p, i64 %as.wide
  store volatile i32 15, ptr %r
  %other = add i32 %x, 9
  %other.wide = sext i32 %other to i64
  %s = getelementptr i32, ptr addrspace(3) @shared, i64 %other.wide
  store volatile i32 16, ptr addrspace(3) %s
  %less = add i16 %short, 1
  %less.wide = zext i16 %less to i64
  %w = getelementptr i32, ptr %p, i64 %less.wide
  store volatile i32 20, ptr %w
  %more.promised = add nuw i16 %short, 2
  %more.wide = zext i16 %more.promised to i64
  %y = getelementptr i32, ptr %p, i64 %more.wide
  store volatile i32 21, ptr %y
  %turned = xor i1 %b, true
  %chosen = select i1 %turned, i32 %x, i32 %loaded
  %chosen.wide = sext i32 %chosen to i64
  %z = getelementptr i32, ptr %p, i64 %chosen.wide
  store volatile i32 22, ptr %z
  %t = getelementptr i32, ptr %p, i32 3
  store volatile i32 17, ptr %t
  %number = add i32 %x, 11
  %number.wide = sext i32 %number to i64
  store volatile i64 %number.wide, ptr %out
  ret void
}
;;; stdout
;
; @shared = internal addrspace(3) global [64 x i32] undef
;
; define void @k(ptr %p, i32 %x, i64 %wide, i1 %b, i8 %byte, i16 %short, ptr %out) {
; entry:
;   %not = xor i1 %b, true
;   %0 = freeze i1 %not
;   %not.wide = sext i1 %0 to i64
;   %a = getelementptr i32, ptr %p, i64 %not.wide
;   store volatile i32 1, ptr %a, align 4
;   %sum = add i32 %x, 3
;   %1 = freeze i32 %sum
;   %sum.wide = sext i32 %1 to i64
;   %c = getelementptr i32, ptr %p, i64 %sum.wide
;   store volatile i32 2, ptr %c, align 4
;   %again.wide = sext i32 %1 to i64
;   %d = getelementptr i16, ptr %out, i64 %again.wide
;   store volatile i32 3, ptr %d, align 4
;   %narrow = mul i8 %byte, 5
;   %2 = freeze i8 %narrow
;   %e = getelementptr i32, ptr %p, i8 %2
;   store volatile i32 4, ptr %e, align 4
;   %inner = shl i32 %x, 2
;   %outer = add nsw i32 %inner, 1
;   %3 = freeze i32 %outer
;   %outer.wide = sext i32 %3 to i64
;   %f = getelementptr i32, ptr %p, i64 %outer.wide
;   store volatile i32 5, ptr %f, align 4
;   %long = add i64 %wide, 7
;   %cut = trunc i64 %long to i32
;   %4 = freeze i32 %cut
;   %cut.wide = sext i32 %4 to i64
;   %g = getelementptr i32, ptr %p, i64 %cut.wide
;   store volatile i32 6, ptr %g, align 4
;   %either = select i1 %b, i32 %sum, i32 %x
;   %5 = freeze i32 %either
;   %either.wide = sext i32 %5 to i64
;   %h = getelementptr i32, ptr %p, i64 %either.wide
;   store volatile i32 7, ptr %h, align 4
;   %most = call i32 @llvm.smax.i32(i32 %sum, i32 %x)
;   %6 = freeze i32 %most
;   %most.wide = sext i32 %6 to i64
;   %i = getelementptr i32, ptr %p, i64 %most.wide
;   store volatile i32 8, ptr %i, align 4
;   %six = add i8 %byte, 6
;   %7 = freeze i8 %six
;   %six.wide = zext i8 %7 to i64
;   %u = getelementptr i32, ptr %p, i64 %six.wide
;   store volatile i32 18, ptr %u, align 4
;   %five = add nuw i8 %byte, 5
;   %five.wide = zext i8 %five to i64
;   %v = getelementptr i32, ptr %p, i64 %five.wide
;   store volatile i32 19, ptr %v, align 4
;   br label %loop
;
; loop:                                             ; preds = %loop, %entry
;   %turn = phi i32 [ %x, %entry ], [ %next, %loop ]
;   %8 = freeze i32 %turn
;   %turn.wide = sext i32 %8 to i64
;   %j = getelementptr i32, ptr %p, i64 %turn.wide
;   store volatile i32 9, ptr %j, align 4
;   %next = add i32 %turn, 1
;   %more = icmp ult i32 %next, 9
;   br i1 %more, label %loop, label %left.alone
;
; left.alone:                                       ; preds = %loop
;   %promised = add nsw i32 %x, 3
;   %promised.wide = sext i32 %promised to i64
;   %l = getelementptr i32, ptr %p, i64 %promised.wide
;   store volatile i32 10, ptr %l, align 4
;   %joined = or disjoint i32 %x, 3
;   %joined.wide = sext i32 %joined to i64
;   %m = getelementptr i32, ptr %p, i64 %joined.wide
;   store volatile i32 11, ptr %m, align 4
;   %loaded = load i32, ptr %out, align 4
;   %loaded.wide = sext i32 %loaded to i64
;   %n = getelementptr i32, ptr %p, i64 %loaded.wide
;   store volatile i32 12, ptr %n, align 4
;   %plain = trunc i64 %wide to i32
;   %plain.wide = sext i32 %plain to i64
;   %o = getelementptr i32, ptr %p, i64 %plain.wide
;   store volatile i32 13, ptr %o, align 4
;   %unsigned = zext i32 %sum to i64
;   %q = getelementptr i32, ptr %p, i64 %unsigned
;   store volatile i32 14, ptr %q, align 4
;   %as.wide = add i64 %wide, 5
;   %r = getelementptr i32, ptr %p, i64 %as.wide
;   store volatile i32 15, ptr %r, align 4
;   %other = add i32 %x, 9
;   %other.wide = sext i32 %other to i64
;   %s = getelementptr i32, ptr addrspace(3) @shared, i64 %other.wide
;   store volatile i32 16, ptr addrspace(3) %s, align 4
;   %less = add i16 %short, 1
;   %less.wide = zext i16 %less to i64
;   %w = getelementptr i32, ptr %p, i64 %less.wide
;   store volatile i32 20, ptr %w, align 4
;   %more.promised = add nuw i16 %short, 2
;   %more.wide = zext i16 %more.promised to i64
;   %y = getelementptr i32, ptr %p, i64 %more.wide
;   store volatile i32 21, ptr %y, align 4
;   %turned = xor i1 %b, true
;   %chosen = select i1 %turned, i32 %x, i32 %loaded
;   %chosen.wide = sext i32 %chosen to i64
;   %z = getelementptr i32, ptr %p, i64 %chosen.wide
;   store volatile i32 22, ptr %z, align 4
;   %t = getelementptr i32, ptr %p, i32 3
;   store volatile i32 17, ptr %t, align 4
;   %number = add i32 %x, 11
;   %number.wide = sext i32 %number to i64
;   store volatile i64 %number.wide, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.smax.i32(i32, i32) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
