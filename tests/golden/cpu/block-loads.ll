; A load from an address that all threads of a block share is done once, before the loop over the threads: the first
; region has the value as a parameter, and a function loads it. Loads after a store, which may have changed the value,
; or after a branch, or from a place of the thread, stay where they are.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep -v '^;' | sed -n '/^define.*@results.thread.[1-4]\(.load.*\)\?(/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

@all = internal global [64 x float] undef, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @results(ptr %a, ptr %b, ptr %none) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %a, i64 %i
  %there = getelementptr [64 x float], ptr @all, i64 0, i64 %i
  store float 1.0, ptr %there
  call void @__offload_sync_threads()
  %sum = load float, ptr @all
  %value = load float, ptr %there
  %scaled = fmul float %value, %sum
  store float %scaled, ptr %own
  call void @__offload_sync_threads()
  store float 2.0, ptr %own
  %stored = load float, ptr %b
  store float %stored, ptr %own
  call void @__offload_sync_threads()
  %some = icmp ne ptr %none, null
  br i1 %some, label %read, label %met

read:
  %other = load float, ptr %none
  store float %other, ptr %own
  br label %met

met:
  call void @__offload_sync_threads()
  %last = load volatile float, ptr %b
  store float %last, ptr %own
  ret void
}
;;; stdout
; define internal i32 @results.thread.1(ptr writeonly %a, ptr %b, ptr readonly %none, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7, float %8) local_unnamed_addr #0 {
; prologue:
;   %9 = getelementptr inbounds i8, ptr %0, i64 40
;   %10 = load ptr, ptr %9, align 8, !invariant.load !0
;   %11 = zext i32 %1 to i64
;   %12 = getelementptr float, ptr %a, i64 %11
;   %13 = getelementptr float, ptr %10, i64 %11
;   %value = load float, ptr %13, align 4
;   %scaled = fmul float %8, %value
;   store float %scaled, ptr %12, align 4
;   ret i32 2
; }
; define internal i32 @results.thread.2(ptr writeonly %a, ptr %b, ptr readonly %none, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; prologue:
;   %8 = zext i32 %1 to i64
;   %9 = getelementptr float, ptr %a, i64 %8
;   store float 2.000000e+00, ptr %9, align 4
;   %stored = load float, ptr %b, align 4
;   store float %stored, ptr %9, align 4
;   ret i32 3
; }
; define internal i32 @results.thread.3(ptr writeonly %a, ptr %b, ptr readonly %none, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; prologue:
;   %8 = zext i32 %1 to i64
;   %9 = getelementptr float, ptr %a, i64 %8
;   %10 = icmp eq ptr %none, null
;   br i1 %10, label %met, label %read
;
; read:                                             ; preds = %prologue
;   %other = load float, ptr %none, align 4
;   store float %other, ptr %9, align 4
;   br label %met
;
; met:                                              ; preds = %read, %prologue
;   ret i32 4
; }
; define internal i32 @results.thread.4(ptr writeonly %a, ptr %b, ptr readonly %none, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; prologue:
;   %8 = zext i32 %1 to i64
;   %9 = getelementptr float, ptr %a, i64 %8
;   %last = load volatile float, ptr %b, align 4
;   store float %last, ptr %9, align 4
;   ret i32 0
; }
; define internal float @results.thread.1.load0(ptr writeonly %a, ptr %b, ptr readonly %none, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; prologue4:
;   %8 = getelementptr inbounds i8, ptr %0, i64 40
;   %9 = load ptr, ptr %8, align 8, !invariant.load !0
;   %sum = load float, ptr %9, align 4
;   ret float %sum
; }
