; Every pointer of the host becomes generic: in types, constants, attributes, intrinsics; allocas and statics get a cast.
; A parameter that is only given one address space's pointers has that space's type.
; RUN: offloadc %s --offload-arch=spirv64 -O0 --emit=flavor=-
; CHECK: @words = internal unnamed_addr addrspace(1) constant [2 x i32] [i32 7, i32 8]
; CHECK: @slice = internal unnamed_addr addrspace(1) constant { ptr addrspace(4), i64 } { ptr addrspace(4) addrspacecast (ptr addrspace(1) @words to ptr addrspace(4)), i64 2 }
; CHECK: define internal spir_func void @fill(ptr sret({ ptr addrspace(4), i64 }) %to)
; CHECK: define spir_kernel void @pick(ptr addrspace(1) %out, i64 %i)
; CHECK: %pair = alloca { ptr addrspace(4), i64 }, align 8
; CHECK: addrspacecast ptr %pair to ptr addrspace(4)
; CHECK: call void @llvm.memcpy.p4.p4.i64(ptr addrspace(4) align 8 {{.*}}, ptr addrspace(4) align 8 {{.*}}, i64 16, i1 false)
; CHECK: load ptr addrspace(4), ptr addrspace(4)
; CHECK: icmp eq ptr addrspace(4) {{.*}}, null
; CHECK: call spir_func void @fill(ptr sret({ ptr addrspace(4), i64 })

target triple = "x86_64-unknown-linux-gnu"

@words = private unnamed_addr constant [2 x i32] [i32 7, i32 8]
@slice = private unnamed_addr constant { ptr, i64 } { ptr @words, i64 2 }

define ptx_kernel void @pick(ptr %out, i64 %i) {
  %pair = alloca { ptr, i64 }
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %pair, ptr align 8 @slice, i64 16, i1 false)
  %slot = getelementptr { ptr, i64 }, ptr %pair, i64 %i
  %from = load ptr, ptr %slot
  %null = icmp eq ptr %from, null
  br i1 %null, label %end, label %copy
copy:
  call void @fill(ptr sret({ ptr, i64 }) %pair)
  %v = load volatile i32, ptr %from
  store i32 %v, ptr %out
  br label %end
end:
  ret void
}

define internal void @fill(ptr sret({ ptr, i64 }) %to) noinline {
  store volatile ptr null, ptr %to
  ret void
}
