; A select or phi of pointers into one address space has that address space.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=codegen=-
; CHECK[sm_80]: .entry pick
; CHECK-NOT[sm_80]: ld.b32
; CHECK[sm_80]: ld.global.b32
; CHECK-NOT[sm_80]: st.b32
; CHECK[sm_80]: st.global.b32
; CHECK-NOT[sm_80]: ld.b32
; CHECK[sm_80]: ret;
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=codegen=-
; CHECK-NOT[gfx90a]: flat_load
; CHECK[gfx90a]: global_store_dword
; CHECK-NOT[gfx90a]: flat_load
; CHECK[gfx90a]: s_endpgm

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @pick(ptr %a, ptr %b, ptr %out, i32 %n) {
entry:
  %odd = trunc i32 %n to i1
  %first = select i1 %odd, ptr %a, ptr %b
  br label %loop
loop:
  %p = phi ptr [ %first, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %total, %loop ]
  %v = load i32, ptr %p
  %total = add i32 %sum, %v
  %next = getelementptr i32, ptr %p, i32 %n
  %more = add i32 %i, 1
  %done = icmp eq i32 %more, %n
  br i1 %done, label %end, label %loop
end:
  store i32 %total, ptr %out
  ret void
}
