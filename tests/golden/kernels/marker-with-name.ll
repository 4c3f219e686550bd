; A marker can give the readable name of its kernel: the result of the given function, or nothing if it is not known.
; RUN: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

@same = private constant [10 x i8] c"app::saxpy"
@changing = internal global [10 x i8] c"app::saxpy"

declare ptr @__offload_kernel_named(ptr, i64, i64, ptr)

define internal void @entry.1(ptr %arguments) { ret void }
define internal void @entry.2(ptr %arguments) { ret void }
define internal void @entry.3(ptr %arguments) { ret void }

define internal { ptr, i64 } @name() {
  ret { ptr, i64 } { ptr @same, i64 10 }
}

define internal { ptr, i64 } @too_long() {
  ret { ptr, i64 } { ptr @same, i64 11 }
}

define internal { ptr, i64 } @not_fixed() {
  ret { ptr, i64 } { ptr @changing, i64 10 }
}

define void @main() {
  %1 = call ptr @__offload_kernel_named(ptr @entry.1, i64 24, i64 8, ptr @name)
  %2 = call ptr @__offload_kernel_named(ptr @entry.2, i64 4, i64 4, ptr @too_long)
  %3 = call ptr @__offload_kernel_named(ptr @entry.3, i64 4, i64 4, ptr @not_fixed)
  ret void
}
;;; stdout
; _ZN3app5saxpy17h3c0be12bba9214e2E (app::saxpy): block, found by a marker call
;   0: block at 0, 24 bytes, aligned to 8
; entry_2 (entry.2): block, found by a marker call
;   0: block at 0, 4 bytes, aligned to 4
; entry_3 (entry.3): block, found by a marker call
;   0: block at 0, 4 bytes, aligned to 4
