; A trait object's type may have nothing to drop, and its table no function for that. If no type has one, the call after
; the test is never made, and no call to a function that this device lacks.
; RUN: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv

target triple = "x86_64-unknown-linux-gnu"

@adds = internal constant { ptr, i64, i64, ptr } { ptr null, i64 4, i64 4, ptr @add }
@multiplies = internal constant { ptr, i64, i64, ptr } { ptr null, i64 4, i64 4, ptr @multiply }

define internal i32 @add(ptr %self, i32 %x) {
  %own = load i32, ptr %self
  %r = add i32 %own, %x
  ret i32 %r
}

define internal i32 @multiply(ptr %self, i32 %x) {
  %own = load i32, ptr %self
  %r = mul i32 %own, %x
  ret i32 %r
}

define void @k(ptr %out, i32 %i) {
  %object = alloca i32
  store i32 %i, ptr %object
  %tables = alloca [2 x ptr]
  store ptr @adds, ptr %tables
  %second = getelementptr ptr, ptr %tables, i64 1
  store ptr @multiplies, ptr %second
  %chosen = getelementptr ptr, ptr %tables, i32 %i
  %table = load ptr, ptr %chosen
  %at = getelementptr i8, ptr %table, i64 24
  %call = load ptr, ptr %at
  %r = call i32 %call(ptr %object, i32 5)
  store i32 %r, ptr %out
  %drop = load ptr, ptr %table
  %any = icmp eq ptr %drop, null
  br i1 %any, label %done, label %dropped
dropped:
  call void %drop(ptr %object)
  br label %done
done:
  ret void
}

@.kernels = internal constant ptr @k, section ".offload.kernels"
