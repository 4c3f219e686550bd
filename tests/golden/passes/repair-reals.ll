; A fact about a float on a path may decide a later comparison of it, whose barrier the path leaves out. The output
; names pairs of comparisons of which the second one fails wherever the first one does, or both that are known. A
; constant may be on the left side, another value may be between two constants, and a subnormal number may be 0.
; RUN: sed -n '/^declare/p' %s > in.ll; all="oeq ogt oge olt ole one ord uno ueq ugt uge ult ule une"; \
;   { for first in $all; do for second in oeq uno; do echo "${first}_$second|$first float %x, 2.0||$second float %x, 2.0"; \
;   done; done; for first in oge ord; do for second in $all; do for to in 1 2 3; do \
;   echo "${first}_${second}_$to|$first float %x, 2.0||$second float %x, $to.0"; done; done; done; \
;   for first in ogt oge olt ole ugt uge ult ule; do for second in oge olt; do \
;   echo "left_${first}_$second|$first float 2.0, %x||$second float %x, 2.0"; done; done; sed -n 's/^; case //p' %s; } | \
;   while IFS='|' read -r name first also second; do sed -n '/^define/,/^}/p' %s | \
;   sed "s/NAME/$name/; s/FIRST/$first/; s/ALSO/${also:-false float %x, 2.0}/; s/SECOND/$second/"; done >> in.ll; \
;   offloadc in.ll --run-pass=repair_convergence $(sed -n 's/^define void @\([a-z_0-9]*\).*/--kernel=\1/p' in.ll) > out.ll; \
;   awk '/^define/ {split($3, a, /[@(]/)} /asm sideeffect/ {print a[2]}' out.ll | uniq
;
; case outside|ole float %x, 1.0|oge float %x, 3.0|oge float %x, 4.0
; case between|ole float %x, 1.0|oge float %x, 3.0|one float %x, 2.0
; case negative|ogt float %x, 0.0||oge float %x, 1.0
; case subnormal|ogt float %x, 0.0||oge float %x, 0x37A16C2000000000

declare i32 @__offload_thread_id_x() memory(none)
declare void @__offload_sync_threads() convergent

define void @NAME(float %x) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %id, 4
  br i1 %c, label %join, label %other
other:
  %more = fcmp FIRST
  %too = fcmp ALSO
  %far = icmp ugt i32 %id, 15
  %some = or i1 %more, %too
  %either = or i1 %some, %far
  br i1 %either, label %join, label %end
join:
  %much = fcmp SECOND
  br i1 %much, label %wait, label %end
wait:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}
;;; stdout
; oeq_oeq
; oge_oeq
; ole_oeq
; ord_oeq
; uno_uno
; ueq_oeq
; ueq_uno
; ugt_uno
; uge_oeq
; uge_uno
; ult_uno
; ule_oeq
; ule_uno
; une_uno
; oge_oeq_2
; oge_oeq_3
; oge_ogt_2
; oge_ogt_3
; oge_oge_2
; oge_oge_3
; ord_oeq_1
; ord_oeq_2
; ord_oeq_3
; ord_ogt_1
; ord_ogt_2
; ord_ogt_3
; ord_oge_1
; ord_oge_2
; ord_oge_3
; ord_olt_1
; ord_olt_2
; ord_olt_3
; ord_ole_1
; ord_ole_2
; ord_ole_3
; ord_one_1
; ord_one_2
; ord_one_3
; ord_ord_1
; ord_ord_2
; ord_ord_3
; left_ogt_olt
; left_oge_olt
; left_ole_oge
; left_ugt_olt
; left_uge_olt
; left_ule_oge
; outside
; negative
