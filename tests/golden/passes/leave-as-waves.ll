; A panic ends the whole wave, so a wave branches to it as a whole, and for LLVM the code of the panic seems to return.
; A check of a value that all lanes share needs no ballot. A panic in which lanes wait for each other stays an exit, and
; so does one that leads to the other side of its branch.
; RUN: offloadc %s --run-pass=leave_as_waves --offload-arch=gfx90a | grep -v "^target"

declare void @llvm.amdgcn.endpgm()
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @wait() convergent

define void @k(ptr addrspace(1) %state, i32 %n, ptr addrspace(1) %out) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %lane.holds = icmp ult i32 %t, %n
  br i1 %lane.holds, label %first, label %panic
first:
  %wave.fails = icmp ugt i32 %b, %n
  br i1 %wave.fails, label %panic, label %second
second:
  %waits = icmp eq i32 %t, 7
  br i1 %waits, label %together, label %done
done:
  %result = phi i32 [ 1, %second ]
  store i32 %result, ptr addrspace(1) %out
  ret void
panic:
  %place = phi i32 [ 1, %0 ], [ 2, %first ]
  %claimed = atomicrmw xchg ptr addrspace(1) %state, i32 1 monotonic
  %is.first = icmp eq i32 %claimed, 0
  br i1 %is.first, label %record, label %end
record:
  store i32 %place, ptr addrspace(1) %out
  br label %end
end:
  call void @llvm.amdgcn.endpgm()
  unreachable
together:
  call void @wait()
  call void @llvm.amdgcn.endpgm()
  unreachable
}

define void @both(ptr addrspace(1) %state, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  call void @wait()
  %holds = icmp ult i32 %t, %n
  br i1 %holds, label %second, label %first
first:
  store i32 1, ptr addrspace(1) %state
  br label %second
second:
  %place = phi i32 [ 1, %first ], [ 2, %0 ]
  store i32 %place, ptr addrspace(1) %state
  call void @llvm.amdgcn.endpgm()
  unreachable
}
;;; stdout
;
; ; Function Attrs: cold convergent nocallback nofree noreturn nounwind
; declare void @llvm.amdgcn.endpgm() #0
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1
;
; ; Function Attrs: convergent
; declare void @wait() #2
;
; define void @k(ptr addrspace(1) %state, i32 %n, ptr addrspace(1) %out) {
;   %t = call i32 @llvm.amdgcn.workitem.id.x()
;   %b = call i32 @llvm.amdgcn.workgroup.id.x()
;   %lane.holds = icmp ult i32 %t, %n
;   %1 = icmp eq i1 %lane.holds, false
;   %2 = call i64 @llvm.amdgcn.ballot.i64(i1 %1)
;   %3 = icmp eq i64 %2, 0
;   br i1 %3, label %holds, label %failed
;
; holds:                                            ; preds = %0, %leave
;   br label %first
;
; first:                                            ; preds = %holds
;   %wave.fails = icmp ugt i32 %b, %n
;   br i1 %wave.fails, label %panic7, label %holds13
;
; holds13:                                          ; preds = %first, %leave12
;   br label %second
;
; second:                                           ; preds = %holds13
;   %waits = icmp eq i32 %t, 7
;   br i1 %waits, label %together, label %done
;
; done:                                             ; preds = %second
;   %result = phi i32 [ 1, %second ]
;   store i32 %result, ptr addrspace(1) %out, align 4
;   ret void
;
; together:                                         ; preds = %second
;   call void @wait()
;   call void @llvm.amdgcn.endpgm()
;   unreachable
;
; panic1:                                           ; preds = %failed
;   %4 = phi i32 [ 1, %failed ]
;   %claimed3 = atomicrmw xchg ptr addrspace(1) %state, i32 1 monotonic, align 4
;   %is.first4 = icmp eq i32 %claimed3, 0
;   br i1 %is.first4, label %record5, label %end6
;
; record5:                                          ; preds = %panic1
;   store i32 %4, ptr addrspace(1) %out, align 4
;   br label %end6
;
; end6:                                             ; preds = %record5, %panic1
;   br label %leave
;
; leave:                                            ; preds = %failed, %end6
;   call void @llvm.amdgcn.endpgm()
;   br label %holds
;
; failed:                                           ; preds = %0
;   br i1 %1, label %panic1, label %leave
;
; panic7:                                           ; preds = %first
;   %claimed8 = atomicrmw xchg ptr addrspace(1) %state, i32 1 monotonic, align 4
;   %is.first9 = icmp eq i32 %claimed8, 0
;   br i1 %is.first9, label %record10, label %end11
;
; record10:                                         ; preds = %panic7
;   store i32 2, ptr addrspace(1) %out, align 4
;   br label %end11
;
; end11:                                            ; preds = %record10, %panic7
;   br label %leave12
;
; leave12:                                          ; preds = %end11
;   call void @llvm.amdgcn.endpgm()
;   br label %holds13
; }
;
; define void @both(ptr addrspace(1) %state, i32 %n) {
;   %t = call i32 @llvm.amdgcn.workitem.id.x()
;   call void @wait()
;   %holds = icmp ult i32 %t, %n
;   br i1 %holds, label %second, label %first
;
; first:                                            ; preds = %0
;   store i32 1, ptr addrspace(1) %state, align 4
;   br label %second
;
; second:                                           ; preds = %first, %0
;   %place = phi i32 [ 1, %first ], [ 2, %0 ]
;   store i32 %place, ptr addrspace(1) %state, align 4
;   call void @llvm.amdgcn.endpgm()
;   unreachable
; }
;
; ; Function Attrs: convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none)
; declare i64 @llvm.amdgcn.ballot.i64(i1) #3
;
; attributes #0 = { cold convergent nocallback nofree noreturn nounwind }
; attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #2 = { convergent }
; attributes #3 = { convergent nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
