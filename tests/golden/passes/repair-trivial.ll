; Two copies of a barrier are one if their conditions are one, also where one copy has an operation that changes nothing
; or has a known result. The output names these cases; others only look alike. A simplification of LLVM in one kernel
; happens in all, so cases that it would change are compiled alone: none of them is repaired.
; RUN[together]: sed -n '/^declare/p' %s > in.ll; \
;   sed -n 's/^; case //p' %s | while IFS='|' read -r name one other; do \
;   sed -n '/^define/,/^}/p' %s | sed "s/NAME/$name/; s/ONE/$one/; s/OTHER/$other/"; done >> in.ll; \
;   offloadc in.ll --run-pass=repair_convergence $(sed -n 's/^define void @\([a-z_0-9]*\).*/--kernel=\1/p' in.ll) > out.ll; \
;   awk '/^define/ {split($3, a, /[@(]/)} /asm sideeffect/ {print a[2]}' out.ll | uniq
; RUN[alone]: sed -n 's/^; alone //p' %s | while IFS='|' read -r name one other; do sed -n '/^declare/p' %s > in.ll; \
;   sed -n '/^define/,/^}/p' %s | sed "s/NAME/$name/; s/ONE/$one/; s/OTHER/$other/" >> in.ll; \
;   offloadc in.ll --run-pass=repair_convergence --kernel=$name | sed -n "s/.*asm sideeffect.*/$name/p"; done
;
; case add_0|add i32 %n, 0|%n
; case zero_add|add i32 0, %n|%n
; case or_0|or i32 %n, 0|%n
; case xor_0|xor i32 %n, 0|%n
; case mul_1|mul i32 %n, 1|%n
; case one_mul|mul i32 1, %n|%n
; case sub_0|sub i32 %n, 0|%n
; case shl_0|shl i32 %n, 0|%n
; case lshr_0|lshr i32 %n, 0|%n
; case udiv_1|udiv i32 %n, 1|%n
; case and_ones|and i32 %n, -1|%n
; case ones_and|and i32 -1, %n|%n
; case and_0|and i32 %n, 0|0
; case mul_0|mul i32 %n, 0|0
; case or_ones|or i32 %n, -1|-1
; case select_true|select i1 true, i32 %n, i32 %m|%n
; case select_false|select i1 false, i32 %n, i32 %m|%m
; case zero_sub|sub i32 0, %n|%n
; case zero_shl|shl i32 0, %n|%n
; case zero_lshr|lshr i32 0, %n|%n
; case one_udiv|udiv i32 1, %n|%n
; case add_1|add i32 %n, 1|%n
; case xor_1|xor i32 %n, 1|%n
; case or_1|or i32 %n, 1|%n
; case mul_2|mul i32 %n, 2|%n
; case udiv_0|udiv i32 %n, 0|%n
; case urem_1|urem i32 %n, 1|%n
; case ashr_1|ashr i32 %n, 1|%n
; case and_low|and i32 %n, 255|%n
; case and_high|and i32 %n, 2147483647|%n
; case and_1|and i32 %n, 1|1
; case or_0_is_0|or i32 %n, 0|0
; case or_low|or i32 %n, 255|255
; case add_ones|add i32 %n, -1|-1
; case xor_ones|xor i32 %n, -1|-1
; case xor_ones_of|xor i32 %n, -1|%n
; alone and_0_of|and i32 %n, 0|%n
; alone mul_0_of|mul i32 %n, 0|%n
; alone select_true_of|select i1 true, i32 %n, i32 %m|%m
; alone select_false_of|select i1 false, i32 %n, i32 %m|%n

declare i32 @__offload_thread_id_x() memory(none)
declare void @__offload_sync_threads() convergent

define void @NAME(i32 %n, i32 %m) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %left, label %right
left:
  %one = ONE
  %go = icmp eq i32 %one, %m
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads() convergent
  br label %end
right:
  %go.too = icmp eq i32 OTHER, %m
  br i1 %go.too, label %wait.too, label %end
wait.too:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}
;;; stdout[together]
; add_0
; zero_add
; or_0
; xor_0
; mul_1
; one_mul
; sub_0
; shl_0
; lshr_0
; udiv_1
; and_ones
; ones_and
; and_0
; mul_0
; or_ones
; select_true
; select_false
