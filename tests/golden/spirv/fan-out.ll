; Functions that return structs are no functions of SPIR-V, and are inlined; but if each calls the next one twice, the
; code would grow too large. They pass structs in memory, and launch-sized shared memory as a parameter.
; RUN[image]: (sed 's/@f1(i64 %i/@f40(i64 %i/' %s; for i in $(seq 2 40); do \
;   sed -n '/^define internal/,/^}/p' %s | sed "s/@f1(/@f$i(/; s/@f0(/@f$((i - 1))(/"; done) | \
;   offloadc -w - --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv
; RUN[flavor]: (sed 's/@f1(i64 %i/@f40(i64 %i/' %s; for i in $(seq 2 40); do \
;   sed -n '/^define internal/,/^}/p' %s | sed "s/@f1(/@f$i(/; s/@f0(/@f$((i - 1))(/"; done) | \
;   offloadc -w - --offload-arch=spirv64 --emit=flavor=- | sed -n '/^define.* @f20(/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_dynamic_shared()

define { i64, i64 } @f0(i64 %a, { i64, i64 } %pair) noinline {
  %shared = call ptr @__offload_dynamic_shared()
  %b = load i64, ptr %shared
  %c = extractvalue { i64, i64 } %pair, 0
  %d = add i64 %b, %c
  %r = insertvalue { i64, i64 } %pair, i64 %d, 1
  %trap = icmp eq i64 %d, 7
  br i1 %trap, label %end, label %rest
end:
  call void @llvm.trap()
  unreachable
rest:
  ret { i64, i64 } %r
}

define internal { i64, i64 } @f1(i64 %a, { i64, i64 } %pair) noinline {
  %p = call { i64, i64 } @f0(i64 %a, { i64, i64 } %pair)
  %x = extractvalue { i64, i64 } %p, 1
  %y = mul i64 %x, %a
  %q = call { i64, i64 } @f0(i64 %y, { i64, i64 } %p)
  ret { i64, i64 } %q
}

define void @k(ptr %out, i64 %i) {
  %p = call { i64, i64 } @f1(i64 %i, { i64, i64 } { i64 1, i64 2 })
  store { i64, i64 } %p, ptr %out
  ret void
}

@.kernels = internal constant ptr @k, section ".offload.kernels"
;;; stdout[flavor]
; define internal spir_func void @f20(i64 %a, ptr %pair, ptr %0, ptr %1, ptr addrspace(1) %2, ptr addrspace(4) %3) #3 {
;   %5 = addrspacecast ptr addrspace(1) %2 to ptr addrspace(4)
;   %6 = addrspacecast ptr %1 to ptr addrspace(4)
;   %7 = addrspacecast ptr %0 to ptr addrspace(4)
;   %8 = addrspacecast ptr %pair to ptr addrspace(4)
;   %9 = load { i64, i64 }, ptr addrspace(4) %8, align 8
;   %passed1 = alloca { i64, i64 }, align 8
;   %10 = addrspacecast ptr %passed1 to ptr addrspace(4)
;   %passed = alloca { i64, i64 }, align 8
;   %11 = addrspacecast ptr %passed to ptr addrspace(4)
;   store { i64, i64 } %9, ptr addrspace(4) %11, align 8
;   %12 = addrspacecast ptr addrspace(4) %11 to ptr
;   %13 = addrspacecast ptr addrspace(4) %10 to ptr
;   %14 = addrspacecast ptr addrspace(4) %6 to ptr
;   %15 = addrspacecast ptr addrspace(4) %5 to ptr addrspace(1)
;   call spir_func void @f19(i64 %a, ptr %12, ptr %13, ptr %14, ptr addrspace(1) %15, ptr addrspace(4) %3)
;   %16 = load i32, ptr addrspace(4) %6, align 4
;   %17 = icmp eq i32 %16, 0
;   br i1 %17, label %18, label %left
;
; 18:                                               ; preds = %4
;   %19 = load { i64, i64 }, ptr addrspace(4) %10, align 8
;   %x = extractvalue { i64, i64 } %19, 1
;   %y = mul i64 %x, %a
;   store { i64, i64 } %19, ptr addrspace(4) %11, align 8
;   %20 = addrspacecast ptr addrspace(4) %11 to ptr
;   %21 = addrspacecast ptr addrspace(4) %10 to ptr
;   %22 = addrspacecast ptr addrspace(4) %6 to ptr
;   %23 = addrspacecast ptr addrspace(4) %5 to ptr addrspace(1)
;   call spir_func void @f19(i64 %y, ptr %20, ptr %21, ptr %22, ptr addrspace(1) %23, ptr addrspace(4) %3)
;   %24 = load i32, ptr addrspace(4) %6, align 4
;   %25 = icmp eq i32 %24, 0
;   br i1 %25, label %26, label %left1
;
; 26:                                               ; preds = %18
;   %27 = load { i64, i64 }, ptr addrspace(4) %10, align 8
;   store { i64, i64 } %27, ptr addrspace(4) %7, align 8
;   ret void
;
; left:                                             ; preds = %4
;   call spir_func void @__offload_leave()
;   unreachable
;
; left1:                                            ; preds = %18
;   call spir_func void @__offload_leave()
;   unreachable
; }
