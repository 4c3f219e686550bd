; Functions that kernels of other objects cannot be linked with: the build accepts them, and the link leaves each out, with
; its cause. `fences` and `reads` can be linked. An image without such functions is refused.
; RUN[left-out]: printf 'target triple = "x86_64-unknown-linux-gnu"\ndeclare ptr @__offload_function_pointer(i64)\ndefine ptx_kernel void @k(ptr %%p, i64 %%n) {\n  %%f = call ptr @__offload_function_pointer(i64 %%n)\n  store ptr %%f, ptr %%p\n  ret void\n}\n' > kernel.ll && \
;   offloadc kernel.ll --offload-arch=generic --emit=bundle=kernel.bin && offloadc %s --offload-arch=generic --emit=bundle=functions.bin && \
;   offloadc finish kernel.bin --link=functions.bin --offload-arch=sm_80 --emit=image=k.ptx
; FAIL[none]: printf 'target triple = "x86_64-unknown-linux-gnu"\ndeclare ptr @__offload_function_pointer(i64)\ndefine ptx_kernel void @k(ptr %%p, i64 %%n) {\n  %%f = call ptr @__offload_function_pointer(i64 %%n)\n  store ptr %%f, ptr %%p\n  ret void\n}\n' > kernel.ll && \
;   offloadc kernel.ll --offload-arch=generic --emit=bundle=kernel.bin && \
;   offloadc finish kernel.bin --link=kernel.bin --offload-arch=sm_80 --emit=image=k.ptx

target triple = "x86_64-unknown-linux-gnu"

declare i64 @__offload_function(ptr)
declare void @__offload_sync_threads()
declare i32 @__offload_lane_id()
declare i32 @__offload_call_host(i64, ptr, i64, ptr, i64)
declare ptr @__offload_shared_array(ptr, i64, i64)
declare ptr @__offload_dynamic_shared()
declare void @__offload_fence_device()
declare ptr @__rust_alloc(i64, i64)

@calls = internal global i32 0, section ".offload.static"
@step = internal global i32 7, section ".offload.static"
@table = internal constant [2 x i32] [i32 5, i32 7]

define void @memory() {
  ret void
}

define internal i32 @writes_a_static(i32 %x) noinline !dbg !4 {
  %n = load i32, ptr @calls, !dbg !7
  %m = add i32 %n, %x
  store i32 %m, ptr @calls
  ret i32 %n
}

; Only the kernel writes it, and the kernel is not in the module with the functions.
define internal i32 @reads_a_static(i32 %x) noinline {
  %s = load i32, ptr @step
  %y = add i32 %s, %x
  ret i32 %y
}

define ptx_kernel void @sets(ptr %p) {
  %s = load i32, ptr %p
  store i32 %s, ptr @step
  ret void
}

define internal i32 @waits(i32 %x) noinline {
  call void @__offload_sync_threads()
  ret i32 %x
}

define internal i32 @asks_lanes(i32 %x) noinline {
  %lane = call i32 @__offload_lane_id()
  ret i32 %lane
}

define internal i32 @calls_the_host(i32 %x) noinline {
  %place = alloca i32
  %r = call i32 @__offload_call_host(i64 0, ptr %place, i64 0, ptr %place, i64 4)
  ret i32 %r
}

define internal i32 @shares(i32 %x) noinline {
  %p = call ptr @__offload_shared_array(ptr @memory, i64 4, i64 4)
  store volatile i32 %x, ptr %p
  %y = load volatile i32, ptr %p
  ret i32 %y
}

define internal i32 @shares_dynamic(i32 %x) noinline {
  %p = call ptr @__offload_dynamic_shared()
  store volatile i32 %x, ptr %p
  %y = load volatile i32, ptr %p
  ret i32 %y
}

define internal i32 @allocates(i32 %x) noinline {
  %p = call ptr @__rust_alloc(i64 4, i64 4)
  store volatile i32 %x, ptr %p
  %y = load volatile i32, ptr %p
  ret i32 %y
}

define internal i32 @fences(i32 %x) noinline {
  call void @__offload_fence_device()
  ret i32 %x
}

define internal i32 @reads(i32 %x) noinline {
  %i = and i32 %x, 1
  %p = getelementptr i32, ptr @table, i32 %i
  %y = load i32, ptr %p
  ret i32 %y
}

define i64 @numbers() {
  %a = call i64 @__offload_function(ptr @writes_a_static)
  %i = call i64 @__offload_function(ptr @reads_a_static)
  %b = call i64 @__offload_function(ptr @waits)
  %c = call i64 @__offload_function(ptr @asks_lanes)
  %d = call i64 @__offload_function(ptr @calls_the_host)
  %e = call i64 @__offload_function(ptr @shares)
  %f = call i64 @__offload_function(ptr @fences)
  %g = call i64 @__offload_function(ptr @reads)
  %h = call i64 @__offload_function(ptr @allocates)
  %j = call i64 @__offload_function(ptr @shares_dynamic)
  ret i64 %a
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "plugin.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "writes_a_static", scope: !1, file: !1, line: 5, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 7, column: 3, scope: !4)
;;; stderr[left-out]
; warning[OFC0060]: function `writes_a_static` uses the static `calls`, and cannot be linked with kernels of other objects
;   --> plugin.c:7:3
;   = note: it is left out, and a kernel that is given it does not find it
;   = help: pass a pointer to the memory as an argument of the function
; warning[OFC0060]: function `reads_a_static` uses the static `step`, and cannot be linked with kernels of other objects
;   = note: it is left out, and a kernel that is given it does not find it
;   = help: pass a pointer to the memory as an argument of the function
; warning[OFC0060]: function `waits` calls `__offload_sync_threads`, which concerns other threads, and cannot be linked with kernels of other objects
;   = note: it is left out, and a kernel that is given it does not find it
;   = help: call it in the kernel, and pass the result to the function
; warning[OFC0060]: function `asks_lanes` calls `__offload_lane_id`, which concerns other threads, and cannot be linked with kernels of other objects
;   = note: it is left out, and a kernel that is given it does not find it
;   = help: call it in the kernel, and pass the result to the function
; warning[OFC0060]: function `calls_the_host` calls the host, and cannot be linked with kernels of other objects
;   = note: it is left out, and a kernel that is given it does not find it
;   = help: call it in the kernel, and pass the result to the function
; warning[OFC0060]: function `shares` uses the workgroup memory `memory.shared`, and cannot be linked with kernels of other objects
;   = note: it is left out, and a kernel that is given it does not find it
;   = help: pass a pointer to the memory as an argument of the function
; warning[OFC0060]: function `allocates` allocates memory, and cannot be linked with kernels of other objects
;   = note: it is left out, and a kernel that is given it does not find it
;   = help: pass a pointer to the memory as an argument of the function
; warning[OFC0060]: function `shares_dynamic` uses workgroup memory, and cannot be linked with kernels of other objects
;   = note: it is left out, and a kernel that is given it does not find it
;   = help: pass a pointer to the memory as an argument of the function
;;; stderr[none]
; error[OFC0060]: a linked image has no functions that are passed as values
;   = help: name the object that passes the function
