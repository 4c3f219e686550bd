; A fill of an unknown size is a loop. A copy that must not be a call is an ordinary one, which is an instruction; it
; stays volatile.
; RUN@22: offloadc %s --run-pass=expand_memory_calls --offload-arch=spirv64 | grep -v "^target"
; RUN@23[of-23]: offloadc %s --run-pass=expand_memory_calls --offload-arch=spirv64
; CHECK@23[of-23]: icmp ne i64 %n, 0
; CHECK@23[of-23]: = phi i64 [ 0, %0 ]
; CHECK@23[of-23]: store i8 0, ptr addrspace(1)
; CHECK@23[of-23]: icmp ult i64 {{.*}}, %n
; CHECK-NOT@23[of-23]: call void
; CHECK@23[of-23]: define void @g
; CHECK@23[of-23]: @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %p, ptr align 8 %q, i64 12, i1 true)
; CHECK@23[of-23]: @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %p, ptr %q, i64 %n, i1 false)
; CHECK-NOT@23[of-23]: i64 0, i1 true

define void @f(ptr addrspace(1) %p, i64 %n) {
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %n, i1 false)
  ret void
}

define void @g(ptr addrspace(1) %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.inline.p1.p0.i64(ptr addrspace(1) align 4 %p, ptr align 8 %q, i64 12, i1 true)
  call void @llvm.memcpy.inline.p1.p0.i64(ptr addrspace(1) %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memcpy.inline.p1.p0.i64(ptr addrspace(1) %p, ptr %q, i64 0, i1 true)
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
; define void @g(ptr addrspace(1) %p, ptr %q, i64 %n) {
;   call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %p, ptr align 8 %q, i64 12, i1 true)
;   call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %p, ptr %q, i64 %n, i1 false)
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.memcpy.inline.p1.p0.i64(ptr addrspace(1) noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #0
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
; declare void @llvm.memset.p1.i64(ptr addrspace(1) writeonly captures(none), i8, i64, i1 immarg) #1
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #0
;
; attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
; attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: write) }
