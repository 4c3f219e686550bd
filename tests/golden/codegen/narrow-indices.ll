; Each address with a narrow index of a pointer is computed from its index if the difference of the indices changes with
; the extension. Without the work-around, the second address is the first one plus a constant, and AMD's two loads
; become one of both elements. LLVM 23 makes this mistake with loads only.
; RUN@22[sm_80]: offloadc %s --kernel=bits --kernel=sums --offload-arch=sm_80 --emit=codegen=- | \
;   grep -E 'st.volatile|entry'
; RUN@22[sm_80-wrong]: offloadc %s --kernel=bits --kernel=sums --offload-arch=sm_80 --emit=codegen=- \
;   --without-workaround=freeze_narrow_indices | grep -E 'st.volatile|entry'
; RUN@22[gfx90a]: offloadc %s --kernel=bits --kernel=sums --kernel=loads --offload-arch=gfx90a --emit=codegen=- | \
;   grep -E 'global_(load|store)_dw|^[a-z]+:'
; RUN@22[gfx90a-wrong]: offloadc %s --kernel=bits --kernel=sums --kernel=loads --offload-arch=gfx90a --emit=codegen=- \
;   --without-workaround=freeze_narrow_indices | grep -E 'global_(load|store)_dw|^[a-z]+:'
; RUN@23[loads-wrong]: offloadc %s --kernel=loads --offload-arch=gfx90a --emit=codegen=- \
;   --without-workaround=freeze_narrow_indices | grep -E 'global_(load|store)_dw|^[a-z]+:'

define void @bits(ptr %p, i32 %c, float %r) {
  %b = icmp ugt i32 %c, 7
  %not = xor i1 %b, true
  %first = sext i1 %not to i64
  %one = getelementptr float, ptr %p, i64 %first
  store volatile float %r, ptr %one
  %second = sext i1 %b to i64
  %two = getelementptr float, ptr %p, i64 %second
  store volatile float %r, ptr %two
  ret void
}

define void @sums(ptr %p, i32 %c, float %r) {
  %a = add i32 %c, 100
  %first = sext i32 %a to i64
  %one = getelementptr float, ptr %p, i64 %first
  store volatile float %r, ptr %one
  %b = add i32 %c, 7
  %second = sext i32 %b to i64
  %two = getelementptr float, ptr %p, i64 %second
  store volatile float %r, ptr %two
  ret void
}

declare i32 @__offload_thread_id_x()

define void @loads(ptr %p, ptr %indices, ptr %out) {
  %thread = call i32 @__offload_thread_id_x()
  %wide = zext i32 %thread to i64
  %index = getelementptr i16, ptr %indices, i64 %wide
  %x = load i16, ptr %index
  %a = add i16 %x, 5001
  %first = zext i16 %a to i64
  %one = getelementptr i32, ptr %p, i64 %first
  %v = load i32, ptr %one
  %b = add nuw i16 %x, 5000
  %second = zext i16 %b to i64
  %two = getelementptr i32, ptr %p, i64 %second
  %w = load i32, ptr %two
  %more = shl i32 %v, 3
  %sum = xor i32 %more, %w
  %result = getelementptr i32, ptr %out, i64 %wide
  store i32 %sum, ptr %result
  ret void
}
;;; stdout[sm_80]
; .visible .entry bits(
; 	st.volatile.global.b32 	[%rd3], %r2;
; 	st.volatile.global.b32 	[%rd5], %r2;
; .visible .entry sums(
; 	st.volatile.global.b32 	[%rd3], %r3;
; 	st.volatile.global.b32 	[%rd5], %r3;
;;; stdout[sm_80-wrong]
; .visible .entry bits(
; 	st.volatile.global.b32 	[%rd3], %r2;
; 	st.volatile.global.b32 	[%rd3+-4], %r2;
; .visible .entry sums(
; 	st.volatile.global.b32 	[%rd3], %r3;
; 	st.volatile.global.b32 	[%rd3+-372], %r3;
;;; stdout[gfx90a]
; bits:
; 	global_store_dword v1, v3, s[0:1] offset:-4
; 	global_store_dword v[0:1], v3, off
; sums:
; 	global_store_dword v0, v1, s[4:5]
; 	global_store_dword v0, v1, s[0:1]
; loads:
; 	global_load_dword v3, v2, s[0:1]
; 	global_load_dword v4, v1, s[0:1]
; 	global_store_dword v0, v1, s[6:7]
;;; stdout[gfx90a-wrong]
; bits:
; 	global_store_dword v[0:1], v2, off
; 	global_store_dword v[0:1], v2, off offset:-4
; sums:
; 	global_store_dword v0, v1, s[0:1]
; 	global_store_dword v0, v1, s[0:1] offset:-372
; loads:
; 	global_load_dwordx2 v[2:3], v1, s[0:1]
; 	global_store_dword v0, v1, s[6:7]
;;; stdout[loads-wrong]
; loads:
; 	global_load_dwordx2 v[2:3], v1, s[0:1]
; 	global_store_dword v0, v1, s[6:7]
