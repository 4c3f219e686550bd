; Code that some threads execute alone passes a value to a panic after it.
; RUN: offloadc %s --kernel=* --offload-arch=cpu --emit=flavor=- | grep -c 'define.*[.]vector'

target triple = "x86_64-unknown-linux-gnu"
declare i32 @__offload_thread_id_x() memory(none)
declare void @__offload_panic(ptr, i64)
declare void @_RNvNtCs_4core9panicking18panic_bounds_check(i64, i64, ptr) noreturn cold
define void @apan(ptr noalias %out, ptr noalias %cnt, ptr noalias %flag, i32 %k) {
  %t = call i32 @__offload_thread_id_x()
  %i = zext i32 %t to i64
  %p = getelementptr inbounds float, ptr %out, i64 %i
  %q = getelementptr inbounds float, ptr %flag, i64 %i
  %f = load float, ptr %q
  %c = fcmp ogt float %f, 0.0
  br i1 %c, label %then, label %end
then:
  %n = atomicrmw add ptr %cnt, i32 1 monotonic
  %ok = icmp ult i32 %n, %k
  br i1 %ok, label %go, label %bad
bad:
  store volatile i32 %n, ptr %out
  unreachable
go:
  %w = fmul float %f, %f
  %w2 = fadd float %w, %f
  %w3 = fmul float %w2, %w2
  %w4 = fmul float %w3, %w2
  %w5 = fmul float %w4, %w2
  %ni = zext i32 %n to i64
  %r = getelementptr inbounds float, ptr %out, i64 %ni
  store float %w5, ptr %r
  br label %end
end:
  ret void
}
;;; stdout
; 3
