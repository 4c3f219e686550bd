; A formatting function whose address stands in a vtable traps if nothing formats, whatever calls through pointers
; select. If something formatted, and is now inlined, a function that a call through a pointer may select keeps its
; body. So does one that is called.
; RUN[unused]: offloadc %s --run-pass=end_formatting --kernel=unused | grep -v "^target"
; RUN[selected]: offloadc %s --run-pass=end_formatting --kernel=unused --kernel=selects | grep -v "^target"
; FAIL[inlined]: offloadc %s --emit=simplify=- --kernel=unused --kernel=inlines --offload-arch=sm_80 2>&1 | \
;   grep -A2 '^error'
; RUN[called]: offloadc %s --run-pass=end_formatting --kernel=unused --kernel=calls | grep -v "^target"

@vtable = internal constant { ptr, ptr, ptr } { ptr @area, ptr @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE", ptr @"_ZN47_$LT$f32$u20$as$u20$core..fmt..float..Debug$GT$3fmt17h0123456789abcdefE" }

declare i1 @missing(ptr, ptr)
declare i1 @"_ZN47_$LT$f32$u20$as$u20$core..fmt..float..Debug$GT$3fmt17h0123456789abcdefE"(ptr, ptr)

define internal float @area(ptr %self) {
  %v = load float, ptr %self
  ret float %v
}

define internal i1 @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"(ptr %self, ptr %f) {
  %r = call i1 @missing(ptr %self, ptr %f)
  ret i1 %r
}

define void @unused(ptr %out) {
  store ptr @vtable, ptr %out
  %f = load ptr, ptr %out
  %v = call float %f(ptr %out)
  ret void
}

define void @selects(ptr %out) {
  %f = load ptr, ptr %out
  %v = call i1 %f(ptr %out, ptr %out)
  ret void
}

define void @calls(ptr %out) {
  %v = call i1 @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"(ptr %out, ptr %out)
  ret void
}

define void @inlines(ptr %out) {
  call void @_ZN4core3fmt5write17h0123456789abcdefE(ptr %out)
  ret void
}

