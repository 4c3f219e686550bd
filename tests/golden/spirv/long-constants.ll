; An instruction has room for 65,535 words: a constant array of more becomes arrays of arrays. Arrays of nothing, which
; SPIR-V does not have, go out of statics, and no other field moves.
; RUN[image]: seq 65536 | sed 's/.*/i16 7,/' > more && sed '/; MORE$/r more' %s | offloadc -w - --offload-arch=spirv64 --emit=image=k.spv && \
;   spirv-val k.spv && spirv-dis k.spv | cut -c1-150
; CHECK[image]: = OpTypeArray %ushort %uint_32768
; CHECK[image]: = OpTypeArray %_arr_ushort_uint_32768 %uint_2
; CHECK[image]: = OpTypeArray %ushort %uint_1
; CHECK[image]: %long = OpVariable
; CHECK[image]: %empty = OpVariable %_ptr_CrossWorkgroup_uchar
; CHECK[image]: %mixed = OpVariable
; FAIL[too-long]: (sed '/; MORE$/,$d' %s; printf '@long = internal constant [16777222 x i8] c"'; \
;   seq 1000000 3396745 | tr -d '\n'; echo '"'; sed '1,/^  i16 9/d' %s) | \
;   offloadc -w - --offload-arch=spirv64 --emit=image=k.spv

target triple = "x86_64-unknown-linux-gnu"

@long = internal constant <{ i8, [65537 x i16] }> <{ i8 1, [65537 x i16] [ ; MORE
  i16 9] }>
@empty = internal constant [0 x i64] zeroinitializer
%mixed = type { i8, [0 x i64], i8, [2 x [0 x i32]], i32 }
@mixed = internal constant [2 x %mixed] [
  %mixed { i8 1, [0 x i64] [], i8 2, [2 x [0 x i32]] zeroinitializer, i32 3 }, %mixed zeroinitializer]

define void @k(ptr %p, i64 %i) {
  %element = getelementptr <{ i8, [65537 x i16] }>, ptr @long, i64 0, i32 1, i64 %i
  %x = load i16, ptr %element
  store volatile i16 %x, ptr %p
  %last = getelementptr %mixed, ptr @mixed, i64 %i, i32 4
  %y = load i32, ptr %last
  store volatile i32 %y, ptr %p
  %inside = getelementptr [0 x i64], ptr @empty, i64 0, i64 %i
  store volatile ptr %inside, ptr %p
  ret void
}

@.kernels = internal constant ptr @k, section ".offload.kernels"
;;; stderr[too-long]
; error[OFC0025]: the initial value of static `long` has 16777222 elements, and this device accepts 16777216
;   = note: for spirv64
;   = help: fill device memory from the host, and pass a pointer to it
