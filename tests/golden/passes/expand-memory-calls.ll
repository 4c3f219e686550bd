; A fill of an unknown size is a loop.
; RUN@22: offloadc %s --run-pass=expand_memory_calls --offload-arch=spirv64 | grep -v "^target"
; RUN@23[of-23]: offloadc %s --run-pass=expand_memory_calls --offload-arch=spirv64
; CHECK@23[of-23]: icmp ne i64 %n, 0
; CHECK@23[of-23]: = phi i64 [ 0, %0 ]
; CHECK@23[of-23]: store i8 0, ptr addrspace(1)
; CHECK@23[of-23]: icmp ult i64 {{.*}}, %n
; CHECK-NOT@23[of-23]: call void

define void @f(ptr addrspace(1) %p, i64 %n) {
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %n, i1 false)
  ret void
}
;;; stdout
;
; define void @f(ptr addrspace(1) %p, i64 %n) {
;   %1 = icmp eq i64 0, %n
;   br i1 %1, label %split, label %loadstoreloop
;
; loadstoreloop:                                    ; preds = %loadstoreloop, %0
;   %2 = phi i64 [ 0, %0 ], [ %4, %loadstoreloop ]
;   %3 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %2
;   store i8 0, ptr addrspace(1) %3, align 1
;   %4 = add i64 %2, 1
;   %5 = icmp ult i64 %4, %n
;   br i1 %5, label %loadstoreloop, label %split
;
; split:                                            ; preds = %loadstoreloop, %0
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
; declare void @llvm.memset.p1.i64(ptr addrspace(1) writeonly captures(none), i8, i64, i1 immarg) #0
;
; attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: write) }