define internal void @_ZN4core3fmt5write17h0123456789abcdefE(ptr %out) alwaysinline {
  %f = load ptr, ptr %out
  %v = call i1 %f(ptr %out, ptr %out)
  ret void
}
;;; stdout[unused]
;
; @vtable = internal constant { ptr, ptr, ptr } { ptr @area, ptr @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE", ptr @"_ZN47_$LT$f32$u20$as$u20$core..fmt..float..Debug$GT$3fmt17h0123456789abcdefE" }
;
; define internal i1 @"_ZN47_$LT$f32$u20$as$u20$core..fmt..float..Debug$GT$3fmt17h0123456789abcdefE"(ptr %0, ptr %1) {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define internal float @area(ptr %self) {
;   %v = load float, ptr %self, align 4
;   ret float %v
; }
;
; define internal i1 @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"(ptr %self, ptr %f) {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define void @unused(ptr %out) {
;   store ptr @vtable, ptr %out, align 8
;   %f = load ptr, ptr %out, align 8
;   %v = call float %f(ptr %out)
;   ret void
; }
;
; define void @selects(ptr %out) {
;   %f = load ptr, ptr %out, align 8
;   %v = call i1 %f(ptr %out, ptr %out)
;   ret void
; }
;
; define void @calls(ptr %out) {
;   %v = call i1 @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"(ptr %out, ptr %out)
;   ret void
; }
;
; define void @inlines(ptr %out) {
;   call void @_ZN4core3fmt5write17h0123456789abcdefE(ptr %out)
;   ret void
; }
;
; ; Function Attrs: alwaysinline
; define internal void @_ZN4core3fmt5write17h0123456789abcdefE(ptr %out) #0 {
;   %f = load ptr, ptr %out, align 8
;   %v = call i1 %f(ptr %out, ptr %out)
;   ret void
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #1
;
; attributes #0 = { alwaysinline }
; attributes #1 = { cold noreturn nounwind memory(inaccessiblemem: write) }
;;; stdout[selected]
;
; @vtable = internal constant { ptr, ptr, ptr } { ptr @area, ptr @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE", ptr @"_ZN47_$LT$f32$u20$as$u20$core..fmt..float..Debug$GT$3fmt17h0123456789abcdefE" }
;
; define internal i1 @"_ZN47_$LT$f32$u20$as$u20$core..fmt..float..Debug$GT$3fmt17h0123456789abcdefE"(ptr %0, ptr %1) {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define internal float @area(ptr %self) {
;   %v = load float, ptr %self, align 4
;   ret float %v
; }
;
; define internal i1 @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"(ptr %self, ptr %f) {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define void @unused(ptr %out) {
;   store ptr @vtable, ptr %out, align 8
;   %f = load ptr, ptr %out, align 8
;   %v = call float %f(ptr %out)
;   ret void
; }
;
; define void @selects(ptr %out) {
;   %f = load ptr, ptr %out, align 8
;   %v = call i1 %f(ptr %out, ptr %out)
;   ret void
; }
;
; define void @calls(ptr %out) {
;   %v = call i1 @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"(ptr %out, ptr %out)
;   ret void
; }
;
; define void @inlines(ptr %out) {
;   call void @_ZN4core3fmt5write17h0123456789abcdefE(ptr %out)
;   ret void
; }
;
; ; Function Attrs: alwaysinline
; define internal void @_ZN4core3fmt5write17h0123456789abcdefE(ptr %out) #0 {
;   %f = load ptr, ptr %out, align 8
;   %v = call i1 %f(ptr %out, ptr %out)
;   ret void
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #1
;
; attributes #0 = { alwaysinline }
; attributes #1 = { cold noreturn nounwind memory(inaccessiblemem: write) }
;;; stdout[inlined]
; error[OFC0008]: kernel `unused` reaches `missing`, which has no device code
;   = note: called through `unused` → `<m::Sq as core::fmt::Debug>::fmt` → `missing`
;   = note: for sm_80
;;; stdout[called]
;
; @vtable = internal constant { ptr, ptr, ptr } { ptr @area, ptr @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE", ptr @"_ZN47_$LT$f32$u20$as$u20$core..fmt..float..Debug$GT$3fmt17h0123456789abcdefE" }
;
; declare i1 @missing(ptr, ptr)
;
; declare i1 @"_ZN47_$LT$f32$u20$as$u20$core..fmt..float..Debug$GT$3fmt17h0123456789abcdefE"(ptr, ptr)
;
; define internal float @area(ptr %self) {
;   %v = load float, ptr %self, align 4
;   ret float %v
; }
;
; define internal i1 @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"(ptr %self, ptr %f) {
;   %r = call i1 @missing(ptr %self, ptr %f)
;   ret i1 %r
; }
;
; define void @unused(ptr %out) {
;   store ptr @vtable, ptr %out, align 8
;   %f = load ptr, ptr %out, align 8
;   %v = call float %f(ptr %out)
;   ret void
; }
;
; define void @selects(ptr %out) {
;   %f = load ptr, ptr %out, align 8
;   %v = call i1 %f(ptr %out, ptr %out)
;   ret void
; }
;
; define void @calls(ptr %out) {
;   %v = call i1 @"_ZN42_$LT$m..Sq$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"(ptr %out, ptr %out)
;   ret void
; }
;
; define void @inlines(ptr %out) {
;   call void @_ZN4core3fmt5write17h0123456789abcdefE(ptr %out)
;   ret void
; }
;
; ; Function Attrs: alwaysinline
; define internal void @_ZN4core3fmt5write17h0123456789abcdefE(ptr %out) #0 {
;   %f = load ptr, ptr %out, align 8
;   %v = call i1 %f(ptr %out, ptr %out)
;   ret void
; }
;
; attributes #0 = { alwaysinline }
