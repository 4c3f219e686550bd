; Null of the generic address space is no address in another one, and a cast back makes it null again.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=codegen=- | grep 'cvta.to\|setp\|selp\|cvta.*rd'
; RUN[flat]: offloadc %s --offload-arch=sm_80 --emit=optimize=- | grep -c 'addrspacecast (ptr null'; true
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=codegen=- | grep -- '-1$\|-1,'

target triple = "x86_64-unknown-linux-gnu"

define internal i32 @maybe(ptr %p) noinline {
  %none = icmp eq ptr %p, null
  br i1 %none, label %end, label %some
some:
  %v = load volatile i32, ptr %p
  br label %end
end:
  %r = phi i32 [ %v, %some ], [ 0, %0 ]
  ret i32 %r
}

define ptx_kernel void @k(ptr %out, i1 %on, i32 %i) {
  %local = alloca [8 x i32]
  store volatile i32 7, ptr %local
  %at = getelementptr i32, ptr %local, i32 %i
  %p = select i1 %on, ptr %at, ptr null
  %none = icmp eq ptr %p, null
  %x = call i32 @maybe(ptr %p)
  %y = zext i1 %none to i32
  %z = add i32 %x, %y
  store i32 %z, ptr %out
  ret void
}
;;; stdout[sm_80]
; 	setp.eq.b64 	%p1, %rd1, 0;
; 	setp.ne.b16 	%p1, %rs2, 0;
; 	selp.b64 	%rd5, %rd4, -1, %p1;
; 	cvta.local.u64 	%rd6, %rd5;
; 	setp.eq.b64 	%p2, %rd5, -1;
; 	selp.b64 	%rd7, 0, %rd6, %p2;
; 	selp.b32 	%r3, 1, 0, %p2;
;;; stdout[flat]
; 0
;;; stdout[gfx90a]
; 	s_cselect_b32 s4, s5, -1
; 	s_cmp_lg_u32 s4, -1
; 	s_cmp_eq_u32 s4, -1
; 	s_cselect_b64 s[6:7], -1, 0
