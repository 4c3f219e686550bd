; Blocks come after those that dominate them. LLVM 23 adds an exit to `inner` after it has ordered blocks: before
; `outer`, where `inner` leads to, because it has removed the empty block `again` before; and there is none in `@direct`.
; RUN: offloadc -w %s --from=optimize --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && echo valid
; FAIL=70@23[without]: offloadc -w %s --from=optimize --offload-arch=spirv64 --without-workaround=keep_block_order --emit=image=k.spv

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64v1.2-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %p) {
start:
  br label %outer

outer:
  %at = phi i64 [ 3, %start ], [ %next, %again ]
  %first = load volatile i64, ptr addrspace(1) %p
  switch i64 %first, label %enter [ i64 0, label %done  i64 1, label %again ]

enter:
  br label %inner

inner:
  %turn = phi i64 [ %at, %enter ], [ %less, %inner ]
  %less = add i64 %turn, -1
  store volatile i64 %turn, ptr addrspace(1) %p
  %end = icmp eq i64 %less, 0
  br i1 %end, label %again, label %inner

again:
  %next = phi i64 [ %at, %outer ], [ %first, %inner ]
  br label %outer

done:
  ret void
}

define spir_kernel void @direct(ptr addrspace(1) %p) {
start:
  br label %outer

outer:
  %at = phi i64 [ 3, %start ], [ %at, %outer ], [ %first, %inner ]
  %first = load volatile i64, ptr addrspace(1) %p
  switch i64 %first, label %inner [ i64 0, label %done  i64 1, label %outer ]

inner:
  %turn = phi i64 [ %at, %outer ], [ %less, %inner ]
  %less = add i64 %turn, -1
  store volatile i64 %turn, ptr addrspace(1) %p
  %end = icmp eq i64 %less, 0
  br i1 %end, label %outer, label %inner

done:
  ret void
}
;;; stdout
; valid
;;; stderr[without]
; error: internal error: cannot make the image for spirv64: the SPIR-V of kernel `k` is not valid: Block '3[%outer_loopexit]' appears in the binary before its dominator '8[%inner]'
;   = note: it goes on:
;             %inner = OpLabel
