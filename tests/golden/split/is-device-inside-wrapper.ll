; The answer of `is_device` is used before anything is reported, also through functions and locals that hide it.
; RUN[device]: offloadc %s --offload-arch=cpu --emit=legalize=-
; CHECK[device]: define void @fill
; CHECK-NOT[device]: _print
; CHECK-NOT[device]: report
; RUN[host]: offloadc %s --offload-arch=cpu -O0 --emit=host=- | llvm-nm --undefined-only --format=just-symbols -

target triple = "x86_64-unknown-linux-gnu"

declare zeroext i1 @__offload_is_device()
declare void @_ZN3std2io5stdio6_print17h0123456789abcdefE(ptr)

define internal i1 @on_device() noinline {
  %slot = alloca i8
  %answer = call zeroext i1 @__offload_is_device()
  %byte = zext i1 %answer to i8
  store i8 %byte, ptr %slot
  %again = load i8, ptr %slot
  %yes = trunc i8 %again to i1
  ret i1 %yes
}

define internal void @report() noinline {
  call void @_ZN3std2io5stdio6_print17h0123456789abcdefE(ptr null)
  ret void
}

define ptx_kernel void @fill(ptr %out) {
  %device = call i1 @on_device()
  br i1 %device, label %end, label %say
say:
  call void @report()
  br label %end
end:
  store i32 1, ptr %out
  ret void
}
;;; stdout[host]
; _ZN3std2io5stdio6_print17h0123456789abcdefE
