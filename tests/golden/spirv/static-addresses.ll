; The address of another static in an initial value is a pointer to global memory, not one that is converted to generic.
; RUN: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -o "OpSpecConstantOp.*"
; RUN@22[without]: offloadc -w %s --offload-arch=spirv64 --without-workaround=hold_global_addresses --emit=image=k.spv && \
;   spirv-dis k.spv | grep -o "OpSpecConstantOp.*"
; FAIL=70@23[without-in-23]: offloadc -w %s --offload-arch=spirv64 --without-workaround=hold_global_addresses --emit=image=k.spv 2>/dev/null

target triple = "x86_64-unknown-linux-gnu"

@numbers = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@letters = internal constant [5 x i8] c"abcde"
@both = internal constant [2 x ptr] [ptr @numbers, ptr @letters]

define ptx_kernel void @k(ptr %p, i64 %i) {
  %e = getelementptr ptr, ptr @both, i64 %i
  %f = load volatile ptr, ptr %e
  %g = getelementptr i8, ptr %f, i64 1
  %h = load volatile i8, ptr %g
  store volatile i8 %h, ptr %p
  ret void
}
;;; stdout
; OpSpecConstantOp %_ptr_CrossWorkgroup__arr_uint_uint_4 Bitcast %numbers
; OpSpecConstantOp %_ptr_CrossWorkgroup__arr_uchar_uint_5 Bitcast %letters
;;; stdout[without]
; OpSpecConstantOp %_ptr_Generic_uchar PtrCastToGeneric %numbers
; OpSpecConstantOp %_ptr_Generic_uchar PtrCastToGeneric %letters
