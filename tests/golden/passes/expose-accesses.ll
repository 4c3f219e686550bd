; Locals become registers and calls are inlined, and each access to other memory remains, even if it is not needed.
; Functions of Rust's libraries and of the crate `offload` are inlined at any cost, but no function of a user: neither
; one that implements a trait of the crate, nor one of a crate whose name begins alike. A local of more than 16 bytes,
; and a struct, have no contents before the first write.
; RUN: offloadc %s --run-pass=expose_accesses --sanitize --offload-arch=cpu --kernel=k | grep -v "^target"

define internal i32 @twice(ptr %p) {
  %a = load i32, ptr %p
  %b = load i32, ptr %p
  %sum = add i32 %a, %b
  ret i32 %sum
}

define internal i64 @nothing() {
  ret i64 undef
}

define void @k(ptr %p) {
  %local = alloca i32
  %nothing = call i64 @nothing()
  store i64 %nothing, ptr %p
  %sum = call i32 @twice(ptr %p)
  store i32 %sum, ptr %local
  %again = load i32, ptr %local
  store i32 0, ptr %p
  store i32 %again, ptr %p
  ret void
}

define void @_ZN4user5calls17h0123456789abcdefE(ptr %p) {
  call void @_ZN4core3ptr5large17h0123456789abcdefE(ptr %p)
  call void @_ZN7offload6thread5large17h0123456789abcdefE(ptr %p)
  call void @"_ZN46_$LT$T$u20$as$u20$offload..Kernel$LT$A$GT$$GT$3run17h0123456789abcdefE"(ptr %p)
  call void @"_ZN47_$LT$user..Mine$u20$as$u20$offload..Element$GT$3get17h0123456789abcdefE"(ptr %p)
  call void @_ZN8offloads6thread5large17h0123456789abcdefE(ptr %p)
  call void @_ZN4user4core5large17h0123456789abcdefE(ptr %p)
  call void @_ZN4core3ptr6itself17h0123456789abcdefE(ptr %p)
  ret void
}

define internal void @_ZN4core3ptr5large17h0123456789abcdefE(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}

define internal void @_ZN7offload6thread5large17h0123456789abcdefE(ptr %p) noinline {
  store i32 2, ptr %p
  ret void
}

define internal void @"_ZN46_$LT$T$u20$as$u20$offload..Kernel$LT$A$GT$$GT$3run17h0123456789abcdefE"(ptr %p) noinline {
  store i32 3, ptr %p
  ret void
}

define internal void @"_ZN47_$LT$user..Mine$u20$as$u20$offload..Element$GT$3get17h0123456789abcdefE"(ptr %p) noinline {
  store i32 4, ptr %p
  ret void
}

define internal void @_ZN8offloads6thread5large17h0123456789abcdefE(ptr %p) noinline {
  store i32 5, ptr %p
  ret void
}

define internal void @_ZN4user4core5large17h0123456789abcdefE(ptr %p) noinline {
  store i32 6, ptr %p
  ret void
}

define internal void @_ZN4core3ptr6itself17h0123456789abcdefE(ptr %p) noinline {
  store i32 7, ptr %p
  call void @_ZN4core3ptr6itself17h0123456789abcdefE(ptr %p)
  ret void
}

define { i64, i64 } @kept(ptr %p, i32 %n) {
  %large = alloca [17 x i8]
  %many = alloca i32, i32 %n
  store ptr %large, ptr %p
  store ptr %many, ptr %p
  store <5 x i32> undef, ptr %p
  ret { i64, i64 } undef
}
;;; stdout
;
; @offload.check.unwritten = external global i128
;
; define void @k(ptr %p) {
;   %1 = load i32, ptr @offload.check.unwritten, align 1
;   %2 = load i64, ptr @offload.check.unwritten, align 1
;   store i64 %2, ptr %p, align 4
;   %a.i = load i32, ptr %p, align 4
;   %b.i = load i32, ptr %p, align 4
;   %sum.i = add i32 %a.i, %b.i
;   store i32 0, ptr %p, align 4
;   store i32 %sum.i, ptr %p, align 4
;   ret void
; }
;
; define void @_ZN4user5calls17h0123456789abcdefE(ptr %p) {
;   store i32 1, ptr %p, align 4
;   store i32 2, ptr %p, align 4
;   store i32 3, ptr %p, align 4
;   call void @"_ZN47_$LT$user..Mine$u20$as$u20$offload..Element$GT$3get17h0123456789abcdefE"(ptr %p)
;   call void @_ZN8offloads6thread5large17h0123456789abcdefE(ptr %p)
;   call void @_ZN4user4core5large17h0123456789abcdefE(ptr %p)
;   call void @_ZN4core3ptr6itself17h0123456789abcdefE(ptr %p)
;   ret void
; }
;
; ; Function Attrs: noinline
; define internal void @"_ZN47_$LT$user..Mine$u20$as$u20$offload..Element$GT$3get17h0123456789abcdefE"(ptr %p) #0 {
;   store i32 4, ptr %p, align 4
;   ret void
; }
;
; ; Function Attrs: noinline
; define internal void @_ZN8offloads6thread5large17h0123456789abcdefE(ptr %p) #0 {
;   store i32 5, ptr %p, align 4
;   ret void
; }
;
; ; Function Attrs: noinline
; define internal void @_ZN4user4core5large17h0123456789abcdefE(ptr %p) #0 {
;   store i32 6, ptr %p, align 4
;   ret void
; }
;
; ; Function Attrs: noinline
; define internal void @_ZN4core3ptr6itself17h0123456789abcdefE(ptr %p) #0 {
;   store i32 7, ptr %p, align 4
;   call void @_ZN4core3ptr6itself17h0123456789abcdefE(ptr %p)
;   ret void
; }
;
; define { i64, i64 } @kept(ptr %p, i32 %n) {
;   %large = alloca [17 x i8], align 1
;   %many = alloca i32, i32 %n, align 4
;   store ptr %large, ptr %p, align 8
;   store ptr %many, ptr %p, align 8
;   store <5 x i32> undef, ptr %p, align 32
;   ret { i64, i64 } undef
; }
;
; attributes #0 = { noinline }
