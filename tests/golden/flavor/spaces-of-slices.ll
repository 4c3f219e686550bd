; A slice by value is passed as two integers, or in the argument block; its pointer is a global one either way.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=codegen=- | grep -oE '[[:space:]](ld|st)[a-z.]*\.b32' | sort | uniq -c
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=codegen=- | grep -oE '(flat|global)_(load|store)_dword' | sort | uniq -c

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel_block(ptr, i64, i64)

define internal i32 @element({ ptr, i64 } %slice, i64 %i) noinline {
  %p = extractvalue { ptr, i64 } %slice, 0
  %at = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %at
  ret i32 %v
}

define ptx_kernel void @integers({ i64, i64 } %in, { i64, i64 } %out) {
  %from = extractvalue { i64, i64 } %in, 0
  %to = extractvalue { i64, i64 } %out, 0
  %p = inttoptr i64 %from to ptr
  %q = inttoptr i64 %to to ptr
  %v = load i32, ptr %p
  store i32 %v, ptr %q
  ret void
}

define internal void @block(ptr %arguments) {
  %in = load { ptr, i64 }, ptr %arguments
  %at = getelementptr i8, ptr %arguments, i64 16
  %out = load ptr, ptr %at
  %v = call i32 @element({ ptr, i64 } %in, i64 1)
  %w = call i32 @element({ ptr, i64 } %in, i64 2)
  %vw = add i32 %v, %w
  store i32 %vw, ptr %out
  ret void
}

define ptr @handle() {
  %handle = call ptr @__offload_kernel_block(ptr @block, i64 32, i64 8)
  ret ptr %handle
}
;;; stdout[sm_80]
;       2 	ld.global.b32
;       2 	ld.param.b32
;       2 	st.global.b32
;       1 	st.param.b32
;;; stdout[gfx90a]
;       1 global_load_dword
;       2 global_store_dword
