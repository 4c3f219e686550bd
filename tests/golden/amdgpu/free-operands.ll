; A phi of three paths has, on one of them, a pointer that is cast for nothing. A thread that leaves the inner branch for
; it must not get the pointer of the others: the null is written before, and the cast pointer in its own block. Where
; the two sides of a branch meet, the cast is left to LLVM.
; RUN[three]: offloadc -w %s -O0 --offload-arch=gfx90a --emit=codegen=- | sed -n '/^three:/,/s_setpc/p' | \
;   grep -oE "v_pk_mov_b32 v\[[0-9:]+\], 0, 0|v_mov_b32_e32 v[0-9]+, [0v].*|s_and_saveexec.*|s_or_b64 exec.*"
; RUN@22[three-without]: offloadc -w %s -O0 --offload-arch=gfx90a --without-workaround=hoist_free_operands --emit=codegen=- | \
;   sed -n '/^three:/,/s_setpc/p' | \
;   grep -oE "v_pk_mov_b32 v\[[0-9:]+\], 0, 0|v_mov_b32_e32 v[0-9]+, [0v].*|s_and_saveexec.*|s_or_b64 exec.*"
; RUN[two]: offloadc -w %s -O0 --offload-arch=gfx90a --emit=codegen=- | sed -n '/^two:/,/s_setpc/p' > with; \
;   offloadc -w %s -O0 --offload-arch=gfx90a --without-workaround=hoist_free_operands --emit=codegen=- | \
;   sed -n '/^two:/,/s_setpc/p' | cmp - with && echo the same

target triple = "x86_64-unknown-linux-gnu"

@bytes = internal constant [9 x i8] c"nine text"

define internal { ptr, i64 } @three(i64 %i, ptr %p, i64 %length) noinline {
start:
  %none = icmp eq i64 %i, 0
  br i1 %none, label %found, label %some

some:
  %beyond = icmp uge i64 %i, %length
  br i1 %beyond, label %end, label %inside

end:
  %at_end = icmp eq i64 %i, %length
  br label %decide

inside:
  %at = getelementptr inbounds i8, ptr %p, i64 %i
  %byte = load volatile i8, ptr %at
  %starts = icmp sge i8 %byte, -64
  br label %decide

decide:
  %is_boundary = phi i1 [ %at_end, %end ], [ %starts, %inside ]
  br i1 %is_boundary, label %found, label %out

found:
  br label %out

out:
  %result = phi ptr [ %p, %found ], [ null, %decide ]
  %r0 = insertvalue { ptr, i64 } poison, ptr %result, 0
  %r1 = insertvalue { ptr, i64 } %r0, i64 %i, 1
  ret { ptr, i64 } %r1
}

define internal i64 @two(i64 %i, ptr %p) noinline {
  %positive = icmp sgt i64 %i, 0
  br i1 %positive, label %then, label %else

then:
  %before = load volatile i64, ptr %p
  br label %out

else:
  %number = ptrtoint ptr %p to i64
  br label %out

out:
  %result = phi i64 [ %before, %then ], [ %number, %else ]
  ret i64 %result
}

declare i32 @__offload_thread_id_x()

define ptx_kernel void @k(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %i = zext i32 %t to i64
  %r = call { ptr, i64 } @three(i64 %i, ptr @bytes, i64 9)
  %n = call i64 @two(i64 %i, ptr %out)
  %p = extractvalue { ptr, i64 } %r, 0
  %slot = getelementptr { ptr, i64 }, ptr %out, i64 %i
  store ptr %p, ptr %slot
  %more = getelementptr i64, ptr %slot, i64 1
  store i64 %n, ptr %more
  ret void
}
;;; stdout[three]
; v_mov_b32_e32 v7, v1
; v_mov_b32_e32 v6, v0
; s_and_saveexec_b64 s[4:5], vcc
; s_and_saveexec_b64 s[8:9], vcc
; s_or_b64 exec, exec, s[8:9]
; s_or_b64 exec, exec, s[4:5]
; v_pk_mov_b32 v[0:1], 0, 0
; s_and_saveexec_b64 s[4:5], s[6:7]
; s_or_b64 exec, exec, s[4:5]
; v_mov_b32_e32 v2, v6
; v_mov_b32_e32 v3, v7
;;; stdout[three-without]
; v_mov_b32_e32 v7, v1
; v_mov_b32_e32 v6, v0
; s_and_saveexec_b64 s[4:5], vcc
; s_and_saveexec_b64 s[8:9], vcc
; s_or_b64 exec, exec, s[8:9]
; v_pk_mov_b32 v[2:3], 0, 0
; s_or_b64 exec, exec, s[4:5]
; s_and_saveexec_b64 s[4:5], s[6:7]
; s_or_b64 exec, exec, s[4:5]
; v_mov_b32_e32 v0, v2
; v_mov_b32_e32 v1, v3
; v_mov_b32_e32 v2, v6
; v_mov_b32_e32 v3, v7
;;; stdout[two]
; the same
