; A function that is called with pointers into several address spaces gets a copy for each of them, one for all calls
; that agree in all parameters, and the callers call their own. The function itself stays for pointers into any space. A
; parameter without an access through it makes no copies.
; RUN[nvptx]: offloadc %s --offload-arch=sm_80 -O0 --emit=flavor=- | grep -E 'define|call .*@(add|same)|(load|store) i32'
; RUN[amdgpu]: offloadc %s --offload-arch=gfx90a -O0 --emit=flavor=- | grep -E 'define|call .*@(add|same)|(load|store) i32'

target triple = "x86_64-unknown-linux-gnu"

@shared = internal global [64 x i32] zeroinitializer, section ".offload.shared"

define internal void @add(ptr %to, ptr %from, ptr %end) noinline {
  %last = icmp eq ptr %from, %end
  %a = load i32, ptr %from
  %b = load i32, ptr %to
  %more = select i1 %last, i32 0, i32 %a
  %sum = add i32 %more, %b
  store i32 %sum, ptr %to
  ret void
}

define internal i1 @same(ptr %a, ptr %b) noinline {
  %same = icmp eq ptr %a, %b
  ret i1 %same
}

define ptx_kernel void @k(ptr %global, ptr %table) {
  %own = alloca i32
  store i32 1, ptr %own
  %any = load ptr, ptr %table
  call void @add(ptr %global, ptr @shared, ptr @shared)
  call void @add(ptr @shared, ptr %global, ptr %global)
  call void @add(ptr @shared, ptr %own, ptr %own)
  call void @add(ptr %global, ptr @shared, ptr %global)
  call void @add(ptr %any, ptr %global, ptr %any)
  call void @add(ptr %any, ptr %any, ptr %any)
  %s = call i1 @same(ptr %global, ptr @shared)
  %t = call i1 @same(ptr @shared, ptr %own)
  %u = select i1 %s, i32 1, i32 2
  %v = select i1 %t, i32 %u, i32 3
  store i32 %v, ptr %global
  ret void
}
;;; stdout[nvptx]
; define internal void @add(ptr %to, ptr %from, ptr %end) unnamed_addr #0 {
;   %a = load i32, ptr %from, align 4
;   %b = load i32, ptr %to, align 4
;   store i32 %sum, ptr %to, align 4
; define internal i1 @same(ptr %a, ptr %b) unnamed_addr #0 {
; define ptx_kernel void @k(ptr addrspace(1) %global, ptr addrspace(1) %table) #1 {
;   store i32 1, ptr %own, align 4
;   call void @add4(ptr addrspace(1) %3, ptr addrspace(3) @shared, ptr addrspacecast (ptr addrspace(3) @shared to ptr))
;   call void @add8(ptr addrspace(3) @shared, ptr addrspace(1) %4, ptr addrspace(1) %5)
;   call void @add6(ptr addrspace(3) @shared, ptr addrspace(5) %6, ptr addrspace(5) %7)
;   call void @add4(ptr addrspace(1) %8, ptr addrspace(3) @shared, ptr %1)
;   call void @add2(ptr %any, ptr addrspace(1) %9, ptr %any)
;   call void @add(ptr %any, ptr %any, ptr %any)
;   %s = call i1 @same(ptr %1, ptr addrspacecast (ptr addrspace(3) @shared to ptr))
;   %t = call i1 @same(ptr addrspacecast (ptr addrspace(3) @shared to ptr), ptr %own)
;   store i32 %v, ptr %1, align 4
; define internal void @add2(ptr %to, ptr addrspace(1) %from, ptr %end) unnamed_addr #0 {
;   %a = load i32, ptr %1, align 4
;   %b = load i32, ptr %to, align 4
;   store i32 %sum, ptr %to, align 4
; define internal void @add4(ptr addrspace(1) %to, ptr addrspace(3) %from, ptr %end) unnamed_addr #0 {
;   %a = load i32, ptr %1, align 4
;   %b = load i32, ptr %2, align 4
;   store i32 %sum, ptr %2, align 4
; define internal void @add6(ptr addrspace(3) %to, ptr addrspace(5) %from, ptr addrspace(5) %end) unnamed_addr #0 {
;   %a = load i32, ptr %2, align 4
;   %b = load i32, ptr %3, align 4
;   store i32 %sum, ptr %3, align 4
; define internal void @add8(ptr addrspace(3) %to, ptr addrspace(1) %from, ptr addrspace(1) %end) unnamed_addr #0 {
;   %a = load i32, ptr %2, align 4
;   %b = load i32, ptr %3, align 4
;   store i32 %sum, ptr %3, align 4
;;; stdout[amdgpu]
; define internal void @add(ptr %to, ptr %from, ptr %end) unnamed_addr #0 {
;   %a = load i32, ptr %from, align 4
;   %b = load i32, ptr %to, align 4
;   store i32 %sum, ptr %to, align 4
; define internal i1 @same(ptr %a, ptr %b) unnamed_addr #0 {
; define protected amdgpu_kernel void @k(ptr addrspace(1) %global, ptr addrspace(1) %table) #1 {
;   store i32 1, ptr %3, align 4
;   call void @add.4(ptr addrspace(1) %4, ptr addrspace(3) @shared, ptr addrspacecast (ptr addrspace(3) @shared to ptr))
;   call void @add.8(ptr addrspace(3) @shared, ptr addrspace(1) %5, ptr addrspace(1) %6)
;   call void @add.6(ptr addrspace(3) @shared, ptr addrspace(5) %7, ptr addrspace(5) %8)
;   call void @add.4(ptr addrspace(1) %9, ptr addrspace(3) @shared, ptr %1)
;   call void @add.2(ptr %any, ptr addrspace(1) %10, ptr %any)
;   call void @add(ptr %any, ptr %any, ptr %any)
;   %s = call i1 @same(ptr %1, ptr addrspacecast (ptr addrspace(3) @shared to ptr))
;   %t = call i1 @same(ptr addrspacecast (ptr addrspace(3) @shared to ptr), ptr %3)
;   store i32 %v, ptr %1, align 4
; define internal void @add.2(ptr %to, ptr addrspace(1) %from, ptr %end) unnamed_addr #0 {
;   %a = load i32, ptr %1, align 4
;   %b = load i32, ptr %to, align 4
;   store i32 %sum, ptr %to, align 4
; define internal void @add.4(ptr addrspace(1) %to, ptr addrspace(3) %from, ptr %end) unnamed_addr #0 {
;   %a = load i32, ptr %1, align 4
;   %b = load i32, ptr %2, align 4
;   store i32 %sum, ptr %2, align 4
; define internal void @add.6(ptr addrspace(3) %to, ptr addrspace(5) %from, ptr addrspace(5) %end) unnamed_addr #0 {
;   %a = load i32, ptr %2, align 4
;   %b = load i32, ptr %3, align 4
;   store i32 %sum, ptr %3, align 4
; define internal void @add.8(ptr addrspace(3) %to, ptr addrspace(1) %from, ptr addrspace(1) %end) unnamed_addr #0 {
;   %a = load i32, ptr %2, align 4
;   %b = load i32, ptr %3, align 4
;   store i32 %sum, ptr %3, align 4
