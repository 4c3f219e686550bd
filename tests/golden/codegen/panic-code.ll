; A panic that is not reached costs only its check. A panic that is reached is a call with numbers or their stores, a
; trap, or nothing.
; RUN[sm-80-report]: offloadc %s --offload-arch=sm_80 --device-panic=report --emit=codegen=-
; RUN[sm-80-trap]: offloadc %s --offload-arch=sm_80 --device-panic=trap --emit=codegen=-
; RUN[sm-80-unreachable]: offloadc %s --offload-arch=sm_80 --device-panic=unreachable --emit=codegen=-
; RUN[gfx90a-report]: offloadc %s --offload-arch=gfx90a --device-panic=report --emit=codegen=-
; RUN[gfx90a-trap]: offloadc %s --offload-arch=gfx90a --device-panic=trap --emit=codegen=-
; RUN[gfx90a-unreachable]: offloadc %s --offload-arch=gfx90a --device-panic=unreachable --emit=codegen=-
; RUN[spirv64-report]: offloadc %s --offload-arch=spirv64 --device-panic=report --emit=codegen=-
; RUN[spirv64-trap]: offloadc %s --offload-arch=spirv64 --device-panic=trap --emit=codegen=-
; RUN[spirv64-unreachable]: offloadc %s --offload-arch=spirv64 --device-panic=unreachable --emit=codegen=-
; RUN[cpu-report]: offloadc %s --offload-arch=cpu --device-panic=report --emit=codegen=-
; RUN[cpu-trap]: offloadc %s --offload-arch=cpu --device-panic=trap --emit=codegen=-
; RUN[cpu-unreachable]: offloadc %s --offload-arch=cpu --device-panic=unreachable --emit=codegen=-
; CHECK[sm-80-report]: .entry fill
; CHECK[sm-80-report]: setp.ge.u64
; CHECK[sm-80-report]: bra
; CHECK[sm-80-report]: st.global.b32
; CHECK[sm-80-report]: ret;
; CHECK[sm-80-report]: st.param
; CHECK[sm-80-report]: call.uni offload_record
; CHECK[sm-80-report]: exit;
; CHECK[sm-80-trap]: .entry fill
; CHECK[sm-80-trap]: setp.ge.u64
; CHECK[sm-80-trap]: bra
; CHECK[sm-80-trap]: st.global.b32
; CHECK[sm-80-trap]: trap; exit;
; CHECK[sm-80-unreachable]: .entry fill
; CHECK-NOT[sm-80-unreachable]: setp
; CHECK-NOT[sm-80-unreachable]: bra
; CHECK[sm-80-unreachable]: st.global.b32
; CHECK[sm-80-unreachable]: ret;
; CHECK[gfx90a-report]: fill:
; CHECK[gfx90a-report]: v_cmp_ge_u64
; CHECK[gfx90a-report]: s_cbranch_vccnz
; CHECK[gfx90a-report]: global_store_dword v
; CHECK[gfx90a-report]: s_endpgm
; CHECK[gfx90a-report]: global_atomic_swap
; CHECK[gfx90a-report]: global_store_dwordx2
; CHECK[gfx90a-report]: s_endpgm
; CHECK[gfx90a-trap]: fill:
; CHECK[gfx90a-trap]: v_cmp_ge_u64
; CHECK[gfx90a-trap]: s_cbranch_vccnz
; CHECK[gfx90a-trap]: global_store_dword
; CHECK[gfx90a-trap]: s_endpgm
; CHECK[gfx90a-trap]: s_trap 2
; CHECK[gfx90a-unreachable]: fill:
; CHECK-NOT[gfx90a-unreachable]: v_cmp
; CHECK-NOT[gfx90a-unreachable]: branch
; CHECK[gfx90a-unreachable]: global_store_dword
; CHECK[gfx90a-unreachable]: s_endpgm
; CHECK[spirv64-report]: OpAtomicExchange
; CHECK[spirv64-report]: OpULessThan
; CHECK[spirv64-report]: OpBranchConditional
; CHECK[spirv64-report]: OpFunctionCall
; CHECK[spirv64-report]: OpReturn
; CHECK[spirv64-report]: OpReturn
; CHECK[spirv64-trap]: OpULessThan
; CHECK[spirv64-trap]: OpBranchConditional
; CHECK[spirv64-trap]: Volatile
; CHECK[spirv64-trap]: OpReturn
; CHECK[spirv64-unreachable]: OpFunction
; CHECK-NOT[spirv64-unreachable]: OpULessThan
; CHECK[spirv64-unreachable]: OpPtrAccessChain
; CHECK[spirv64-unreachable]: OpReturn
; CHECK[cpu-report]: .fill:
; CHECK[cpu-report]: cmpq
; CHECK[cpu-report]: jae
; CHECK[cpu-report]: movl $7
; CHECK[cpu-report]: retq
; CHECK[cpu-report]: callq offload_record
; CHECK[cpu-report]: callq *%
; CHECK[cpu-trap]: .fill:
; CHECK[cpu-trap]: cmpq
; CHECK[cpu-trap]: jae
; CHECK[cpu-trap]: movl $7
; CHECK[cpu-trap]: retq
; CHECK[cpu-trap]: ud2
; CHECK[cpu-unreachable]: .fill:
; CHECK-NOT[cpu-unreachable]: cmp
; CHECK[cpu-unreachable]: movl $7
; CHECK[cpu-unreachable]: retq

target triple = "x86_64-unknown-linux-gnu"

@kernels = constant [1 x ptr] [ptr @fill], section ".offload.kernels"
@file = private constant [7 x i8] c"src.rs\00"
@place = private constant <{ ptr, [16 x i8] }> <{ ptr @file, [16 x i8] c"\06\00\00\00\00\00\00\00\03\00\00\00\05\00\00\00" }>

declare void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64, i64, ptr) noreturn

define void @fill(ptr %values, i64 %len, i64 %at) {
  %inside = icmp ult i64 %at, %len
  br i1 %inside, label %store, label %panic
store:
  %to = getelementptr i32, ptr %values, i64 %at
  store i32 7, ptr %to
  ret void
panic:
  call void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 %at, i64 %len, ptr @place)
  unreachable
}
