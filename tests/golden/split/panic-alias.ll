; The bodies of panics stay on the host; an alias of one, as merged functions leave it, is a trap too.
; RUN: offloadc %s --offload-arch=cpu --device-panic=trap --emit=legalize=-
; CHECK: define internal void @_ZN4core9panicking13assert_failed17h0123456789abcdefE
; CHECK: call void @llvm.trap()
; CHECK: call void @_ZN4core9panicking13assert_failed17h0123456789abcdefE()
; CHECK-NOT: @format

target triple = "x86_64-unknown-linux-gnu"

@_ZN4core9panicking13assert_failed17hfedcba9876543210E = internal alias void (), ptr @_ZN4core9panicking13assert_failed17h0123456789abcdefE

define internal void @format() {
  ret void
}

define internal void @_ZN4core9panicking13assert_failed17h0123456789abcdefE() noreturn {
  call void @format()
  unreachable
}

define ptx_kernel void @k(i1 %c) {
  br i1 %c, label %bad, label %good
bad:
  call void @_ZN4core9panicking13assert_failed17hfedcba9876543210E()
  unreachable
good:
  ret void
}
