; LLVM derives the types of pointers from their uses. A phi of pointers in a loop takes a value of another type here, which the
; validator refuses: `join_pointers_to_bytes`, which runs before this stage, is for that. LLVM 23 makes a valid module of it.
; FAIL=70@22: offloadc -w %s --from=optimize --offload-arch=spirv64 --without-workaround=join_pointers_to_bytes \
;   --emit=image=k.spv 2>/dev/null
; RUN@23[of-23]: offloadc -w %s --from=optimize --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64v1.2-unknown-unknown"

define spir_kernel void @k(i1 %c) {
start:
  br label %node

node:
  %at = phi ptr addrspace(4) [ %next, %again ], [ null, %start ]
  br i1 %c, label %found, label %up

up:
  %parent = load i64, ptr addrspace(4) %at, align 8
  br i1 %c, label %found, label %again

found:
  %leaf = phi ptr addrspace(4) [ inttoptr (i64 1 to ptr addrspace(4)), %up ], [ %at, %node ]
  br label %again

again:
  %next = phi ptr addrspace(4) [ %leaf, %found ], [ null, %up ]
  %same = icmp eq ptr addrspace(4) null, null
  br label %node
}
