; A kernel promises that its parameters do not overlap. Memory is then read-only if the type of the parameter says so,
; or if all uses of the parameter are loads. It is not if a use writes, or might: `%y` is written, the address of
; `%stored` leaves the kernel, and `%twice` is loaded twice, of which one address is written. In `@words`, another load
; has the parameters' bytes, too. In `@waits`, others write the values that an atomic or a volatile load reads. A kernel
; without the promise loses the calls.
; RUN: offloadc %s --run-pass=take_restrict --kernel=k --kernel=plain --kernel=words --kernel=waits --kernel=copies --kernel=elsewhere | grep -v "^target"

declare void @__offload_restrict()
declare void @__offload_parameter_pointer(ptr, i32)

define void @k(ptr %arguments, i1 %c, i64 %i) {
  %x = load ptr, ptr %arguments
  %w.at = getelementptr i8, ptr %arguments, i64 8
  %w = load ptr, ptr %w.at
  %y.at = getelementptr i8, ptr %arguments, i64 16
  %y = load ptr, ptr %y.at
  %stored.at = getelementptr i8, ptr %arguments, i64 24
  %stored = load ptr, ptr %stored.at
  %twice.at = getelementptr i8, ptr %arguments, i64 32
  %twice = load ptr, ptr %twice.at
  %again = load ptr, ptr %twice.at
  %read.at = getelementptr i8, ptr %arguments, i64 40
  %read = load ptr, ptr %read.at
  %read.again = load ptr, ptr %read.at
  call void @__offload_parameter_pointer(ptr %x, i32 1)
  call void @__offload_parameter_pointer(ptr %w, i32 0)
  call void @__offload_parameter_pointer(ptr %y, i32 0)
  call void @__offload_parameter_pointer(ptr %stored, i32 0)
  call void @__offload_parameter_pointer(ptr %twice, i32 0)
  call void @__offload_parameter_pointer(ptr %read, i32 0)
  call void @__offload_restrict()
  %element = getelementptr float, ptr %w, i64 %i
  %either = select i1 %c, ptr %element, ptr %w
  %value = load float, ptr %either
  store float %value, ptr %y
  store ptr %stored, ptr %y
  %other = load float, ptr %twice
  store float %other, ptr %again
  %one = load float, ptr %read
  %two = load float, ptr %read.again
  ret void
}

define void @plain(ptr %x) {
  call void @__offload_parameter_pointer(ptr %x, i32 1)
  ret void
}

; A promise outside of a kernel promises nothing.
define void @outside(ptr %x) {
  call void @__offload_parameter_pointer(ptr %x, i32 1)
  call void @__offload_restrict()
  ret void
}

; A copy from memory, and a comparison of its address, only read it. A copy to memory, a call, and a constant that has the
; address do not.
define void @copies(ptr %from, ptr %to, ptr %given, ptr %compared, ptr %clean) {
  call void @__offload_parameter_pointer(ptr %from, i32 0)
  call void @__offload_parameter_pointer(ptr %to, i32 0)
  call void @__offload_parameter_pointer(ptr %given, i32 0)
  call void @__offload_parameter_pointer(ptr %compared, i32 0)
  call void @__offload_restrict()
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 4, i1 false)
  call void @takes(ptr %given)
  %is.null = icmp eq ptr %compared, null
  ret void
}

; An address that is neither a parameter nor among the bytes of the parameters may have any value.
@pointer = global ptr null

define void @elsewhere(ptr %arguments) {
  %local = alloca ptr
  %own = load ptr, ptr %local
  %global = load ptr, ptr @pointer
  %inner = load ptr, ptr %arguments
  %deep = load ptr, ptr %inner
  %chosen = select i1 true, ptr %arguments, ptr %inner
  call void @__offload_parameter_pointer(ptr %own, i32 1)
  call void @__offload_parameter_pointer(ptr %global, i32 1)
  call void @__offload_parameter_pointer(ptr %deep, i32 1)
  call void @__offload_parameter_pointer(ptr %chosen, i32 1)
  call void @__offload_restrict()
  ret void
}

