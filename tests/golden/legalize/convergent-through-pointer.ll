; If a function with a barrier may be called by a pointer, all calls through pointers and their callers are convergent.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-
; CHECK: Function Attrs: alwaysinline convergent
; CHECK: define internal void @wait()
; CHECK: Function Attrs: alwaysinline convergent
; CHECK: define internal void @through(
; CHECK: call void %f() #
; CHECK: Function Attrs: alwaysinline convergent
; CHECK: define internal void @above(
; CHECK: define internal void @apart(

target triple = "x86_64-unknown-linux-gnu"

@table = internal constant [1 x ptr] [ptr @wait]
declare void @__offload_sync_threads()

define internal void @wait() noinline {
  call void @__offload_sync_threads()
  ret void
}

define internal void @through(ptr %f) {
  call void %f()
  ret void
}

define internal void @above(ptr %f) {
  call void @through(ptr %f) noinline
  ret void
}

define internal void @apart() {
  ret void
}

define ptx_kernel void @k() {
  %f = load ptr, ptr @table
  call void @above(ptr %f)
  call void @apart()
  ret void
}
