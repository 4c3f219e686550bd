; The block before a loop with a barrier gets a mark. Loops without one, and blocks that branch, are left alone.
; RUN: offloadc %s --run-pass=keep_loop_entries --offload-arch=gfx90a | grep -v "^target"

declare void @llvm.amdgcn.s.barrier() convergent

define void @loops(ptr %p, i32 %n, i1 %c) {
start:
  store i32 0, ptr %p
  br label %head
head:
  %i = phi i32 [ 0, %start ], [ %next, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %middle
body:
  call void @llvm.amdgcn.s.barrier() convergent
  %next = add i32 %i, 1
  store i32 0, ptr %p
  br label %head
middle:
  br label %alone
alone:
  %k = phi i32 [ 0, %middle ], [ %after, %alone ]
  store volatile i32 %k, ptr %p
  %after = add i32 %k, 1
  %goes = icmp ult i32 %after, %n
  br i1 %goes, label %alone, label %last
last:
  br i1 %c, label %together, label %end
together:
  call void @llvm.amdgcn.s.barrier() convergent
  %again = load volatile i1, ptr %p
  br i1 %again, label %together, label %end
end:
  ret void
}
;;; stdout
;
; ; Function Attrs: convergent nocallback nofree nounwind willreturn
; declare void @llvm.amdgcn.s.barrier() #0
;
; define void @loops(ptr %p, i32 %n, i1 %c) {
; start:
;   store i32 0, ptr %p, align 4
;   call void @llvm.sideeffect()
;   br label %head
;
; head:                                             ; preds = %body, %start
;   %i = phi i32 [ 0, %start ], [ %next, %body ]
;   %more = icmp ult i32 %i, %n
;   br i1 %more, label %body, label %middle
;
; body:                                             ; preds = %head
;   call void @llvm.amdgcn.s.barrier() #2
;   %next = add i32 %i, 1
;   store i32 0, ptr %p, align 4
;   br label %head
;
; middle:                                           ; preds = %head
;   br label %alone
;
; alone:                                            ; preds = %alone, %middle
;   %k = phi i32 [ 0, %middle ], [ %after, %alone ]
;   store volatile i32 %k, ptr %p, align 4
;   %after = add i32 %k, 1
;   %goes = icmp ult i32 %after, %n
;   br i1 %goes, label %alone, label %last
;
; last:                                             ; preds = %alone
;   br i1 %c, label %together, label %end
;
; together:                                         ; preds = %together, %last
;   call void @llvm.amdgcn.s.barrier() #2
;   %again = load volatile i1, ptr %p, align 1
;   br i1 %again, label %together, label %end
;
; end:                                              ; preds = %together, %last
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)
; declare void @llvm.sideeffect() #1
;
; attributes #0 = { convergent nocallback nofree nounwind willreturn }
; attributes #1 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
; attributes #2 = { convergent }