declare void @takes(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @words(ptr %arguments, i64 %n) {
  %x = load ptr, ptr %arguments
  %bytes = load i128, ptr %arguments
  %any.at = getelementptr i64, ptr %arguments, i64 %n
  %any = load ptr, ptr %any.at
  call void @__offload_parameter_pointer(ptr %x, i32 1)
  call void @__offload_parameter_pointer(ptr %any, i32 1)
  call void @__offload_restrict()
  ret void
}

define void @waits(ptr %flag, ptr %state, ptr %data) {
  call void @__offload_parameter_pointer(ptr %flag, i32 0)
  call void @__offload_parameter_pointer(ptr %state, i32 0)
  call void @__offload_parameter_pointer(ptr %data, i32 0)
  call void @__offload_restrict()
  %seen = load atomic i32, ptr %flag acquire, align 4
  %now = load volatile i32, ptr %state
  %value = load i32, ptr %data
  ret void
}
;;; stdout
;
; @pointer = global ptr null
;
; declare void @__offload_restrict()
;
; declare void @__offload_parameter_pointer(ptr, i32)
;
; define void @k(ptr %arguments, i1 %c, i64 %i) #0 {
;   %x = load ptr, ptr %arguments, align 8
;   %w.at = getelementptr i8, ptr %arguments, i64 8
;   %w = load ptr, ptr %w.at, align 8
;   %y.at = getelementptr i8, ptr %arguments, i64 16
;   %y = load ptr, ptr %y.at, align 8
;   %stored.at = getelementptr i8, ptr %arguments, i64 24
;   %stored = load ptr, ptr %stored.at, align 8
;   %twice.at = getelementptr i8, ptr %arguments, i64 32
;   %twice = load ptr, ptr %twice.at, align 8
;   %again = load ptr, ptr %twice.at, align 8
;   %read.at = getelementptr i8, ptr %arguments, i64 40
;   %read = load ptr, ptr %read.at, align 8
;   %read.again = load ptr, ptr %read.at, align 8
;   call void @__offload_read_only(ptr %x)
;   call void @__offload_read_only(ptr %w)
;   call void @__offload_read_only(ptr %read)
;   %element = getelementptr float, ptr %w, i64 %i
;   %either = select i1 %c, ptr %element, ptr %w
;   %value = load float, ptr %either, align 4
;   store float %value, ptr %y, align 4
;   store ptr %stored, ptr %y, align 8
;   %other = load float, ptr %twice, align 4
;   store float %other, ptr %again, align 4
;   %one = load float, ptr %read, align 4
;   %two = load float, ptr %read.again, align 4
;   ret void
; }
;
; define void @plain(ptr %x) {
;   ret void
; }
;
; define void @outside(ptr %x) {
;   ret void
; }
;
; define void @copies(ptr %from, ptr %to, ptr %given, ptr %compared, ptr %clean) #0 {
;   call void @__offload_read_only(ptr %from)
;   call void @__offload_read_only(ptr %compared)
;   call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 4, i1 false)
;   call void @takes(ptr %given)
;   %is.null = icmp eq ptr %compared, null
;   ret void
; }
;
; define void @elsewhere(ptr %arguments) #0 {
;   %local = alloca ptr, align 8
;   %own = load ptr, ptr %local, align 8
;   %global = load ptr, ptr @pointer, align 8
;   %inner = load ptr, ptr %arguments, align 8
;   %deep = load ptr, ptr %inner, align 8
;   %chosen = select i1 true, ptr %arguments, ptr %inner
;   ret void
; }
;
; declare void @takes(ptr)
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1
;
; define void @words(ptr %arguments, i64 %n) #0 {
;   %x = load ptr, ptr %arguments, align 8
;   %bytes = load i128, ptr %arguments, align 4
;   %any.at = getelementptr i64, ptr %arguments, i64 %n
;   %any = load ptr, ptr %any.at, align 8
;   ret void
; }
;
; define void @waits(ptr %flag, ptr %state, ptr %data) #0 {
;   call void @__offload_read_only(ptr %data)
;   %seen = load atomic i32, ptr %flag acquire, align 4
;   %now = load volatile i32, ptr %state, align 4
;   %value = load i32, ptr %data, align 4
;   ret void
; }
;
; declare void @__offload_read_only(ptr)
;
; attributes #0 = { "offload-restricts"="true" }
; attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
