; A loop with 64 products has eight copies of its body on NVIDIA GPUs, where LLVM's level 2 makes two. Level 1 has as
; many copies as LLVM makes there, and a loop with a hint against unrolling has one.
; RUN: for options in "constant -O2" "constant -O1" "single -O2"; do \
;   offloadc %s --offload-arch=sm_80 --emit=codegen=- --kernel=$options | grep -c 'mul.rn.f32'; done

define void @constant(ptr %a, ptr %b, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %a.at = getelementptr inbounds float, ptr %a, i64 %i
  %x = load float, ptr %a.at
  %b.at = getelementptr inbounds float, ptr %b, i64 %i
  %y = load float, ptr %b.at
  %product = fmul float %x, %y
  %more = fadd float %sum, %product
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, 64
  br i1 %again, label %loop, label %done
done:
  store float %more, ptr %out
  ret void
}

define void @single(ptr %a, ptr %b, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %a.at = getelementptr inbounds float, ptr %a, i64 %i
  %x = load float, ptr %a.at
  %b.at = getelementptr inbounds float, ptr %b, i64 %i
  %y = load float, ptr %b.at
  %product = fmul float %x, %y
  %more = fadd float %sum, %product
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, 64
  br i1 %again, label %loop, label %done, !llvm.loop !0
done:
  store float %more, ptr %out
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
;;; stdout
; 8
; 1
; 1
