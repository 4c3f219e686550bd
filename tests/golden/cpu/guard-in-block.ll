; The bound of a guard may be in the block's bytes. It is loaded before the loop, without metadata about its value.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu | grep -A 14 'define internal i64 @guarded.thread.range'
; RUN[loop]: offloadc %s -O3 --emit=optimize=- --offload-arch=cpu | grep -c 'store <4 x i32>'

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel_block(ptr, i64, i64)
declare i32 @__offload_thread_id_x()

define void @guarded(ptr %block) {
  %x = call i32 @__offload_thread_id_x()
  %at = getelementptr i8, ptr %block, i64 8
  %n = load i32, ptr %at, !noundef !0
  %in = icmp ult i32 %x, %n
  br i1 %in, label %write, label %leave

write:
  %out = load ptr, ptr %block, !nonnull !0, !noundef !0
  %wide = zext i32 %x to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %x, ptr %to
  br label %leave

leave:
  ret void
}

define void @main() {
  %h = call ptr @__offload_kernel_block(ptr @guarded, i64 16, i64 8)
  ret void
}

!0 = !{}
;;; stdout
; define internal i64 @guarded.thread.range(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4) #1 {
; entry:
;   %5 = getelementptr inbounds i8, ptr %1, i64 12
;   %6 = load i32, ptr %5, align 4, !invariant.load !0
;   %last = sub i32 %6, 1
;   %7 = getelementptr i8, ptr %0, i64 8
;   %8 = load i32, ptr %7, align 4, !invariant.load !0, !noundef !0
;   %9 = load ptr, ptr %0, align 8, !invariant.load !0, !noundef !0
;   %10 = zext i32 %last to i64
;   %11 = icmp ne i32 %last, 0
;   %12 = icmp ult i32 %last, %8
;   %13 = and i1 %11, %12
;   br i1 %13, label %whole, label %part
;
; common.ret:                                       ; preds = %part, %whole
;;; stdout[loop]
; 4
