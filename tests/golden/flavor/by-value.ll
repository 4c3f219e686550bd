; A value that a call passes in memory is a copy on the caller's stack, and its address is like any other.
; RUN[gfx90a]: offloadc -w %s --offload-arch=gfx90a --emit=flavor=-
; CHECK-NOT[gfx90a]: byval(
; CHECK[gfx90a]: define internal {{.*}}@fill(ptr addrspace(1){{.*}} %r)
; CHECK-NOT[gfx90a]: byval(
; CHECK[gfx90a]: define internal {{.*}}@take(ptr addrspace(5) noalias align 8{{.*}} %s, i64 %i)
; CHECK[gfx90a]: define internal {{.*}}@through(ptr addrspace(5) noalias align 8{{.*}} %s)
; CHECK[gfx90a]: define internal {{.*}}@call_through_pointer(ptr %0, ptr addrspace(1) %1)
; CHECK[gfx90a]: call void @llvm.memcpy.p5.p0.i64(ptr addrspace(5) align 8 %byval
; CHECK[gfx90a]: call {{.*}}@through(ptr addrspace(5) %
; CHECK[gfx90a]: define {{.*}}@k(
; CHECK[gfx90a]: call {{.*}}@fill(ptr addrspace(1) %
; CHECK[gfx90a]: call void @llvm.memcpy.p5.p0.i64(ptr addrspace(5) align 8 %byval{{.*}}, ptr align 8 %{{.*}}, i64 40
; CHECK[gfx90a]: addrspacecast ptr addrspace(5) %byval{{.*}} to ptr
; CHECK[gfx90a]: call {{.*}}@take(ptr addrspace(5) align 8 %
; CHECK[gfx90a]: call {{.*}}@call_through_pointer(ptr %f, ptr addrspace(1) %
; CHECK-NOT[gfx90a]: byval(
; RUN[code]: offloadc -w %s --offload-arch=gfx90a --emit=codegen=- | sed -n '/^take:/,/s_setpc/p'
; RUN[sm_80]: offloadc -w %s --offload-arch=sm_80 --emit=codegen=- | grep 'take_param_0;\|st[.]local'

target triple = "x86_64-unknown-linux-gnu"

@f = internal global ptr @through

define internal void @fill(ptr sret([40 x i8]) %r) noinline {
  store volatile i32 3, ptr %r
  ret void
}

define internal i32 @take(ptr byval([40 x i8]) align 8 %s, i64 %i) noinline {
  %at = getelementptr i32, ptr %s, i64 %i
  store volatile i32 1, ptr %at
  %v = load volatile i32, ptr %s
  ret i32 %v
}

define internal i32 @through(ptr byval([40 x i8]) align 8 %s) noinline {
  store volatile i32 1, ptr %s
  ret i32 0
}

define ptx_kernel void @k(ptr %out, ptr %in, i64 %i) {
  call void @fill(ptr sret([40 x i8]) %in)
  %x = call i32 @take(ptr byval([40 x i8]) align 8 %in, i64 %i)
  %f = load volatile ptr, ptr @f
  %y = call i32 %f(ptr byval([40 x i8]) align 8 %in)
  %z = add i32 %x, %y
  store i32 %z, ptr %out
  ret void
}
;;; stdout[code]
; take:
; 	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
; 	v_lshl_add_u32 v1, v1, 2, v0
; 	v_mov_b32_e32 v2, 1
; 	buffer_store_dword v2, v1, s[0:3], 0 offen
; 	s_waitcnt vmcnt(0)
; 	buffer_load_dword v0, v0, s[0:3], 0 offen glc
; 	s_waitcnt vmcnt(0)
; 	s_setpc_b64 s[30:31]
;;; stdout[sm_80]
; 	st.local.b32 	[%rd4], 1;
; 	st.local.b32 	[%rd1], 1;
