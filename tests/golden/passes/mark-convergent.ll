; A function that reaches a barrier is convergent and to be inlined; others are neither. Any call through a pointer may
; call a function whose address is taken, and an intrinsic that threads execute together. A function that reaches a
; kernel's option, or passes on a number of copies that is no constant there, is inlined, too; kernels are not.
; RUN: offloadc %s --run-pass=mark_convergent | grep -v "^target"

declare void @__offload_sync_threads()

define internal void @waits() {
  call void @__offload_sync_threads()
  ret void
}

define void @f() {
  call void @waits()
  ret void
}

define void @alone() {
  ret void
}

@table = internal constant ptr @listed

define internal void @listed() {
  call void @__offload_sync_threads()
  ret void
}

define void @pointers(ptr %f) {
  call void %f()
  ret void
}

declare i32 @"__offload_intrinsic.llvm.mine"(i32) convergent

define i32 @by.name(i32 %n) {
  %r = call i32 @"__offload_intrinsic.llvm.mine"(i32 %n)
  ret i32 %r
}

declare void @__offload_max_registers(i32)
declare void @__offload_specialize_block_dim()
declare void @__offload_unroll(i32)

define internal void @limits(i32 %n) noinline {
  call void @__offload_max_registers(i32 %n)
  call void @__offload_specialize_block_dim()
  ret void
}

define void @limited() {
  call void @limits(i32 40) noinline
  ret void
}

define internal void @passes_on(i32 %n) {
  call void @__offload_unroll(i32 %n)
  ret void
}

define internal void @knows(i32 %n) {
  call void @passes_on(i32 4)
  ret void
}

define void @calls(i32 %n) {
  call void @knows(i32 %n)
  ret void
}
;;; stdout
;
; @table = internal constant ptr @listed
;
; ; Function Attrs: convergent
; declare void @__offload_sync_threads() #0
;
; ; Function Attrs: alwaysinline convergent
; define internal void @waits() #1 {
;   call void @__offload_sync_threads() #0
;   ret void
; }
;
; ; Function Attrs: alwaysinline convergent
; define void @f() #1 {
;   call void @waits() #0
;   ret void
; }
;
; define void @alone() {
;   ret void
; }
;
; ; Function Attrs: alwaysinline convergent
; define internal void @listed() #1 {
;   call void @__offload_sync_threads() #0
;   ret void
; }
;
; ; Function Attrs: alwaysinline convergent
; define void @pointers(ptr %f) #1 {
;   call void %f() #0
;   ret void
; }
;
; ; Function Attrs: convergent
; declare i32 @__offload_intrinsic.llvm.mine(i32) #0
;
; ; Function Attrs: alwaysinline convergent
; define i32 @by.name(i32 %n) #1 {
;   %r = call i32 @__offload_intrinsic.llvm.mine(i32 %n) #0
;   ret i32 %r
; }
;
; declare void @__offload_max_registers(i32)
;
; declare void @__offload_specialize_block_dim()
;
; declare void @__offload_unroll(i32)
;
; ; Function Attrs: alwaysinline
; define internal void @limits(i32 %n) #2 {
;   call void @__offload_max_registers(i32 %n)
;   call void @__offload_specialize_block_dim()
;   ret void
; }
;
; define void @limited() {
;   call void @limits(i32 40)
;   ret void
; }
;
; ; Function Attrs: alwaysinline
; define internal void @passes_on(i32 %n) #2 {
;   call void @__offload_unroll(i32 %n)
;   ret void
; }
;
; define internal void @knows(i32 %n) {
;   call void @passes_on(i32 4)
;   ret void
; }
;
; define void @calls(i32 %n) {
;   call void @knows(i32 %n)
;   ret void
; }
;
; attributes #0 = { convergent }
; attributes #1 = { alwaysinline convergent }
; attributes #2 = { alwaysinline }
